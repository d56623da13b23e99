"""What a view reads, passes on and joins is taken from its definition, and nothing where there is doubt."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tests.plugins.postgres import FreshDatabase, OpenCatalog
from tribal.sql.lineage import view_lineage
from tribal.sql.references import MAX_VIEW_CHARS, TableName, ViewLineage

A, B, C = ("s", "a"), ("s", "b"), ("s", "c")


def lineage(definition: str) -> ViewLineage:
    return view_lineage(definition, "postgres")


def joins(definition: str) -> list[tuple[TableName, TableName, set[tuple[str, str]]]]:
    return [(join.one, join.other, set(join.columns)) for join in lineage(definition).joins]


def test_a_view_of_one_table_hands_its_columns_on() -> None:
    found = lineage(" SELECT emp.id AS nr,\n    emp.salary\n   FROM staff.emp;")
    assert found.tables == (("staff", "emp"),)
    assert found.columns == {"nr": ("staff", "emp", "id"), "salary": ("staff", "emp", "salary")}


def test_aliases_and_joins_are_followed() -> None:
    text = "SELECT e.id, d.name AS dept FROM (staff.emp e JOIN staff.dept d ON ((d.id = e.dept_id)))"
    assert lineage(text).columns == {"id": ("staff", "emp", "id"), "dept": ("staff", "dept", "name")}


def test_tables_of_subqueries_in_the_list_of_columns_are_read_too() -> None:
    found = lineage("SELECT a.x, (SELECT count(*) FROM s.b WHERE b.y = a.x) AS many FROM s.a")
    assert found.tables == (A, B)
    assert found.columns == {"x": (*A, "x")}


def test_a_calculated_column_has_no_origin() -> None:
    text = "SELECT (e.a + e.b) AS total, count(e.c) AS many, CURRENT_DATE AS now, e.d FROM staff.emp e GROUP BY e.d"
    assert lineage(text).columns == {"d": ("staff", "emp", "d")}


def test_quoted_names_and_commas_in_texts_do_not_mislead() -> None:
    text = """SELECT 'a, FROM x.y' AS note, "E".id AS "my, id" FROM staff."Emp" "E" """
    assert lineage(text).columns == {"my, id": ("staff", "Emp", "id")}


def test_unions_and_queries_within_queries_are_left_alone() -> None:
    for text in (
        "SELECT a.id FROM s.a UNION SELECT b.id FROM s.b",
        "WITH a AS (SELECT b.id FROM s.b) SELECT a.id FROM a",
        "SELECT a.id FROM ( SELECT b.id FROM s.b) a",
        "SELECT DISTINCT a.id FROM s.a",
        "SELECT a.id FROM s.a WHERE EXISTS ( SELECT 1 FROM s.b)",
        "CREATE VIEW v AS SELECT a.id FROM s.a",
        "SELECT a.id FROM s.a; SELECT 1",
        "no statement at all",
    ):
        assert lineage(text).tables == ()


@each_case(
    "sources",
    [
        "s.a, s.b",
        "s.a CROSS JOIN s.b",
        "((s.a JOIN s.b USING (x)))",
        "s.a, s.f(a.id) g(y), unnest(a.z) u(w), s.b",
        "s.a JOIN s.b ON a.t > CURRENT_TIMESTAMP::timestamp with time zone",
        "s.a JOIN s.b ON true GROUP BY (EXTRACT(year FROM a.day)), a.x, b.y",
        "s.a JOIN s.b ON a.x IS DISTINCT FROM b.y",
    ],
)
def test_only_what_a_view_selects_from_is_a_table_of_it(sources: str) -> None:
    found = lineage(f"SELECT a.x, b.y FROM {sources}")
    assert found.tables == (A, B)
    assert found.columns == {"x": (*A, "x"), "y": (*B, "y")}


def test_hidden_numbers_do_not_keep_a_view_from_being_read() -> None:
    found = lineage("SELECT a.x, [card] AS n FROM s.a WHERE a.pin <> [password] AND a.n > -[phone] AND a.t = '[email]'")
    assert found.columns == {"x": (*A, "x")}


@each_case(
    "definition",
    [
        "SELECT 1 FROM s.a JOIN s.b ON a.x = b.y",
        "SELECT 1 FROM s.a one LEFT JOIN s.b AS two ON one.x = two.y AND one.z > 3",
        "SELECT 1 FROM (s.a JOIN s.b ON (((a.x)::text = (b.y)::text)))",
        "SELECT 1 FROM s.a JOIN s.b ON a.x::character varying = b.y WHERE a.z = 1",
        "SELECT 1 FROM s.a, s.b WHERE ((a.x = b.y) AND (a.z = 1))",
        "SELECT 1 FROM s.a WHERE EXISTS ( SELECT 1 FROM s.b WHERE b.y = a.x)",
        "SELECT extract(year FROM a.d) FROM s.a JOIN s.b ON a.x = b.y GROUP BY a.d",
        "SELECT 1 FROM s.c JOIN s.a ON true, s.b WHERE a.x = b.y",
        'SELECT 1 FROM "s"."a" JOIN "s"."b" ON "a"."x" = "b"."y"',
    ],
)
def test_columns_that_a_view_says_are_equal_are_a_join(definition: str) -> None:
    assert joins(definition) == [(A, B, {("x", "y")})]


def test_all_columns_on_which_two_tables_are_joined_are_returned_together() -> None:
    text = "SELECT 1 FROM s.a JOIN s.b ON a.x = b.y AND a.v = b.w JOIN s.c USING (k)"
    assert joins(text) == [(A, B, {("x", "y"), ("v", "w")})]


def test_the_columns_of_using_are_those_of_both_tables() -> None:
    assert joins("SELECT 1 FROM s.a JOIN s.b USING (x, y)") == [(A, B, {("x", "x"), ("y", "y")})]


@each_case(
    "definition",
    [
        "SELECT 1 FROM s.a JOIN s.b ON a.x = b.y OR a.z = 1",
        "SELECT 1 FROM s.a JOIN s.b ON ((a.x = b.y) OR (a.z = b.w))",
        "SELECT 1 FROM s.a JOIN s.b ON NOT a.x = b.y",
        "SELECT 1 FROM s.a JOIN s.b ON NOT (a.x = b.y)",
        "SELECT 1 FROM s.a JOIN s.b ON a.x = b.y + 1",
        "SELECT 1 FROM s.a JOIN s.b ON lower(a.x) = b.y",
        "SELECT 1 FROM s.a JOIN s.b ON a.x > b.y",
        "SELECT a.x = b.y FROM s.a, s.b",
        "SELECT CASE WHEN a.x = b.y THEN 1 END FROM s.a, s.b",
        "SELECT 1 FROM a JOIN s.b ON a.x = b.y",
        "SELECT 1 FROM ( SELECT x FROM s.c) a JOIN s.b ON a.x = b.y",
        "SELECT 'FROM s.a JOIN s.b ON a.x = b.y'",
        "SELECT 1 FROM s.a -- JOIN s.b ON a.x = b.y",
    ],
)
def test_what_is_not_surely_a_join_of_two_tables_is_left_out(definition: str) -> None:
    assert joins(definition) == []


@given(
    st.text(alphabet="SELECTFROMJN().,=ab\"' :", max_size=80)
    | st.lists(
        st.sampled_from("SELECT FROM JOIN ON WHERE AND OR CASE END USING ( ) , = s.a a a.x b.y :: text".split()),
        max_size=40,
    ).map(" ".join)
)
def test_any_text_is_read_to_its_end(definition: str) -> None:
    for one, other, pairs in joins(definition):
        assert pairs
        assert len(one) == len(other) == 2


def test_a_view_is_read_as_the_server_prints_it(fresh_database: FreshDatabase, open_catalog: OpenCatalog) -> None:
    catalog = open_catalog(
        fresh_database(
            """
            CREATE SCHEMA s; CREATE TABLE s.a (x varchar(9), v int); CREATE TABLE s.b (y text, w int);
            CREATE TABLE s.c (k int, v int);
            CREATE VIEW s.seen AS SELECT one.v FROM s.a one LEFT JOIN s.b ON (one.x = b.y AND one.v = b.w), s.c
                WHERE c.v = b.w AND (c.k = one.v OR c.k IS NULL);
            """
        )
    )
    (definition,) = (table.view_definition for table in catalog.read().tables if table.view_definition)
    assert sorted(joins(definition)) == [(B, A, {("y", "x"), ("w", "v")}), (B, C, {("w", "v")})]


@each_case(
    ("definition", "expected"),
    [
        (
            "SELECT 1 FROM s.a JOIN s.b ON a.x = b.y UNION SELECT 1 FROM s.c a JOIN s.b ON a.x = b.z",
            [(A, B, {("x", "y")}), (C, B, {("x", "z")})],
        ),
        ("SELECT 1 FROM s.a WHERE EXISTS (SELECT 1 FROM s.b a WHERE a.y = a.x)", []),
        ("SELECT 1 FROM s.c, s.a JOIN s.b USING (k)", [(A, B, {("k", "k")})]),
        ("SELECT 1 FROM (SELECT 1 AS k) q JOIN s.a ON true JOIN s.b USING (k)", []),
        ("SELECT 1 FROM s.a one JOIN s.a two ON one.x = two.y", [(A, A, {("x", "y")})]),
    ],
)
def test_a_name_is_that_of_the_nearest_query(
    definition: str, expected: list[tuple[TableName, TableName, set[tuple[str, str]]]]
) -> None:
    assert joins(definition) == expected


@each_case(
    "condition",
    [
        "(" * 2_000 + "a.x = b.y" + ")" * 2_000,
        "a.x = b.y AND a.z = ARRAY" + "[" * 20 + "]" * 20,
        "a.x = b.y -- " + "x" * MAX_VIEW_CHARS,
    ],
    ids=["parentheses", "brackets", "length"],
)
def test_a_definition_over_a_limit_is_left_out(condition: str) -> None:
    assert lineage(f"SELECT a.x FROM s.a JOIN s.b ON {condition}") == ViewLineage()
