"""Values of look-up tables, and what they mean, are documented where samples are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tests.cases import each_case
from tests.fakes.catalogs import column, table
from tests.sample_shop.documented import SamplingReader, Shop, failing
from tribal.describing.model.questions.table_data import TableData
from tribal.errors import AccessDenied, StatementTimedOut
from tribal.ports import LookupValues, TableContext
from tribal_contracts import CatalogCheck, CatalogTable, DocumentedColumn

STATUS = table("sales.order_status", column("label", "text"))
ORDERS = table("sales.orders", references=[("status_id", "sales.order_status")])
BASKETS = table("sales.baskets", references=[("status_id", "sales.order_status")])
ROWS = [("2", "Shipped"), ("1", "Placed"), ("10", "Cancelled")]


def run(
    *tables: CatalogTable, rows: Sequence[Sequence[str]] = ROWS, on_sample: Any = None, **options: Any
) -> tuple[Shop, SamplingReader]:
    shop = Shop(tables)
    shop.options = replace(shop.options, **options)
    reader = SamplingReader(tables, rows={"sales.order_status": rows}, on_sample=on_sample)
    shop.document(shop.plan(), reader=reader)
    return shop, reader


def status(shop: Shop, name: str = "sales.orders") -> DocumentedColumn:
    return next(each for each in shop.document_of(name).columns if each.name == "status_id")


def test_a_look_up_table_gives_the_values_of_a_column_and_their_meanings() -> None:
    shop, _ = run(STATUS, ORDERS)
    found = status(shop)
    assert (found.allowed_values, found.allowed_values_from, found.allowed_values_complete) == (
        ["1", "2", "10"],
        "lookup",
        True,
    )
    assert {value: (each.text, each.source) for value, each in (found.value_meanings or {}).items()} == {
        "1": ("Placed", "lookup"),
        "2": ("Shipped", "lookup"),
        "10": ("Cancelled", "lookup"),
    }
    assert "Values: `1` (Placed), `2` (Shipped), `10` (Cancelled)." in shop.page_of("sales.orders")


def test_a_prompt_has_the_values_only_where_it_has_samples() -> None:
    lookups = {"status_id": LookupValues(("1", "2"), {"1": "Placed"})}
    context = TableContext("shop", "postgres", "sales", ORDERS, 10, (), {}, {}, lookups=lookups)
    shown = [TableData(context, asks).asking([2], text=True)["t1"]["columns"]["c2"][2] for asks in (True, False)]
    assert shown == [{"looked_up": {"1": "Placed", "2": ""}, "refers": "t2"}, {"refers": "t2"}]


def test_a_unit_reads_a_look_up_table_once_for_all_tables_that_reference_it() -> None:
    _, reader = run(STATUS, ORDERS, BASKETS)
    # Once as a table that is sampled itself.
    assert reader.asked.count("sample sales.order_status") == 2


def test_without_samples_no_look_up_table_is_read() -> None:
    shop, reader = run(STATUS, ORDERS, take_samples=False)
    assert status(shop).allowed_values is None
    assert reader.asked == []


@each_case(
    "changed",
    [
        STATUS.model_copy(update={"selectable": False}),
        STATUS.model_copy(update={"kind": "foreign_table"}),
        table("sales.order_status", column("email", "text")),
    ],
)
def test_a_table_that_may_not_be_sampled_or_shown_gives_nothing(changed: CatalogTable) -> None:
    shop, _ = run(changed, ORDERS)
    assert status(shop).allowed_values is None


def test_a_longer_list_is_left_out() -> None:
    shop, _ = run(STATUS, ORDERS, rows=[(str(number), f"Step {number}") for number in range(51)])
    assert status(shop).allowed_values is None


def test_declared_values_come_first_and_keep_the_meanings() -> None:
    check = CatalogCheck(name="c", expression="(status_id = ANY (ARRAY[1, 2]))")
    shop, _ = run(STATUS, ORDERS.model_copy(update={"checks": [check]}))
    found = status(shop)
    assert (found.allowed_values, found.allowed_values_from) == (["1", "2"], "check")
    assert list(found.value_meanings or {}) == ["1", "2"]


def test_a_key_that_existing_rows_were_not_compared_with_makes_no_complete_list() -> None:
    keys = [key.model_copy(update={"validated": False}) for key in ORDERS.foreign_keys]
    shop, _ = run(STATUS, ORDERS.model_copy(update={"foreign_keys": keys}))
    assert status(shop).allowed_values_complete is False
    assert "`10` (Cancelled) and others." in shop.page_of("sales.orders")


def test_if_reading_a_look_up_table_fails_tables_are_documented_without_it() -> None:
    refused = AccessDenied("no SELECT")
    shop, _ = run(STATUS, ORDERS, on_sample=failing("sales.order_status", refused))
    assert status(shop).allowed_values is None
    other = table("sales.a_kind", column("label", "text"))
    both = table("sales.orders", references=[("kind_id", "sales.a_kind"), ("status_id", "sales.order_status")])
    shop, _ = run(STATUS, other, both, on_sample=failing("sales.a_kind", refused))
    assert status(shop).allowed_values == ["1", "2", "10"]
    late = StatementTimedOut("too late")
    shop, reader = run(STATUS, ORDERS, on_sample=failing("sales.order_status", late))
    assert status(shop).allowed_values is None
    assert "sample sales.orders" in reader.asked
