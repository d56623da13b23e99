"""Finishing a run: overviews, and the manifest that describes the whole store."""

from __future__ import annotations

import posixpath
import re
from dataclasses import replace
from urllib.parse import unquote

import pytest

from tests.fakes import OurLease
from tests.fakes.catalogs import column, table
from tests.sample_shop.documented import TABLES, SamplingReader, Shop, failing, tables_of
from tribal.documenting import finish
from tribal.errors import LeaseLost, ManifestError
from tribal.identity import locations
from tribal.identity.hashing import bytes_hash, output_hash
from tribal.planning import write_run_plan
from tribal.store import load_manifest
from tribal_contracts import (
    AgentError,
    DocumentationPlan,
    DocumenterProgress,
    DomainDocument,
    OverviewDocument,
    RelationshipsDocument,
    RunOutline,
    UnitResult,
    agent_error,
)

NO = ValueError("no")


def read(shop: Shop, path: str) -> bytes:
    return shop.memory.get(locations.DOCS + path).data


def test_the_manifest_lists_what_lies_in_the_store() -> None:
    shop = Shop()
    manifest = shop.run()
    assert manifest.status == "complete"
    for file in manifest.indexable_files:
        data = read(shop, file.path)
        assert (file.content_hash, file.size_bytes) == (bytes_hash(data), len(data))
    docs = set(shop.contents(locations.DOCS)) - {locations.MANIFEST_FILE}
    assert manifest.total_files == len(docs)
    listed = {locations.DOCS + file.path for file in manifest.indexable_files}
    assert listed == {key for key in docs if key.endswith(".json")}
    assert [file.path for file in manifest.indexable_files] == sorted(file.path for file in manifest.indexable_files)


def test_every_indexable_file_says_where_it_belongs() -> None:
    manifest = Shop().run()
    kinds = {file.path: file for file in manifest.indexable_files}
    orders = kinds["shop/sales/sales.orders.json"]
    assert (orders.type, orders.schema_, orders.table) == ("table", "sales", "orders")
    assert (orders.database, orders.domain, orders.work_unit) == ("shop", "sales", "shop_sales")
    assert (kinds["shop/sales/domain.json"].type, kinds["shop/sales/domain.json"].domain) == ("domain", "sales")
    assert kinds["shop/sales/relationships.json"].type == "relationship"
    assert (kinds["shop/overview.json"].type, kinds["shop/overview.json"].database) == ("overview", "shop")
    assert (kinds["overview.json"].type, kinds["overview.json"].database) == ("overview", "")


def test_the_manifest_tells_of_units_and_databases() -> None:
    shop = Shop()
    manifest = shop.run()
    unit = next(unit for unit in manifest.work_units if unit.id == "shop_sales")
    result = UnitResult.from_json(shop.memory.get(locations.unit_result_file("shop_sales")).data)
    files = [(file.path, file.content_hash) for t in result.tables for file in t.files]
    assert (unit.status, unit.files_generated, unit.reprocessable, unit.errors) == ("completed", 4, True, None)
    assert unit.output_hash == output_hash(files)
    (database,) = manifest.databases
    assert (database.tables_documented, database.tables_failed) == (4, 0)
    assert (database.docs_directory, database.domains) == ("shop", ["audit", "billing", "sales"])


def test_a_domain_is_reported_with_its_tables_keys_joins_and_neighbours() -> None:
    shop = Shop()
    shop.run()
    domain = DomainDocument.from_json(read(shop, "shop/sales/domain.json"))
    assert [entry.name for entry in domain.tables] == ["shop.sales.orders", "shop.sales.customer"]
    assert domain.tables[1].description == "Who buys."
    assert '"sales.orders" }o--o| "sales.customer" : "customer_id"' in domain.er_diagram
    assert domain.common_joins == [
        "SELECT *\nFROM sales.orders AS t0\nLEFT JOIN sales.customer AS t1 ON t0.customer_id = t1.id;"
    ]
    assert [(link.domain, link.keys) for link in domain.links] == [("billing", 1)]
    billing = RelationshipsDocument.from_json(read(shop, "shop/billing/relationships.json"))
    (key,) = billing.relationships
    assert (key.from_table, key.to_table, key.to_domain) == ("shop.billing.invoice", "shop.sales.orders", "sales")
    assert (key.nullable, key.source) == (True, "declared")
    page = read(shop, "shop/sales/README.md").decode()
    assert "[sales.customer](sales.customer.md)" in page
    assert "[billing](../billing/README.md)" in page


