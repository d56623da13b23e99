"""Finishing a run: tables that leave or move take their files with them, and nothing else goes."""

from __future__ import annotations

import pytest

from tests.fakes import FixedClock
from tests.fakes.catalogs import column, table
from tests.sample_shop.documented import Shop, tables_of
from tribal.errors import StoreUnwritable
from tribal.identity import locations
from tribal_contracts import (
    RunOutline,
    UnitResult,
)

pytestmark = pytest.mark.slow


def read(shop: Shop, path: str) -> bytes:
    return shop.memory.get(locations.DOCS + path).data


def test_a_dropped_table_leaves_with_its_files_and_its_domain() -> None:
    shop = Shop()
    shop.run()
    shop.drop("audit.change_log")
    manifest = shop.run()
    assert "audit.change_log" not in tables_of(manifest)
    assert not [key for key in shop.contents() if key.startswith(("docs/shop/audit", "progress/work_units/shop_audit"))]
    assert "audit" not in read(shop, "shop/README.md").decode()
    assert manifest.status == "complete"


def test_a_table_of_a_unit_that_stays_leaves_with_its_files() -> None:
    shop = Shop()
    shop.run()
    shop.drop("sales.customer")
    shop.replace(table("sales.orders", column("qty", "integer")))
    shop.run()
    assert not [key for key in shop.contents(locations.DOCS) if "customer" in key]
    result = UnitResult.from_json(shop.memory.get(locations.unit_result_file("shop_sales")).data)
    assert result.departed is None
    shop.run()
    outline = shop.plan()
    shop.forget_writes()
    shop.document(outline)
    shop.finish(outline)
    assert shop.store.written == []


def test_a_moved_table_has_its_old_files_removed() -> None:
    shop = Shop()
    shop.run()
    shop.entry = shop.entry.model_copy(update={"domains": {"sales": ["sales.*", "audit.*"], "billing": ["billing.*"]}})
    manifest = shop.run()
    places = {file.table: file.path for file in manifest.indexable_files if file.type == "table"}
    assert places["change_log"] == "shop/sales/audit.change_log.json"
    keys = set(shop.contents())
    assert not [key for key in keys if key.startswith("docs/shop/audit/")]
    assert not [key for key in keys if key.startswith("progress/work_units/shop_audit/")]
    assert "docs/shop/sales/audit.change_log.md" in keys


def files_of(shop: Shop, table: str) -> list[str]:
    return [key for key in shop.contents("docs/shop/sales/") if table in key.casefold()]


def test_a_table_renamed_in_case_only_keeps_a_file_and_no_live_one_is_deleted() -> None:
    shop = Shop()
    shop.replace(table("sales.Invoices", column("id", "integer")))
    shop.run()
    assert files_of(shop, "invoices") == ["docs/shop/sales/sales.Invoices.json", "docs/shop/sales/sales.Invoices.md"]
    shop.drop("sales.Invoices")
    shop.replace(table("sales.invoices", column("id", "integer")))
    shop.store.deleted.clear()
    shop.run()
    assert "docs/shop/sales/sales.invoices.md" in files_of(shop, "invoices")
    assert not [key for key in shop.store.deleted if "nvoices" in key]


def test_of_tables_that_differ_in_case_the_lower_one_has_the_plain_file_and_links_follow() -> None:
    shop = Shop()
    shop.replace(table("sales.Invoices", column("id", "integer")))
    shop.run()
    shop.replace(table("sales.invoices", column("id", "integer")))
    shop.run()
    json_files = [key.rpartition("/")[2] for key in files_of(shop, "invoices") if key.endswith(".json")]
    assert "sales.invoices.json" in json_files
    assert any(name.startswith("sales.invoices~") for name in json_files)


def test_a_table_excluded_by_the_configuration_leaves() -> None:
    shop = Shop()
    shop.run()
    shop.entry = shop.entry.model_copy(update={"exclude": shop.entry.exclude.model_copy(update={"schemas": ["audit"]})})
    assert "audit.change_log" not in tables_of(shop.run())
    assert not [key for key in shop.contents(locations.DOCS) if "audit" in key]


def test_a_file_that_is_not_ours_is_never_removed() -> None:
    shop = Shop()
    shop.run()
    shop.memory.put("docs/shop/audit/notes.md", b"mine")
    shop.memory.put("docs/handbook.md", b"mine")
    shop.drop("audit.change_log")
    shop.run()
    assert {"docs/shop/audit/notes.md", "docs/handbook.md"} <= set(shop.contents())


def test_a_unit_that_was_documented_and_never_published_keeps_its_files() -> None:
    shop = Shop()
    outline = shop.plan()
    shop.document(outline, only=["shop_sales"])
    other = shop.plan(unit_ids=["shop_audit"])
    shop.document(other)
    shop.finish(other)
    assert "docs/shop/sales/sales.orders.json" in shop.contents()
    assert locations.unit_result_file("shop_sales") in shop.contents()


def test_a_moved_table_keeps_its_old_files_until_it_is_documented_at_its_new_place() -> None:
    shop = Shop()
    shop.run()
    shop.entry = shop.entry.model_copy(
        update={"domains": {"sales": ["sales.orders"], "people": ["sales.customer"], "audit": ["audit.*"]}}
    )
    outline = shop.plan(unit_ids=["shop_sales"])
    shop.document(outline)
    manifest = shop.finish(outline)
    assert "sales.customer" in tables_of(manifest)
    assert "docs/shop/sales/sales.customer.json" in shop.contents()
    last = shop.plan()
    shop.run_task(last)
    assert [key for key in shop.contents(locations.DOCS) if "sales.customer" in key] == [
        "docs/shop/people/sales.customer.json",
        "docs/shop/people/sales.customer.md",
    ]


def test_stopped_at_any_write_while_tables_move_and_leave_the_next_run_ends_with_the_same_bytes() -> None:
    def moved() -> tuple[Shop, RunOutline]:
        shop = Shop(clock=FixedClock(is_fixed=True))
        shop.run()
        shop.drop("billing.invoice")
        shop.drop("sales.customer")
        shop.replace(table("sales.new", references=[("order_id", "sales.orders")]))
        shop.entry = shop.entry.model_copy(update={"domains": {"sales": ["sales.*", "audit.*"]}})
        outline = shop.plan()
        shop.forget_writes()
        return shop, outline

    whole, outline = moved()
    whole.run_task(outline)
    steps = len(whole.store.written) + len(whole.store.deleted)
    assert len(whole.store.deleted) > 8
    for stop_after in range(steps):
        shop, outline = moved()
        shop.store.writes_left = stop_after
        with pytest.raises(StoreUnwritable):
            shop.run_task(outline)
        shop.store.writes_left = None
        shop.run_task(outline)
        assert shop.contents() == whole.contents(), f"stopped after {stop_after} steps"
