"""What is read from the text with which a person created a view in Snowflake."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.cases import each_case
from tribal.sql.column_lineage import read_lineage
from tribal.sql.lineage import ViewQueries, view_lineage
from tribal.sql.references import MAX_VIEW_CHARS, ColumnName, TableName

COLUMNS = {
    ("SALES", "ORDERS"): ("ID", "REGION", "CUSTOMER_ID"),
    ("SALES", "CUSTOMER"): ("ID", "NAME"),
    ("SALES", "Odd Name"): ("a b",),
    ("DEPOT", "ORDERS"): ("SKU",),
}
VIEWS = ViewQueries("SHOP", COLUMNS)


def query(text: str) -> str | None:
    return VIEWS.read(text, "SALES")


def origins(text: str) -> tuple[Sequence[TableName], Mapping[str, ColumnName]]:
    found = view_lineage(query(text) or "", "snowflake")
    return found.tables, found.columns


def test_names_are_folded_and_completed_as_the_server_does_it() -> None:
    tables, columns = origins("create view v as select o.id as nr, region from orders o")
    assert tables == (("SALES", "ORDERS"),)
    assert columns == {"NR": ("SALES", "ORDERS", "ID"), "REGION": ("SALES", "ORDERS", "REGION")}


def test_the_columns_that_the_statement_lists_are_those_of_the_view() -> None:
    _, columns = origins(
        "CREATE OR REPLACE SECURE VIEW sales.v (a, \"b\") COMMENT = 'x' AS SELECT id, name FROM customer"
    )
    assert columns == {"A": ("SALES", "CUSTOMER", "ID"), "b": ("SALES", "CUSTOMER", "NAME")}


def test_a_star_is_expanded_to_the_columns_of_its_table() -> None:
    _, columns = origins("create view v as select c.*, o.id oid from customer c join orders o on o.customer_id = c.id")
    customer = ("SALES", "CUSTOMER")
    assert columns == {"ID": (*customer, "ID"), "NAME": (*customer, "NAME"), "OID": ("SALES", "ORDERS", "ID")}


def test_a_column_without_its_table_is_of_the_one_that_has_it() -> None:
    text = "create view v as select name, sku from customer cross join depot.orders"
    assert origins(text)[1] == {"NAME": ("SALES", "CUSTOMER", "NAME"), "SKU": ("DEPOT", "ORDERS", "SKU")}


def test_joins_are_read_with_their_stored_names() -> None:
    text = query("create view v as select 1 x from orders as o inner join customer c on c.id = o.customer_id")
    assert text is not None
    (join,) = view_lineage(text, "snowflake").joins
    assert (join.one, join.other, set(join.columns)) == (
        ("SALES", "CUSTOMER"),
        ("SALES", "ORDERS"),
        {("ID", "CUSTOMER_ID")},
    )


def test_a_table_of_another_database_is_not_taken_for_one_of_this_database() -> None:
    text = "create view v as select o.sku from other.depot.orders o"
    assert origins(text) == ((), {})
    assert origins("create view v as select o.sku from shop.depot.orders o")[0] == (("DEPOT", "ORDERS"),)


def test_quoted_names_are_exact() -> None:
    assert origins('create view v as select "a b" as x from "Odd Name"')[1] == {"X": ("SALES", "Odd Name", "a b")}
    assert origins('create view v as select x from "orders"')[0] == (("SALES", "orders"),)


def test_no_value_is_left() -> None:
    text = query("create view v as select id, 'ann@example.com' as who from customer where name = 'Ann' and id > 4711")
    assert text is not None
    assert "nn" not in text
    assert "4711" not in text


@each_case("value", ["$$hunter2$$", "'it\\'s hunter2'", "N'hunter2'", "x'68756e74657232'"])
def test_no_value_is_left_in_whatever_form_it_was_written(value: str) -> None:
    text = query(
        f"create view v as select id, {value} as x from customer /* hunter2 */ where name = {value} -- hunter2"
    )
    assert text is not None
    assert "hunter2" not in text
    assert "68756e74657232" not in text


@each_case(
    "text",
    [
        "",
        "no SQL at all (",
        "create table t (id int)",
        "create view v (a, b) as select id from customer",
        "create view v as select id from customer union all select id from customer; drop table x",
        "create view v as select " + "(" * 3_000 + "1" + ")" * 3_000,
        "create view v as select " + "[" * 20 + "]" * 20 + " as x",
        "create view v as select id from customer -- " + "x" * MAX_VIEW_CHARS,
    ],
    ids=["nothing", "no SQL", "a table", "other columns", "two statements", "parentheses", "brackets", "too long"],
)
def test_what_cannot_be_parsed_with_certainty_has_no_query(text: str) -> None:
    assert query(text) is None


@each_case(
    "case",
    [
        "case o.region when 1 then 'north' when 2 then 'south' end",
        "case when region = 1 then 'north' when region in (2) then 'south' when region::varchar = '' then null end",
        "decode(region, 1, 'north', 2, 'south')",
    ],
)
def test_values_that_a_case_labels_stay_with_their_labels_and_no_others(case: str) -> None:
    text = query(f"create view v as select {case} as place from orders o where o.id <> 7 and region <> 'secret'")
    assert text is not None
    assert ("secret" in text, "7" in text) == (False, False)
    found = read_lineage(text, "snowflake", COLUMNS, ["PLACE"]).labels
    assert [(each.column, each.value, each.text, each.output) for each in found] == [
        (("SALES", "ORDERS", "REGION"), "1", "north", "PLACE"),
        (("SALES", "ORDERS", "REGION"), "2", "south", "PLACE"),
    ]