def test_the_overviews_lead_to_every_domain() -> None:
    shop = Shop()
    shop.run()
    catalog = OverviewDocument.from_json(read(shop, "overview.json"))
    assert (catalog.scope, catalog.databases, catalog.table_count) == ("catalog", ["shop"], 4)
    database = OverviewDocument.from_json(read(shop, "shop/overview.json"))
    assert [domain.domain for domain in database.domains] == ["audit", "billing", "sales"]
    assert "[sales](sales/README.md)" in read(shop, "shop/README.md").decode()
    assert "[sales](shop/sales/README.md)" in read(shop, "README.md").decode()


def test_every_link_of_every_page_leads_to_a_file() -> None:
    shop = Shop([*TABLES, table("sales.Odd Name (1)", references=[("order_id", "sales.orders")])])
    shop.run()
    contents = shop.contents(locations.DOCS)
    links = 0
    for key, data in contents.items():
        for target in re.findall(r"\]\(([^)]*)\)", data.decode()) if key.endswith(".md") else ():
            assert posixpath.normpath(posixpath.join(posixpath.dirname(key), unquote(target))) in contents, (
                key,
                target,
            )
            links += 1
    assert links > 40


def test_a_run_that_changes_nothing_writes_nothing() -> None:
    shop = Shop()
    first = shop.run()
    outline = shop.plan()
    shop.forget_writes()
    shop.clock.advance(3600)
    shop.document(outline)
    assert shop.finish(outline) == first
    assert (shop.store.written, shop.store.deleted) == ([], [])


def test_a_changed_table_rewrites_its_domain_and_no_other() -> None:
    shop = Shop()
    shop.run()
    shop.forget_writes()
    shop.replace(table("audit.change_log", column("op", "text"), comment="Who changed what."))
    shop.clock.advance(60)
    shop.run()
    docs = {key for key in shop.store.written if key.startswith(locations.DOCS)}
    assert docs == {
        "docs/shop/audit/audit.change_log.json",
        "docs/shop/audit/audit.change_log.md",
        "docs/shop/audit/domain.json",
        "docs/shop/audit/README.md",
        "docs/index.html",
        locations.MANIFEST_FILE,
    }


def test_files_that_stay_keep_the_time_at_which_they_were_made() -> None:
    shop = Shop()
    before = {file.path: file.modified_at for file in shop.run().indexable_files}
    shop.replace(table("audit.change_log", column("op", "text"), comment="Who changed what."))
    shop.clock.advance(60)
    after = {file.path: file.modified_at for file in shop.run().indexable_files}
    changed = {path for path in before if before[path] != after[path]}
    assert changed == {"shop/audit/audit.change_log.json", "shop/audit/domain.json"}


def test_a_domain_page_that_someone_edited_is_made_again() -> None:
    shop = Shop()
    shop.run()
    before = shop.contents(locations.DOCS)
    shop.memory.put("docs/shop/sales/README.md", b"mine")
    shop.memory.put("docs/shop/sales/relationships.json", b"{}")
    shop.memory.delete("docs/shop/README.md")
    shop.run()
    assert shop.contents(locations.DOCS) == before


# --- Carrying over --------------------------------------------------------------------------------------------------


def test_a_run_of_one_unit_keeps_the_others_in_the_manifest() -> None:
    shop = Shop()
    first = shop.run()
    outline = shop.plan(unit_ids=["shop_audit"])
    shop.document(outline)
    assert shop.finish(outline) == first


