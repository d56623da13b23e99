"""Damage to what a store holds: it is noticed where it is read, told once, and counts as missing."""

from __future__ import annotations

from random import Random

import pytest

from tests.cases import each_case
from tests.fakes import MemoryStore
from tests.sample_shop.indexed import shop_tables, write_documentation
from tribal.errors import ManifestError, ObjectDamaged
from tribal.identity.locations import MANIFEST_FILE, unit_result_file
from tribal.store import (
    WatchedStore,
    documented_before,
    load_manifest,
    put_record,
    put_record_if_changed,
    read_record,
    require_record,
    sealed,
)
from tribal_contracts import DocumentationManifest, DomainDocument, DomainLink, TableResult, UnitItem, UnitResult

KEY = "progress/runs/1/item.json"
ITEM = UnitItem(unit_id="shop_sales", network="default")


def damages(data: bytes) -> list[bytes]:
    """Every single bit of the file flipped, and some other damages."""
    random = Random(len(data))
    flipped = [data[:n] + bytes([data[n] ^ (1 << bit)]) + data[n + 1 :] for n in range(len(data)) for bit in range(8)]
    return [*flipped, b"", data[: len(data) // 2], b"\0" * len(data), data + random.randbytes(9)]


def test_a_record_with_any_bit_flipped_is_missing() -> None:
    store = MemoryStore()
    put_record(store, KEY, ITEM)
    for damaged in damages(store.get(KEY).data):
        store.put(KEY, damaged)
        assert read_record(store, KEY, UnitItem) is None


def test_a_record_of_which_the_checksum_alone_is_damaged_is_rewritten() -> None:
    store = MemoryStore()
    put_record(store, KEY, ITEM)
    intact = store.get(KEY).data
    store.put(KEY, intact.replace(b'"checksum"', b'"checksun"'))
    assert read_record(store, KEY, UnitItem) is None
    assert put_record_if_changed(store, KEY, ITEM)
    assert store.get(KEY).data == intact
    assert not put_record_if_changed(store, KEY, ITEM)


def test_an_intact_record_of_another_place_is_damaged_here() -> None:
    store = MemoryStore()
    put_record(store, "progress/runs/2/item.json", ITEM)
    store.put(KEY, store.get("progress/runs/2/item.json").data)
    assert read_record(store, KEY, UnitItem) is None
    with pytest.raises(ObjectDamaged, match="its checksum is wrong") as raised:
        require_record(store, KEY, UnitItem)
    assert raised.value.code == "DOC_PLAN_INVALID"


def test_a_record_without_a_checksum_is_read_as_before() -> None:
    store = MemoryStore()
    store.put(KEY, ITEM.to_json())
    assert read_record(store, KEY, UnitItem) == ITEM


def test_a_document_without_a_checksum_is_never_taken_for_one_that_has_lost_it() -> None:
    links = [DomainLink(domain=name, keys=keys) for name, keys in (("crm", 5), ("stock", 3), ("billing", 2))]
    document = DomainDocument(
        schema_version="1.0",
        database="shop",
        database_type="postgres",
        domain="sales",
        title="Sales",
        description="",
        tables=[],
        er_diagram="",
        common_joins=[],
        links=[*links, DomainLink(domain="people", keys=2)],
    )
    store = MemoryStore()
    store.put(KEY, document.to_json())
    assert read_record(store, KEY, DomainDocument) == document


def test_damage_is_reported_once_and_a_missing_record_is_none() -> None:
    told: list[str] = []
    store = WatchedStore(MemoryStore(), told.append)
    assert read_record(store, KEY, UnitItem) is None
    assert told == []
    store.put(KEY, b"{")
    for _ in range(2):
        assert read_record(store, KEY, UnitItem) is None
    assert told == [f"{KEY} is damaged and will be rebuilt"]


def test_of_many_damaged_files_the_first_are_named() -> None:
    told: list[str] = []
    store = WatchedStore(MemoryStore(), told.append)
    for number in range(30):
        store.put(f"progress/{number}.json", b"")
        read_record(store, f"progress/{number}.json", UnitItem)
    assert len(told) == 21
    assert told[-1] == "more files are damaged; all of them will be rebuilt"


def results_of(manifest: DocumentationManifest) -> UnitResult:
    return UnitResult(
        schema_version="1.0",
        work_unit_id="shop_sales",
        database="shop",
        domain="sales",
        output_directory="shop/sales",
        status="completed",
        tables=[
            TableResult(name=f"shop.{file.schema_}.{file.table}", status="documented", files=[], indexable=file)
            for file in manifest.indexable_files
            if file.type == "table"
        ],
    )


@each_case("damage", [b"", b"{", b"[]", None])
def test_without_an_intact_manifest_the_results_of_the_units_tell_what_is_documented(damage: bytes | None) -> None:
    told: list[str] = []
    memory = MemoryStore()
    store = WatchedStore(memory, told.append)
    manifest = write_documentation(memory, shop_tables())
    put_record(store, unit_result_file("shop_sales"), results_of(manifest))
    assert documented_before(store) == manifest
    if damage is None:
        store.delete(MANIFEST_FILE)
    else:
        store.put(MANIFEST_FILE, damage)
    found = documented_before(store)
    assert found is not None
    tables = [file for file in manifest.indexable_files if file.type == "table"]
    assert found.indexable_files == sorted(tables, key=lambda file: file.path)
    assert (len(told) == 1) == (damage is not None)


def test_a_manifest_with_a_wrong_checksum_blocks_indexing_and_one_of_another_program_is_never_replaced() -> None:
    store = MemoryStore()
    manifest = write_documentation(store, shop_tables())
    intact = sealed(MANIFEST_FILE, manifest.to_json())
    store.put(MANIFEST_FILE, intact.replace(b'"complete"', b'"partial"', 1))
    with pytest.raises(ManifestError, match="its checksum is wrong"):
        load_manifest(store)
    newer = manifest.to_json().replace(b'"schema_version": "1.0"', b'"schema_version": "2.0"', 1)
    store.put(MANIFEST_FILE, sealed(MANIFEST_FILE, newer))
    with pytest.raises(ManifestError, match="use the program that wrote it"):
        documented_before(store)


def test_before_the_first_run_nothing_is_documented() -> None:
    assert documented_before(MemoryStore()) is None
