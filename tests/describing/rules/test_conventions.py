"""Well-known names are read as people read them; what they leave open is told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.conformance.describer import column, context
from tests.describing.rules.test_rules import make, say
from tribal.describing import RulesDescriber
from tribal_contracts import CatalogForeignKey, CatalogKey, IncomingKey


@pytest.mark.parametrize(
    ("name", "kind", "text"),
    [
        ("latitude", "double precision", "Degrees north of the equator; negative to the south."),
        ("rowguid", "uuid", "Identifies the row in every copy of the database, as replication needs it."),
        ("external_key", "uuid", "A globally unique identifier (UUID); the name suggests 'external key'."),
        ("revision_no", "integer", "Which revision of the order this is."),
        ("weight", "numeric", "Weight of the order; its unit is not documented."),
        (
            "conversion_rate",
            "numeric",
            "A rate; the name suggests 'conversion rate'; whether per cent or a share of one, and of what, "
            "is not documented.",
        ),
        ("warehouse_id", "integer", "By its name, identifies a warehouse; no foreign key says in which table."),
        ("xyzzy_id", "integer", "Not documented; the name suggests 'xyzzy ID'."),
        ("homepage", "text", "Web address."),
        ("product_source_value", "text", "The product as it was written where the data came from."),
        ("reviewername", "text", "Name of the reviewer."),
        ("country_cd", "character(2)", "Code of a country, by its length one of ISO 3166."),
        ("color_cd", "text", "Code of a color; what the codes mean is not documented here."),
        ("order_cd", "text", "Code by which the order is known."),
        ("trk_no", "text", "Not documented; the name suggests 'track number'."),
        ("ord_dt", "date", "Date of the order."),
        ("is_eu", "boolean", "Whether the order is EU."),
        ("is_dflt", "boolean", "Whether the order is the default."),
        ("year_of_birth", "integer", "Year of birth."),
        ("modifieddate", "timestamp", "When the row was last changed."),
        ("startdate", "date", "Day on which the order starts."),
        ("endtime", "time without time zone", "Time of day at which the order ends."),
        ("scheduledenddate", "date", "Scheduled end of the order."),
        ("currentflag", 'public."Flag"', "Whether the order is current."),
        ("sickleavehours", "smallint", "Measured in hours; the name suggests 'sick leave'."),
    ],
)
def test_a_well_known_name_is_read_as_people_read_it(name: str, kind: str, text: str) -> None:
    assert say(make("sales.orders", column(name, kind)), name).text == text


def test_a_unit_that_another_column_names_is_pointed_to() -> None:
    table = make("sales.item", column("weight", "numeric"), column("weight_unit_cd", "character(2)"))
    assert say(table, "weight").text == "Weight of the item, in the unit that weight_unit_cd names."


def test_a_status_of_something_else_is_not_told_as_the_rows_own() -> None:
    table = make("hr.employee", column("marital_status", "character(1)"), checks=["marital_status IN ('M', 'S')"])
    assert "How far" not in say(table, "marital_status").text


def test_a_role_that_is_a_noun_is_what_the_key_identifies() -> None:
    table = make(
        "hr.team",
        column("manager_emp_id", "integer"),
        column("team_emp_id", "integer"),
        references={"hr.employee": (["manager_emp_id"], ["emp_id"])},
    )
    assert say(table, "manager_emp_id").text == "Identifies the manager: an employee (hr.employee.emp_id)."


def test_a_key_named_like_its_own_row_is_no_role() -> None:
    table = make("omop.visit", column("visit_concept_id"), references={"omop.concept": (["visit_concept_id"], ["id"])})
    assert say(table, "visit_concept_id").text == "Identifies the concept of the visit (omop.concept.id)."


def test_a_table_of_names_that_others_refer_to_is_a_look_up_list() -> None:
    table = make("hr.shift_type", column("id", "integer"), column("name"), column("modifieddate", "date"), key=["id"])
    key = CatalogForeignKey(
        name="fk", columns=["t"], references_schema="hr", references_table="shift_type", references_columns=["id"]
    )
    incoming = (IncomingKey(table="shop.hr.shift_type", from_table="shop.hr.shift", key=key, nullable=False),)
    whole = replace(context(table), incoming=incoming)
    text = RulesDescriber().describe_table(whole).table.text
    assert text == "A look-up list: one row is one shift type. Referred to by shifts (hr.shift)."


def test_a_row_that_cannot_be_without_another_says_so() -> None:
    lines = make(
        "sales.orderline",
        column("order_id", "integer"),
        column("line_no", "integer"),
        key=["order_id", "line_no"],
        references={"sales.orders": (["order_id"], ["order_id"])},
    )
    said = RulesDescriber().describe_table(context(lines)).table.text
    assert said == "Not documented. By its name, one row is one order line and belongs to an order (sales.orders)."
    details = lines.model_copy(
        update={"table_name": "orderdetail", "primary_key": CatalogKey(name="pk", columns=["order_id"])}
    )
    said = RulesDescriber().describe_table(context(details)).table.text
    assert (
        said == "Not documented. By its name, one row is one order detail: at most one for each order (sales.orders)."
    )


def test_one_row_of_a_history_is_an_entry_of_it() -> None:
    said = RulesDescriber().describe_table(context(make("sales.pricehistory", column("a")))).table.text
    assert said == "Not documented. By its name, one row is one entry of the price history."