def test_the_first_run_of_one_unit_makes_a_manifest_of_that_unit() -> None:
    shop = Shop()
    outline = shop.plan(unit_ids=["shop_audit"])
    shop.document(outline)
    manifest = shop.finish(outline)
    assert tables_of(manifest) == {"audit.change_log"}
    other = shop.plan(unit_ids=["shop_sales"])
    shop.document(other)
    assert tables_of(shop.finish(other)) == {"audit.change_log", "sales.orders", "sales.customer"}


def test_a_table_that_fails_keeps_its_last_documentation() -> None:
    shop = Shop()
    shop.run()
    outline = shop.plan()
    reader = SamplingReader(TABLES, on_sample=failing("sales.orders", NO))
    shop.document(outline, reader=reader, options=replace(shop.options, force=True))
    manifest = shop.finish(outline)
    assert manifest is not None
    assert manifest.status == "partial"
    assert "sales.orders" in tables_of(manifest)
    unit = next(unit for unit in manifest.work_units if unit.id == "shop_sales")
    assert (unit.status, [error.code for error in unit.errors or []]) == ("partial", ["DOC_TABLE_EXTRACTION_FAILED"])
    assert manifest.databases[0].tables_failed == 1
    assert "sales.orders" in read(shop, "shop/sales/README.md").decode()


def test_a_failure_that_lasts_does_not_change_the_manifest() -> None:
    shop = Shop()
    reader = SamplingReader(TABLES, on_sample=failing("sales.orders", NO))
    shop.run(reader=reader)
    before = shop.contents(locations.MANIFEST_FILE)
    shop.clock.advance(60)
    shop.run(reader=reader)
    assert shop.contents(locations.MANIFEST_FILE) == before


def test_a_run_in_which_everything_fails_leaves_the_manifest_as_it_was() -> None:
    shop = Shop([TABLES[3]])
    outline = shop.plan()
    shop.document(outline, reader=SamplingReader(shop.tables, on_sample=failing("audit.change_log", NO)))
    assert shop.finish(outline) is None
    assert locations.MANIFEST_FILE not in shop.contents()
    progress = DocumenterProgress.from_json(shop.memory.get(locations.DOCUMENTER_PROGRESS_FILE).data)
    assert (progress.status, progress.stats.failed_tables) == ("failed", 1)


def test_a_failed_table_of_a_unit_that_is_not_run_is_still_counted() -> None:
    shop = Shop()
    shop.run(reader=SamplingReader(TABLES, on_sample=failing("sales.orders", NO)))
    outline = shop.plan(unit_ids=["shop_audit"])
    shop.document(outline)
    manifest = shop.finish(outline)
    assert manifest is not None
    assert manifest.databases[0].tables_failed == 1
    assert manifest.status == "partial"


def test_a_unit_that_is_not_done_appears_as_partial_with_a_recoverable_error() -> None:
    shop = Shop()
    outline = shop.plan()
    shop.document(outline, only=["shop_sales"])
    manifest = shop.finish(outline)
    assert manifest is not None
    assert manifest.status == "partial"
    states = {unit.id: (unit.status, [error.code for error in unit.errors or []]) for unit in manifest.work_units}
    assert states == {
        "shop_audit": ("partial", ["DOC_UNIT_PENDING"]),
        "shop_billing": ("partial", ["DOC_UNIT_PENDING"]),
        "shop_sales": ("completed", []),
    }
    assert all(error.recoverable for unit in manifest.work_units for error in unit.errors or [])


def test_a_unit_that_lacks_a_new_table_is_not_done() -> None:
    shop = Shop()
    shop.run()
    shop.replace(table("sales.new"))
    manifest = shop.finish(shop.plan())
    assert manifest is not None
    sales = next(unit for unit in manifest.work_units if unit.id == "shop_sales")
    assert (sales.status, [error.code for error in sales.errors or []]) == ("partial", ["DOC_UNIT_PENDING"])
    assert {"sales.orders", "sales.customer"} <= tables_of(manifest)


