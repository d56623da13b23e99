"""Likely keys in documents: at both ends, always marked, and never among declared keys."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from tests.fakes.catalogs import column, table
from tests.sample_shop.documented import Shop
from tribal.identity import locations
from tribal.joins.outline import outline_of
from tribal.key_inference import KeyPair, Overlap, infer_keys
from tribal.planning.units.slices import DatabaseTables, inferred_keys_hash, neighbours_of
from tribal.planning.units.work_units import Chunk
from tribal.store import iterate_snapshot, require_record
from tribal_contracts import (
    CatalogReading,
    CatalogSlice,
    CatalogTable,
    DomainDocument,
    InferredKey,
    InferredKeys,
    KeyEvidence,
    KeyEvidenceKind,
    RelationshipsDocument,
)

CUSTOMER = table("sales.customer", column("email", "text"))
ORDERS = table("sales.orders", column("customer_id"))
INVOICE = table("billing.invoice", column("net_cents", "bigint"), references=[("order_id", "sales.orders")])
DECLARED = table("sales.orders", references=[("customer_id", "sales.customer")])
NAMES = ("shop.sales.orders", "shop.sales.customer")


def shop(*tables: CatalogTable) -> Shop:
    return Shop(tables or (CUSTOMER, ORDERS, INVOICE))


def ends(keys: Sequence[InferredKey]) -> list[tuple[str, str]]:
    return [(key.from_table, key.to_table) for key in keys]


def test_both_ends_of_a_likely_key_show_it_and_no_declared_key_counts_it() -> None:
    made = shop()
    made.run()
    child, parent = made.document_of("sales.orders"), made.document_of("sales.customer")
    assert ends(child.inferred_keys) == ends(parent.inferred_keys) == [NAMES]
    assert child.inferred_keys[0].path.endswith("/sales.customer.md")
    assert parent.inferred_keys[0].path.endswith("/sales.orders.md")
    assert (child.foreign_keys, parent.relations) == ([], [])
    assert [relation.name for relation in child.relations] == ["shop.billing.invoice"]
    assert not any(each.is_foreign_key for each in child.columns)
    assert "customer" not in " ".join([child.description.text, *(each.description.text for each in child.columns)])


def test_the_pages_give_likely_keys_a_section_of_their_own_with_what_they_rest_on() -> None:
    made = shop()
    made.run()
    child, parent = made.page_of("sales.orders"), made.page_of("sales.customer")
    assert "## Likely keys (not declared)\n\n- `customer_id` likely references `id` of [sales.customer](" in child
    assert "sales.orders](sales.orders.md) likely references `id` here: named after it (" in parent
    assert '}o..o| "sales.customer" : "likely customer_id"' in child
    assert "FK" not in child.partition("## Relationships")[0]
    assert "Likely keys" not in made.page_of("billing.invoice")


def test_a_domains_files_keep_likely_keys_apart_from_declared_ones() -> None:
    made = shop()
    made.run()
    sales = made.contents("docs/shop/sales/")
    keys = RelationshipsDocument.from_json(sales["docs/shop/sales/relationships.json"])
    domain = DomainDocument.from_json(sales["docs/shop/sales/domain.json"])
    assert (keys.relationships, ends(keys.inferred_keys)) == ([], [NAMES])
    assert [(link.domain, link.keys) for link in domain.links] == [("billing", 1)]
    assert '"sales.orders" }o..o| "sales.customer" : "likely customer_id"' in domain.er_diagram
    assert domain.common_joins == []


def test_a_slice_holds_the_likely_keys_of_its_tables_and_their_neighbours() -> None:
    visits = table("audit.visits", column("customer_id"), references=[("order_id", "sales.orders")])
    made = shop(CUSTOMER, ORDERS, visits)
    outline = made.plan()
    parts = {}
    for unit_id in outline.unit_ids:
        key = made.unit(outline, unit_id).slice_file or ""
        parts[unit_id] = require_record(made.store, key, CatalogSlice, locations.slice_hash(key))
    assert ends(parts["shop_audit"].inferred_keys) == [("shop.audit.visits", "shop.sales.customer")]
    assert list(parts["shop_audit"].neighbours) == sorted(NAMES)
    assert len(parts["shop_sales"].inferred_keys) == 2
    assert list(parts["shop_sales"].neighbours) == ["shop.audit.visits", *sorted(NAMES)]


def test_only_keys_that_are_likely_reach_the_plan() -> None:
    guessed = [table("sales.badge", column("door_code", "text")), table("sales.gate", column("door_code", "text"))]
    assert infer_keys([outline_of(each, "shop") for each in guessed])
    made = shop(*guessed)
    made.run()
    assert made.document_of("sales.gate").inferred_keys == []


def _hashes(made: Shop) -> tuple[str, dict[str, tuple[str, str | None]]]:
    outline = made.plan()
    reading = require_record(made.store, locations.latest_reading_file("shop"), CatalogReading)
    specs = [spec for unit_id in outline.unit_ids for spec in made.unit(outline, unit_id).tables]
    hashes = {spec.fully_qualified_name: (spec.metadata_hash, spec.inferred_keys_hash) for spec in specs}
    return reading.schema_hash, hashes


def test_likely_keys_are_no_part_of_what_the_catalog_declares() -> None:
    made = shop()
    schema_hash, hashes = _hashes(made)
    made.replace(table("audit.customer_notes", column("note", "text")))
    made.drop("sales.customer")
    other_schema, others = _hashes(made)
    assert schema_hash != other_schema
    assert hashes[NAMES[0]][0] == others[NAMES[0]][0]
    assert hashes[NAMES[0]][1] is not None
    assert others[NAMES[0]][1] is None


def test_figures_are_no_part_of_the_hash_of_likely_keys() -> None:
    made = shop()
    made.plan()
    reading = require_record(made.store, locations.latest_reading_file("shop"), CatalogReading)
    snapshot, tables = iterate_snapshot(made.store, reading)
    (key,) = require_record(made.store, locations.inferred_keys_file("shop"), InferredKeys).keys
    every = list(tables)

    def hashed(found: int, kind: KeyEvidenceKind = "values") -> str | None:
        values = KeyEvidence(kind=kind, of="shop.sales.customer.id", compared=10, found=found)
        counted = key.model_copy(update={"confidence": found / 10, "evidence": [*key.evidence, values]})
        database = DatabaseTables.of(snapshot, every, [counted])
        neighbours = neighbours_of(database, defaultdict(lambda: Chunk("shop", "d", None, ())))
        return inferred_keys_hash(NAMES[0], database, neighbours)

    assert hashed(9) == hashed(10)
    assert hashed(9) != hashed(9, "view")


def test_a_likely_key_that_goes_documents_both_tables_again_and_new_figures_do_not() -> None:
    made = shop()

    def pages_after(found: int) -> set[str]:
        made.compared = {KeyPair(NAMES[0], ("customer_id",), NAMES[1], ("id",)): Overlap(1000, found, unique=True)}
        made.clock.advance(8 * 86_400)
        made.forget_writes()
        made.run()
        return {key.rpartition("/")[2] for key in made.store.written if key.endswith(".md")} - {"README.md"}

    tables = {"sales.orders.md", "sales.customer.md"}
    assert tables <= pages_after(1000)
    assert "1,000 of 1,000 sampled values are found there" in made.page_of("sales.orders")
    assert pages_after(999) == set()
    assert pages_after(0) == tables
    assert "Likely keys" not in made.page_of("sales.orders") + made.page_of("sales.customer")


def test_a_key_that_is_declared_later_is_no_longer_called_likely() -> None:
    made = shop()
    made.run()
    made.replace(DECLARED)
    made.run()
    assert made.document_of("sales.customer").inferred_keys == []
    assert [key.references_table for key in made.document_of("sales.orders").foreign_keys] == ["shop.sales.customer"]
