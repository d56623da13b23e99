"""The rules: what they make of any catalog, of values, and what they warn of."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tests.conformance.describer import column, context, orders
from tests.describing.rules.made import make, notes, say
from tribal.describing import RulesDescriber
from tribal.describing.rules.notes import looks_like_a_leftover
from tribal.ports import TableContext
from tribal_contracts import CatalogColumn, CatalogForeignKey, IncomingKey


def test_odd_labels_are_shown_as_they_are() -> None:
    enum = CatalogColumn(name="status", type="s.status", nullable=False, default_value=None)
    blank = enum.model_copy(update={"enum_values": ["", " ", "a, b", "c\td", "plain"]})
    assert say(make("s.orders", blank), "status").text == r"One of '', ' ', 'a, b', 'c\td', plain."


def test_personal_data_in_a_list_of_values_is_not_repeated() -> None:
    table = make("s.t", column("owner"), checks=["owner IN ('bob.miller@example.com', 'x')"])
    assert "bob.miller" not in say(table, "owner").text


def test_labels_of_which_some_are_hidden_are_no_list_of_values() -> None:
    labelled = column("state", "s.state").model_copy(update={"enum_values": ["open", "[email]"]})
    assert say(make("s.t", labelled), "state").text == ""


@given(st.text(min_size=1, max_size=30), st.text(max_size=30), st.text(max_size=40))
def test_any_name_and_type_can_be_described(name: str, kind: str, comment: str) -> None:
    table = make(f"s.{name}", column(name, kind, comment=comment), key=[name])
    assert RulesDescriber().describe_table(context(table)).columns[name].text


def test_a_key_that_is_several_things_says_them_all() -> None:
    table = make("s.t", column("x"), key=["x"], references={"s.a": (["x"], ["id"]), "s.b": (["x"], ["nr"])})
    assert say(table, "x").text == "Refers to s.a.id. Refers to s.b.nr. The primary key."


def test_who_refers_to_a_table_is_reported() -> None:
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
    assert (
        RulesDescriber().describe_table(whole).table.text == "Refers to crm.customer. Referred to by sales.order_line."
    )


def test_pitfalls_become_notes() -> None:
    table = make(
        "sales.orders",
        column("promo_cd", nullable=True),
        column("deleted_at", "timestamp with time zone", nullable=True),
        column("seen", "timestamp without time zone"),
        references={"sales.promotion": (["promo_cd"], ["promo_cd"])},
    )
    text = notes(table)
    assert (
        "By its name, deleted_at marks deleted rows that stay in the table: the others have deleted_at IS NULL." in text
    )
    assert "promo_cd (to sales.promotion)" in text
    assert "Times without a time zone; which zone they mean is not declared: seen." in text
    assert "There is no primary key: rows may repeat." in text


@each_case(
    ("table", "name", "kind", "nullable"),
    [
        ("sales.orders", "deleted_at", "timestamp with time zone", False),
        ("sales.orders", "archived", "boolean", True),
        ("sales.orders", "deleted_by_author", "boolean", True),
        ("sales.orders", "deleted", "integer", True),
        ("sales.order_history", "deleted_at", "timestamp with time zone", True),
    ],
)
def test_what_may_be_something_else_is_no_mark_of_a_deleted_row(
    table: str, name: str, kind: str, nullable: bool
) -> None:
    assert "deleted rows" not in notes(make(table, column(name, kind, nullable=nullable)))


def test_a_view_is_not_blamed_for_having_no_primary_key() -> None:
    assert "primary key" not in notes(make("sales.v_orders", column("a"), kind="view"))


def test_partitions_foreign_tables_and_refreshes_are_noted() -> None:
    assert "3 partitions" in notes(make("a.t", column("a"), kind="partitioned_table", partition_count=3))
    assert "outside of this database" in notes(make("a.t", column("a"), kind="foreign_table"))
    assert "last refresh" in notes(make("a.t", column("a"), kind="materialized_view"))


@pytest.mark.parametrize("name", ["tmp_mig_2019_bak", "orders_old", "orders_bkp", "deprecated_rates"])
def test_leftovers_are_recognised(name: str) -> None:
    assert looks_like_a_leftover(name)
    assert "By its name, a temporary table or an old copy" in notes(make(f"a.{name}", column("a")))


@each_case(
    "name",
    ["template", "temp_sensor", "household", "backup_job_run", "host_backup", "hard_copy", "old", "events_20240101"],
)
def test_tables_that_may_be_in_use_are_not_called_leftovers(name: str) -> None:
    assert not looks_like_a_leftover(name)