def with_unreachable(shop: Shop, outline: RunOutline, error: AgentError) -> RunOutline:
    """The outline of a run in which the database did not answer."""
    analysis = outline.databases[0].model_copy(
        update={"status": "unreachable", "connection_error": error, "domains": {}, "table_count": 0}
    )
    return outline.model_copy(update={"databases": [analysis], "unit_ids": []})


def test_a_database_that_is_down_keeps_its_documentation() -> None:
    shop = Shop()
    first = shop.run()
    down = agent_error("PLAN_DB_UNREACHABLE", "no answer", timestamp=shop.clock.published())
    manifest = shop.finish(with_unreachable(shop, shop.plan(), down))
    assert manifest is not None
    assert manifest.indexable_files == first.indexable_files
    assert manifest.status == "partial", "what it says may be old"


def test_another_database_of_the_same_store_is_kept() -> None:
    shop = Shop()
    shop.run()
    other = Shop([table("sales.customer")], name="other")
    other.memory, other.store = shop.memory, shop.store
    other._runs = shop._runs
    manifest = other.run()
    assert [database.name for database in manifest.databases] == ["other", "shop"]
    catalog = OverviewDocument.from_json(read(shop, "overview.json"))
    assert catalog.databases == ["other", "shop"]


# --- The lease, and files that cannot be used -----------------------------------------------------------------------


class LostLease(OurLease):
    def check(self) -> None:
        raise LeaseLost("another run took over")


def test_without_the_lease_nothing_is_published() -> None:
    shop = Shop()
    shop.run()
    shop.drop("audit.change_log")
    outline = shop.plan()
    shop.document(outline)
    before = shop.contents(locations.MANIFEST_FILE)
    with pytest.raises(LeaseLost):
        finish(outline, replace(shop.context(outline), lease=LostLease()))
    assert shop.contents(locations.MANIFEST_FILE) == before
    assert "docs/shop/audit/audit.change_log.json" in shop.contents(), "nothing is removed either"


def test_a_manifest_that_cannot_be_read_is_not_taken_for_missing() -> None:
    shop = Shop()
    shop.run()
    shop.memory.put(locations.MANIFEST_FILE, b"{}")
    with pytest.raises(ManifestError, match="cannot be read"):
        load_manifest(shop.store)


def test_a_carried_document_that_is_missing_leaves_the_manifest_and_is_reported() -> None:
    shop = Shop()
    shop.run()
    shop.memory.delete("docs/shop/sales/sales.orders.json")
    shop.replace(table("audit.change_log", column("op", "text"), column("more")))
    shop.replace(table("audit.another"))
    outline = shop.plan(unit_ids=["shop_audit"])
    shop.document(outline)
    manifest = shop.finish(outline)
    assert "sales.orders" not in tables_of(manifest)
    assert [note for note in shop.sink.notes if "sales.orders.json is missing" in note]


def test_a_large_domain_is_one_domain_over_all_its_units() -> None:
    shop = Shop([table(f"sales.t{number:02}") for number in range(7)])
    outline = shop.plan(per_unit=3)
    shop.document(outline)
    manifest = shop.finish(outline)
    assert manifest is not None
    assert len(manifest.work_units) == 3
    domains = [file.path for file in manifest.indexable_files if file.type == "domain"]
    assert domains == ["shop/sales/domain.json"]
    assert len(DomainDocument.from_json(read(shop, domains[0])).tables) == 7
    page = next(data.decode() for key, data in shop.contents("docs/").items() if key.endswith("t06.md"))
    assert page.startswith("[Catalog](../../../README.md) / [shop](../../README.md) / [sales](../README.md)")


def test_the_plan_of_a_run_can_be_finished_by_another_process() -> None:
    shop = Shop()
    outline = shop.plan()
    shop.document(outline)
    plan = DocumentationPlan.from_json(shop.memory.get(locations.PLAN_FILE).data)
    again = write_run_plan(plan, store=shop.store, run_id="elsewhere")
    assert tables_of(shop.finish(again)) == {"sales.orders", "sales.customer", "billing.invoice", "audit.change_log"}
