"""Finishing a run: no document leads to a table of which none could be made."""

from __future__ import annotations

import posixpath

import pytest

from tests.fakes import FixedClock
from tests.fakes.catalogs import column, table
from tests.sample_shop.documented import SamplingReader, Shop, failing, tables_of
from tribal.errors import StoreUnwritable, TableGone
from tribal.identity import locations
from tribal.ports import DocumentingOptions
from tribal_contracts import UnitResult

GONE = TableGone("dropped")


def dropping(shop: Shop, name: str, times: int = 99) -> SamplingReader:
    return SamplingReader(shop.tables, on_sample=failing(name, GONE, times))


def dead_links(shop: Shop) -> list[str]:
    """Paths that a document or a page names under `docs/` and that are not there."""
    dead = []
    for key in shop.contents(locations.DOCS):
        if key.endswith(".md"):
            links = [part.partition(")")[0] for part in shop.memory.get(key).data.decode().split("](")[1:]]
            places = [posixpath.normpath(posixpath.join(posixpath.dirname(key), link)) for link in links]
            dead += [place for place in places if place not in shop.contents(locations.DOCS)]
    relations = [r.path for n in ("sales.customer", "billing.invoice") for r in shop.document_of(n).relations]
    return dead + [path for path in relations if locations.DOCS + path not in shop.contents(locations.DOCS)]


def test_neighbours_in_every_unit_lose_their_links_to_a_table_that_was_dropped_after_planning() -> None:
    shop = Shop()
    manifest = shop.run(reader=dropping(shop, "sales.orders"))
    assert tables_of(manifest) == {"sales.customer", "billing.invoice", "audit.change_log"}
    assert dead_links(shop) == []
    invoice = shop.document_of("billing.invoice")
    assert [key.references_table for key in invoice.foreign_keys] == ["shop.sales.orders"]
    for file in manifest.indexable_files:
        present = shop.memory.head(locations.DOCS + file.path)
        assert present is not None
        assert present.content_hash == file.content_hash


def test_the_links_come_back_with_the_table() -> None:
    shop = Shop()
    shop.run(reader=dropping(shop, "sales.orders", times=1))
    assert [r.name for r in shop.document_of("billing.invoice").relations] == []
    shop.run(reader=dropping(shop, "none"))
    assert [r.name for r in shop.document_of("billing.invoice").relations] == ["shop.sales.orders"]
    assert [r.name for r in shop.document_of("sales.customer").relations] == ["shop.sales.orders"]


def test_likely_keys_to_a_table_that_was_dropped_leave_and_come_back_with_it() -> None:
    shop = Shop([table("sales.customer"), table("sales.orders", column("customer_id"))])
    shop.run(reader=dropping(shop, "sales.customer", times=1))
    assert shop.document_of("sales.orders").inferred_keys == []
    assert "Likely keys" not in shop.page_of("sales.orders")
    shop.run(reader=dropping(shop, "none"))
    assert [key.to_table for key in shop.document_of("sales.orders").inferred_keys] == ["shop.sales.customer"]
    assert "Likely keys" in shop.page_of("sales.orders")


def test_retrying_what_failed_brings_the_links_back_too() -> None:
    shop = Shop()
    shop.run(reader=dropping(shop, "sales.orders", times=1))
    outline = shop.plan()
    shop.document(
        outline, reader=dropping(shop, "none"), options=DocumentingOptions(record_pid=False, retry_failed=True)
    )
    shop.finish(outline)
    assert [r.name for r in shop.document_of("billing.invoice").relations] == ["shop.sales.orders"]
    assert dead_links(shop) == []


def test_a_table_that_was_documented_once_keeps_its_documents_and_the_links_to_them() -> None:
    shop = Shop()
    shop.run(reader=dropping(shop, "none"))
    before = shop.contents(locations.DOCS)
    outline = shop.plan()
    force = DocumentingOptions(record_pid=False, force=True)
    shop.document(outline, reader=dropping(shop, "sales.orders"), options=force)
    shop.finish(outline)
    assert set(shop.contents(locations.DOCS)) == set(before)
    assert [r.name for r in shop.document_of("billing.invoice").relations] == ["shop.sales.orders"]


def test_stopped_at_any_write_while_links_are_taken_out_the_next_run_ends_with_the_same_bytes() -> None:
    def dropped() -> tuple[Shop, SamplingReader]:
        shop = Shop(clock=FixedClock(is_fixed=True))
        return shop, dropping(shop, "sales.orders")

    whole, reader = dropped()
    outline = whole.plan()
    whole.forget_writes()
    whole.document(outline, reader=reader)
    documented = len(whole.store.written)
    whole.finish(outline)
    for stop_after in range(documented, len(whole.store.written)):
        shop, reader = dropped()
        outline = shop.plan()
        shop.store.writes_left = stop_after
        shop.document(outline, reader=reader)
        with pytest.raises(StoreUnwritable):
            shop.finish(outline)
        shop.store.writes_left = None
        shop.document(outline, reader=reader)
        shop.finish(outline)
        assert shop.contents() == whole.contents(), f"stopped after {stop_after} writes"


def test_while_the_table_stays_missing_nothing_is_written_again() -> None:
    shop = Shop()
    reader = dropping(shop, "sales.orders")
    shop.run(reader=reader)
    before = shop.contents(locations.DOCS)
    shop.clock.advance(60)
    outline = shop.plan()
    shop.document(outline, reader=reader)
    shop.forget_writes()
    shop.finish(outline)
    assert shop.contents(locations.DOCS) == before
    assert not [key for key in shop.store.written if key.startswith((locations.DOCS, "progress/work_units/"))]
    result = UnitResult.from_json(shop.memory.get(locations.unit_result_file("shop_billing")).data)
    assert [table.unlinked for table in result.tables] == [["shop.sales.orders"]]
