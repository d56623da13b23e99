"""The rules: what they know, what they only guess, and what they warn of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conformance.describer import column, context, orders
from tribal.catalog.checks import allowed_range, allowed_values
from tribal.catalog.type_families import type_family
from tribal.describing import RulesDescriber
from tribal.describing.rules.notes import looks_like_a_leftover
from tribal.masking import PLACEHOLDER, MaskedSamples
from tribal.ports import TableContext
from tribal_contracts import (
    CatalogCheck,
    CatalogColumn,
    CatalogForeignKey,
    CatalogKey,
    CatalogTable,
    Description,
    IncomingKey,
)


def make(
    name: str,
    *columns: CatalogColumn,
    key: Sequence[str] = (),
    references: Mapping[str, tuple[Sequence[str], Sequence[str]]] | None = None,
    checks: Sequence[str] = (),
    **others: object,
) -> CatalogTable:
    """A table; `references` maps a parent to this table's and the parent's columns."""
    schema, _, short = name.partition(".")
    keys = [
        CatalogForeignKey(
            name=f"fk{position}",
            columns=list(mine),
            references_schema=parent.partition(".")[0],
            references_table=parent.partition(".")[2],
            references_columns=list(theirs),
        )
        for position, (parent, (mine, theirs)) in enumerate((references or {}).items())
    ]
    return CatalogTable(
        schema_name=schema,
        table_name=short,
        columns=list(columns),
        primary_key=CatalogKey(name="pk", columns=list(key)) if key else None,
        foreign_keys=keys,
        checks=[CatalogCheck(name="c", expression=text) for text in checks],
        **{"kind": "table", "unique_keys": [], "indexes": [], "selectable": True} | others,
    )


def say(table: CatalogTable, name: str, samples: Mapping[str, MaskedSamples] | None = None) -> Description:
    whole = TableContext("shop", "postgres", "sales", table, 10, (), {}, samples or {})
    return RulesDescriber().describe_table(whole).columns[name]


def notes(table: CatalogTable) -> str:
    return "\n".join(RulesDescriber().describe_table(context(table)).notes)


@pytest.mark.parametrize(
    ("name", "kind", "text"),
    [
        ("created_at", "timestamp with time zone", "When the row was created."),
        ("last_updated", "timestamp", "When the row was last changed."),
        ("shipped_at", "timestamp with time zone", "When the order was shipped."),
        ("due_date", "date", "Day on which the order is due."),
        ("dlv_dt", "date", "A date; the name suggests 'delivery date'."),
        ("is_active", "boolean", "Whether the order is active."),
        ("ok", "boolean", "Yes or no."),
        ("email", "text", "E-mail address of the order."),
        ("name", "text", "Name of the order."),
        ("unit_cost_cents", "integer", "Amount of money in cents; the name suggests 'unit cost'."),
        (
            "unit_price",
            "numeric(10,2)",
            "Amount of money; neither currency nor unit is documented; the name suggests 'unit price'.",
        ),
        ("weight_kg", "numeric", "Measured in kilograms; the name suggests 'weight'."),
        ("qty_on_hand", "integer", "How many; the name suggests 'quantity on hand'."),
        ("attrs", "jsonb", "A JSON document whose structure is not declared; the name suggests 'attributes'."),
        ("tags", "text[]", "A list of values."),
        ("created_by", "text", "Who created the row."),
        ("kd_nr", "text", "Not documented; the name suggests 'kd number'."),
        ("cust_no", "text", "Number, kept as text, by which a customer is known."),
        ("foo", "text", "Not documented."),
    ],
)
def test_a_column_is_described_by_type_and_convention(name: str, kind: str, text: str) -> None:
    assert say(make("sales.orders", column(name, kind)), name).text == text


def test_what_nobody_knows_is_told_with_low_confidence() -> None:
    table = make("sales.orders", column("kd_nr"), column("order_id", "integer"), key=["order_id"])
    assert say(table, "kd_nr").confidence < 0.3
    assert say(table, "order_id").confidence >= 0.9


def test_a_key_names_its_target_and_the_role_that_it_plays() -> None:
    table = make(
        "sales.orders",
        column("cust_id", "integer"),
        column("bill_to_addr_id", "integer", nullable=True),
        column("parent_order_id", "integer"),
        references={
            "crm.customer": (["cust_id"], ["cust_id"]),
            "crm.address": (["bill_to_addr_id"], ["addr_id"]),
            "sales.orders": (["parent_order_id"], ["order_id"]),
        },
    )
    assert say(table, "cust_id").text == "Identifies the customer (crm.customer.cust_id)."
    assert (
        say(table, "bill_to_addr_id").text
        == "Identifies the address in the role 'bill to' (crm.address.addr_id). Empty where there is none."
    )
    assert (
        say(table, "parent_order_id").text == "Identifies another order in the role 'parent' (sales.orders.order_id)."
    )


def test_a_key_of_several_columns_names_the_others() -> None:
    table = make(
        "stock.level",
        column("whse_cd"),
        column("bin_cd"),
        key=["whse_cd", "bin_cd"],
        references={"stock.bin": (["whse_cd", "bin_cd"], ["whse_cd", "bin_cd"])},
    )
    assert say(table, "bin_cd").text.startswith("Together with whse_cd, identifies the bin (stock.bin).")


def test_a_line_number_numbers_the_rows_of_its_parent() -> None:
    table = make(
        "sales.order_line",
        column("order_id", "integer"),
        column("line_no", "smallint"),
        key=["order_id", "line_no"],
        references={"sales.orders": (["order_id"], ["order_id"])},
    )
    assert (
        say(table, "line_no").text == "Numbers the rows of one order. Part of the primary key, together with order_id."
    )


def test_codes_are_listed_and_it_is_said_that_their_meaning_is_unknown() -> None:
    check = "((status)::text = ANY ((ARRAY['R'::character varying, 'A'::character varying])::text[]))"
    table = make("people.leave", column("status", "character(1)"), checks=[check])
    assert "One of R, A; what each stands for is not documented." in say(table, "status").text
    words = make("people.leave", column("kind", "text"), checks=["kind IN ('sick', 'vacation')"])
    assert say(words, "kind").text.endswith("One of sick, vacation.")


def test_enum_labels_and_safe_samples_are_told() -> None:
    enum = CatalogColumn(
        name="status", type="s.status", nullable=False, default_value=None, enum_values=["new", "done"]
    )
    assert say(make("s.orders", enum), "status").text == "How far the order has come. One of new, done."
    blank = enum.model_copy(update={"enum_values": ["", " ", "a, b", "c\td", "plain"]})
    assert say(make("s.orders", blank), "status").text.endswith(r"One of '', ' ', 'a, b', 'c\td', plain.")
    seen = {"curr_cd": MaskedSamples(values=("EUR", "CHF"))}
    currency = say(make("s.orders", column("curr_cd", "character(3)")), "curr_cd", seen)
    assert currency.text == "Code of a currency, by its length one of ISO 4217. Values seen: EUR, CHF."


def test_personal_data_in_a_list_of_values_is_not_repeated() -> None:
    table = make("s.t", column("owner"), checks=["owner IN ('bob.miller@example.com', 'x')"])
    assert "bob.miller" not in say(table, "owner").text


@pytest.mark.parametrize(
    ("expression", "values"),
    [
        ("((kind)::text = ANY ((ARRAY['a'::character varying, 'b''c'::character varying])::text[]))", ("a", "b'c")),
        ("(status = ANY (ARRAY['R'::bpchar, 'A'::bpchar]))", ("R", "A")),
        ("(kind = ANY (ARRAY[0, 14, -30]))", ("0", "14", "-30")),
        ("kind IN ('a', 'b')", ("a", "b")),
        ("((kind = ANY (ARRAY['a'::text, 'b]'::text])) AND (x = ANY (ARRAY['z'::text])))", ("a", "b]")),
        ("((kind = ANY (ARRAY['a'::text])) OR (x > 1))", ()),
        ("(NOT (kind = ANY (ARRAY['a'::text])))", ()),
        ("(kindness = ANY (ARRAY['a'::text]))", ()),
        ("(length(kind) > 2)", ()),
        ("(kind = ANY (ARRAY['a'::text, '[email]'::text]))", ()),
        ("(kind = ANY (ARRAY[1, [password], 3]))", ()),
    ],
)
def test_a_list_of_values_is_read_from_a_check_and_only_when_it_must_hold(
    expression: str, values: tuple[str, ...]
) -> None:
    name = "status" if "status" in expression else "kind"
    assert allowed_values(name, [CatalogCheck(name="c", expression=expression)], PLACEHOLDER) == values


def test_labels_of_which_some_are_hidden_are_no_list_of_values() -> None:
    labelled = column("state", "s.state").model_copy(update={"enum_values": ["open", "[email]"]})
    assert "[email]" not in say(make("s.t", labelled), "state").text


def test_a_range_is_read_from_a_check() -> None:
    checks = [CatalogCheck(name="c", expression="((score >= 1) AND (score <= 5))")]
    assert allowed_range("score", checks) == ("1", "5")
    percent = [CatalogCheck(name="c", expression="((pct >= (0)::numeric) AND (pct <= (100)::numeric))")]
    assert allowed_range("pct", percent) == ("0", "100")
    assert allowed_range("core", checks) == (None, None)


@given(st.text(max_size=80), st.text(min_size=1, max_size=10))
def test_any_check_can_be_read(expression: str, name: str) -> None:
    checks = [CatalogCheck(name="c", expression=expression)]
    allowed_values(name, checks, PLACEHOLDER)
    allowed_range(name, checks)


@given(st.text(min_size=1, max_size=30), st.text(max_size=30), st.text(max_size=40))
def test_any_name_and_type_can_be_described(name: str, kind: str, comment: str) -> None:
    table = make(f"s.{name}", column(name, kind, comment=comment), key=[name])
    described = RulesDescriber().describe_table(context(table))
    assert described.columns[name].text
    assert described.table.text


def test_types_fall_into_families() -> None:
    expected = {
        "timestamp with time zone": "instant",
        "timestamp(3) with time zone": "instant",
        "timestamp without time zone": "local_time",
        "character varying(3)": "text",
        "integer": "number",
        "interval": "other",
        "integer[]": "list",
        "public.mood": "other",
        "NUMBER(38,0)": "number",
        "TIMESTAMP_NTZ(9)": "local_time",
    }
    assert {name: type_family(name) for name in expected} == expected


def test_a_table_is_described_by_its_keys() -> None:
    joined = make(
        "stock.product_supplier",
        column("prod_id", "integer"),
        column("supp_id", "integer"),
        key=["prod_id", "supp_id"],
        references={"stock.product": (["prod_id"], ["id"]), "stock.supplier": (["supp_id"], ["id"])},
    )
    said = RulesDescriber().describe_table(context(joined)).table
    assert said.text.startswith("Connects products and suppliers:")
    plain = RulesDescriber().describe_table(context(orders())).table
    assert plain.text == ("Not documented. By its name, one row is one order; it refers to a customer (crm.customer).")
    assert plain.confidence < 0.5


def test_who_refers_to_a_table_is_told() -> None:
    incoming = IncomingKey(
        table="shop.sales.orders",
        from_table="shop.sales.order_line",
        key=CatalogForeignKey(
            name="fk",
            columns=["order_id"],
            references_schema="sales",
            references_table="orders",
            references_columns=["order_id"],
        ),
        nullable=False,
    )
    whole = TableContext("shop", "postgres", "sales", orders(), 10, (incoming,), {}, {})
    assert "Referred to by order lines (sales.order_line)." in RulesDescriber().describe_table(whole).table.text


def test_pitfalls_become_notes() -> None:
    table = make(
        "sales.orders",
        column("promo_cd", nullable=True),
        column("deleted_at", "timestamp with time zone", nullable=True),
        column("total_cents", "bigint"),
        column("seen", "timestamp without time zone"),
        references={"sales.promotion": (["promo_cd"], ["promo_cd"])},
    )
    text = notes(table)
    assert "keep only those where deleted_at IS NULL" in text
    assert "promo_cd (to sales.promotion)" in text
    assert "Money in cents; divide by 100: total_cents." in text
    assert "Times without a time zone; which zone they mean is not recorded: seen." in text
    assert "There is no primary key: rows may repeat." in text


def test_a_view_is_not_blamed_for_having_no_primary_key() -> None:
    assert "primary key" not in notes(make("sales.v_orders", column("a"), kind="view"))


def test_partitions_foreign_tables_and_refreshes_are_noted() -> None:
    assert "3 partitions" in notes(make("a.t", column("a"), kind="partitioned_table", partition_count=3))
    assert "another server" in notes(make("a.t", column("a"), kind="foreign_table"))
    assert "last refresh" in notes(make("a.t", column("a"), kind="materialized_view"))


@pytest.mark.parametrize("name", ["tmp_mig_2019_bak", "orders_old", "orders_20230115", "temp_x", "customer_copy"])
def test_leftovers_are_recognised(name: str) -> None:
    assert looks_like_a_leftover(name)
    assert "Looks like a backup or temporary table" in notes(make(f"a.{name}", column("a")))


@pytest.mark.parametrize("name", ["template", "household", "backup_job_run", "oldenburg", "orders"])
def test_tables_that_are_in_use_are_not_called_leftovers(name: str) -> None:
    assert not looks_like_a_leftover(name)
