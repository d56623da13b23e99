"""Views tell where their columns come from, where the definition says it plainly."""

from __future__ import annotations

from tests.conformance.describer import column, context
from tribal.describing import RulesDescriber
from tribal.describing.rules.views import view_origins
from tribal_contracts import CatalogTable


def view(definition: str, *names: str) -> CatalogTable:
    return CatalogTable(
        schema_name="hr",
        table_name="eda",
        kind="view",
        columns=[column(name) for name in names],
        primary_key=None,
        unique_keys=[],
        foreign_keys=[],
        indexes=[],
        checks=[],
        view_definition=definition,
        selectable=True,
    )


def test_a_view_of_one_table_hands_its_columns_on() -> None:
    found = view_origins(view(" SELECT emp.id AS nr,\n    emp.salary\n   FROM staff.emp;", "nr", "salary"))
    assert found.tables == (("staff", "emp"),)
    assert found.columns == {"nr": "staff.emp.id", "salary": "staff.emp.salary"}


def test_aliases_and_joins_are_followed() -> None:
    text = "SELECT e.id, d.name AS dept FROM (staff.emp e JOIN staff.dept d ON ((d.id = e.dept_id)))"
    assert view_origins(view(text, "id", "dept")).columns == {"id": "staff.emp.id", "dept": "staff.dept.name"}


def test_a_calculated_column_has_no_origin() -> None:
    text = "SELECT (e.a + e.b) AS total, count(e.c) AS many, e.d FROM staff.emp e GROUP BY e.d"
    assert view_origins(view(text, "total", "many", "d")).columns == {"d": "staff.emp.d"}


def test_quoted_names_and_commas_in_texts_do_not_mislead() -> None:
    text = """SELECT 'a, FROM x.y' AS note, "E".id AS "my, id" FROM staff."Emp" "E" """
    assert view_origins(view(text, "note", "my, id")).columns == {"my, id": "staff.Emp.id"}


def test_unions_and_queries_within_queries_are_left_alone() -> None:
    for text in (
        "SELECT a.id FROM s.a UNION SELECT b.id FROM s.b",
        "WITH a AS (SELECT b.id FROM s.b) SELECT a.id FROM a",
        "SELECT a.id FROM ( SELECT b.id FROM s.b) a",
        "no statement at all",
    ):
        assert view_origins(view(text, "id")).tables == ()


def test_a_view_and_its_columns_are_described_by_what_they_show() -> None:
    said = RulesDescriber().describe_table(context(view("SELECT emp.id FROM staff.emp", "id")))
    assert said.table.text == "Reads staff.emp."
    assert said.columns["id"].text == "Taken unchanged from staff.emp.id."
