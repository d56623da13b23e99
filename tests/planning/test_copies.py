"""Tables that repeat another one are recognised by names and columns; independent tables are not."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tests.fakes.catalogs import table
from tests.planning.planned_shop import Shop
from tribal.planning.catalog.copies import find_copies
from tribal_contracts import CatalogColumn, CatalogTable, TableKind

ORDER = "id customer_id placed_at total status"


def made(name: str, columns: str = ORDER, *, kind: TableKind = "table", references: Sequence[str] = ()) -> CatalogTable:
    plain = table(f"shop.{name}", references=[("id", f"shop.{other}") for other in references])
    listed = [CatalogColumn(name=each, type="text", nullable=True, default_value=None) for each in columns.split()]
    return plain.model_copy(update={"columns": listed, "kind": kind})


OTHERS = [made(f"other_{place}", f"a{place} b{place} c{place} id") for place in range(8)]


def told(*tables: CatalogTable) -> dict[str, tuple[str, str]]:
    """Kind and original of each copy, by bare names."""
    found = find_copies("db", [*OTHERS, *tables])
    return {
        name.removeprefix("db.shop."): (copy.kind, copy.of.removeprefix("db.shop.")) for name, copy in found.items()
    }


@each_case(
    "part", ["orders_2024_01", "orders_p7", "orders_y2024m01", "orders_bak", "bak_orders", "orders_old_2", "orders_tmp"]
)
def test_partitions_shards_and_backups_are_parts_of_their_table(part: str) -> None:
    assert told(made("orders"), made(part)) == {part: ("part", "orders")}


def test_shards_without_a_table_of_their_plain_name_are_parts_of_the_first() -> None:
    assert told(made("orders_02"), made("orders_01"), made("orders_03")) == {
        "orders_02": ("part", "orders_01"),
        "orders_03": ("part", "orders_01"),
    }


@each_case(
    ("copy", "columns"),
    [
        ("shadow_orders", ORDER),
        ("orders_hist", f"{ORDER} valid_from valid_to operation changed_by"),
        ("orders_archive", ORDER),
        ("order_all", f"{ORDER} region"),
        ("stg_orders", f"{ORDER} loaded_at batch loaded_by source_file"),
        ("orders_archive", "id customer_id placed_at total archived_at"),
        ("orders_old", "id customer_id placed_at total old_id"),
    ],
)
def test_copies_and_histories_are_behind_what_they_repeat(copy: str, columns: str) -> None:
    assert told(made("orders"), made(copy, columns)) == {copy: ("copy", "orders")}


def test_the_copy_of_a_copy_is_one_of_the_original() -> None:
    hist = f"{ORDER} valid_from"
    assert told(made("orders"), made("orders_hist", hist), made("orders_hist_1", hist)) == {
        "orders_hist": ("copy", "orders"),
        "orders_hist_1": ("part", "orders"),
    }


def test_a_table_is_a_copy_of_what_is_named_as_it_is_written_in_its_name() -> None:
    tables = [made("order"), made("orders"), made("orders_shadow"), made("order_shadow")]
    expected = {"orders_shadow": ("copy", "orders"), "order_shadow": ("copy", "order")}
    assert told(*tables) == told(*reversed(tables)) == expected


def test_a_view_named_after_a_table_is_a_view_of_it_whatever_its_columns() -> None:
    assert told(made("orders"), made("v_orders", "total status", kind="view")) == {"v_orders": ("view", "orders")}


@each_case(
    "tables",
    [
        [made("orders"), made("order_items", "id order_id product_id amount")],
        [made("orders"), made("invoices")],
        [made("notes", "id text author"), *(made(f"{of}_notes", "id text author") for of in ("order", "car", "bill"))],
        [made("orders"), made("orders_all"), made("order_lines", "id order_id", references=["orders_all"])],
        [made("pair", "id name"), made("pair_kind", "id name")],
        [made("orders"), made("orders_paid", "id customer_id placed_at total paid_at")],
        [made("orders"), made("orders_log", "id total")],
        [made("v1", "x y z"), made("v2", "p q r")],
    ],
)
def test_tables_of_their_own_are_no_copies(tables: list[CatalogTable]) -> None:
    assert told(*tables) == {}


words = st.sampled_from(["orders", "order", "hist", "bak", "1", "02", "p", "shadow", "_"])
layouts = st.sampled_from([ORDER, f"{ORDER} x", "id", "a b c", "id name"])


@given(st.dictionaries(st.lists(words, min_size=1, max_size=4).map("_".join), layouts, max_size=8), st.randoms())
def test_an_original_is_no_copy_and_the_order_of_tables_does_not_matter(schema: dict[str, str], random: Random) -> None:
    tables = [made(name, columns) for name, columns in schema.items()]
    found = find_copies("db", tables)
    assert not {copy.of for copy in found.values()} & found.keys()
    shuffled = list(tables)
    random.shuffle(shuffled)
    assert find_copies("db", shuffled) == found


def test_the_plan_says_what_a_table_repeats() -> None:
    columns = {"sales.orders": ORDER, "sales.orders_bak": ORDER}
    shop = Shop([table(name).model_copy(update={"columns": made("x", some).columns}) for name, some in columns.items()])
    specs = {spec.table_name: spec for unit in shop.plan().work_units for spec in unit.tables}
    assert specs["orders"].copy_of is None
    assert specs["orders_bak"].copy_of is not None
    assert specs["orders_bak"].copy_of.of == "shop.sales.orders"
