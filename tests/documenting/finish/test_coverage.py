"""What is described is counted where Finish writes the page of all documents, and not a second time."""

from __future__ import annotations

import json

from tests.fakes.catalogs import column, table
from tests.sample_shop.documented import Shop
from tribal.documenting import finish
from tribal.identity import locations
from tribal_contracts import CatalogCoverage, CoverageRecord


def page_of(shop: Shop) -> bytes:
    return shop.memory.get(locations.DOCS + locations.SITE_PAGE).data


def counted(shop: Shop) -> CatalogCoverage:
    outline = shop.plan()
    shop.document(outline)
    found = finish(outline, shop.context(outline)).coverage
    assert found is not None
    return found


def test_what_is_described_is_counted_by_source_and_domain_while_the_page_is_written() -> None:
    shop = Shop()
    found = counted(shop)
    assert found.tables.model_dump() == {"n": 4, "by": {"human": 0, "comment": 1, "model": 0, "derived": 2}}
    assert [(each.database, each.domain, each.tables.n) for each in found.domains] == [
        ("shop", "audit", 1), ("shop", "billing", 1), ("shop", "sales", 2)
    ]  # fmt: skip
    assert sum(each.columns.n for each in found.domains) == found.columns.n > 0
    record = CoverageRecord.from_json(shop.memory.get(locations.COVERAGE_FILE).data)
    assert record.tables == found.tables
    home = next(line for line in page_of(shop).split(b"\n") if line.startswith(b',{"t":"home"'))
    assert {name: json.loads(home[1:])[name] for name in ("tables", "columns")} == found.model_dump(exclude={"domains"})


def test_an_unchanged_page_is_not_read_again_to_count() -> None:
    shop = Shop()
    before = counted(shop)
    shop.forget_writes()
    assert counted(shop) == before
    assert locations.COVERAGE_FILE not in shop.store.written
    shop.replace(table("audit.change_log", column("op", "text"), comment="What changed."))
    assert counted(shop).tables.by["comment"] == 2


def test_numbers_that_a_killed_run_did_not_write_are_counted_by_the_next_one() -> None:
    shop = Shop()
    before, page = counted(shop), page_of(shop)
    shop.memory.delete(locations.COVERAGE_FILE)
    assert counted(shop) == before
    assert page_of(shop) == page
