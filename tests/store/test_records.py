"""Records on a store: read or none, required, and written only where they change."""

from __future__ import annotations

import json

import pytest

from tests.cases import each_case
from tests.fakes import MemoryStore
from tests.sample_shop.indexed import shop_tables, write_documentation
from tribal.errors import ManifestError, ObjectNotFound, StoreError
from tribal.identity.hashing import bytes_hash
from tribal.identity.locations import MANIFEST_FILE
from tribal.store import (
    load_manifest,
    put_if_changed,
    read_first_line,
    read_record,
    require_manifest,
    require_record,
)
from tribal_contracts import CatalogReading, UnitItem

KEY = "runs/1/item.json"
ITEM = UnitItem(unit_id="shop_sales", network="default")


class CountingStore(MemoryStore):
    puts = 0

    def put(self, key: str, data: bytes, *, if_match: str | None = None, if_absent: bool = False) -> str:
        self.puts += 1
        return super().put(key, data, if_match=if_match, if_absent=if_absent)


def test_a_record_is_read_as_it_was_written() -> None:
    store = MemoryStore()
    store.put(KEY, ITEM.to_json())
    assert read_record(store, KEY, UnitItem) == ITEM
    assert require_record(store, KEY, UnitItem) == ITEM


def test_bytes_whose_hash_is_known_need_no_checksum_and_may_look_as_if_they_had_lost_one() -> None:
    store = MemoryStore()
    data = ITEM.to_json().removesuffix(b"\n}\n") + b',\n  "checksum": "%s"\n}\n' % (b"g" * 64)
    store.put(KEY, data)
    assert read_record(store, KEY, UnitItem) is None
    assert read_record(store, KEY, UnitItem, bytes_hash(data)) == ITEM
    assert read_record(store, KEY, UnitItem, bytes_hash(data + b" ")) is None


@each_case("data", [None, b"", b"{", b"[]", b"{}", b"\xff"])
def test_a_record_that_is_missing_or_broken_is_none(data: bytes | None) -> None:
    store = MemoryStore()
    if data is not None:
        store.put(KEY, data)
    assert read_record(store, KEY, UnitItem) is None
    assert read_first_line(store, KEY, UnitItem) is None


def test_the_first_line_of_many_is_read_without_the_others() -> None:
    store = MemoryStore()
    store.put_lines(KEY, [ITEM.to_compact_json(), b"not JSON"])
    assert read_first_line(store, KEY, UnitItem) == ITEM


def test_a_required_record_that_is_missing_is_not_found() -> None:
    with pytest.raises(ObjectNotFound):
        require_record(MemoryStore(), KEY, UnitItem)


def test_a_required_record_that_is_broken_is_reported_without_its_values() -> None:
    store = MemoryStore()
    store.put(KEY, b'{"database": {"of": "hunter2"}}')
    with pytest.raises(StoreError, match=r"cannot be read at .*; plan again") as raised:
        require_record(store, KEY, CatalogReading)
    assert raised.value.code == "DOC_PLAN_INVALID"
    assert "hunter2" not in raised.value.message


def test_an_object_is_written_only_where_its_bytes_change() -> None:
    store = CountingStore()
    assert [put_if_changed(store, KEY, data) for data in (b"one", b"one", b"two")] == [True, False, True]
    assert store.puts == 2
    assert store.get(KEY).data == b"two"


def test_before_the_first_run_there_is_no_manifest() -> None:
    assert load_manifest(MemoryStore()) is None
    with pytest.raises(ManifestError, match="start with `tribal run`") as raised:
        require_manifest(MemoryStore())
    assert raised.value.code == "IDX_MANIFEST_NOT_FOUND"


def test_a_manifest_comes_with_the_hash_of_its_bytes() -> None:
    store = MemoryStore()
    written = write_documentation(store, shop_tables())
    found, info = require_manifest(store), store.head(MANIFEST_FILE)
    assert info is not None
    assert (found.manifest, found.content_hash) == (written, info.content_hash)
    assert load_manifest(store) == found


@each_case(
    ("change", "code", "hint"),
    [
        ({"schema_version": "2.0"}, "MANIFEST_VERSION_MISMATCH", "use the program that wrote it"),
        ({"status": "running"}, "MANIFEST_INCOMPLETE", "wait until documenting has finished"),
        ({"completed_at": None}, "IDX_MANIFEST_INVALID", "`tribal run` or `tribal document` rebuilds it"),
    ],
)
def test_a_manifest_that_cannot_be_read_is_never_taken_for_missing(
    change: dict[str, object], code: str, hint: str
) -> None:
    store = MemoryStore()
    write_documentation(store, shop_tables())
    store.put(MANIFEST_FILE, json.dumps(json.loads(store.get(MANIFEST_FILE).data) | change).encode())
    with pytest.raises(ManifestError, match=hint) as raised:
        load_manifest(store)
    assert raised.value.code == code
