"""Indexing: what the manifest lists is in the index, nothing else, and nothing is done twice."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.index_entries import lexical
from tests.fakes import MemoryStore, RecordingSink
from tests.sample_shop.indexed import (
    NO_HASH,
    index_all,
    shop_tables,
    table_document,
    write_documentation,
    write_manifest,
)
from tests.sample_shop.indexing_runs import EVERYWHERE, LetterEmbedder, held, run
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.errors import ManifestError
from tribal.identity.hashing import bytes_hash, record_id
from tribal.identity.locations import DOCS, INDEXER_PROGRESS_FILE, MANIFEST_FILE
from tribal_contracts import IndexerProgress

pytestmark = pytest.mark.slow


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def index(tmp_path: Path) -> Iterator[SqliteIndex]:
    handle = SqliteIndex(tmp_path / "index.db")
    yield handle
    handle.close()


def test_every_document_becomes_its_records(store: MemoryStore, index: SqliteIndex) -> None:
    tables = shop_tables()
    manifest = write_documentation(store, tables)
    progress = index_all(store, index, LetterEmbedder())
    assert progress.status == "completed"
    assert progress.files_total == len(manifest.indexable_files)
    assert (progress.files_failed, progress.files_skipped) == (0, 1)
    assert progress.files_indexed == progress.files_total - 1
    assert [entry.table for entry in index.tables(EVERYWHERE)] == [
        table.table for table in sorted(tables, key=lambda table: (table.database, table.schema_, table.table))
    ]
    columns, keys = sum(len(table.columns) for table in tables), sum(len(table.foreign_keys) for table in tables)
    domains = len({(table.database, table.domain) for table in tables})
    metadata = index.metadata()
    assert metadata is not None
    assert metadata.document_count == len(tables) + columns + keys + domains
    assert metadata.embedding_count == progress.embeddings_generated == 2 * len(tables) + columns + domains
    assert metadata.manifest_hash == bytes_hash(store.get(MANIFEST_FILE).data)
    graph = index.key_graph()
    assert graph is not None
    assert len(graph.edges) == keys
    assert held(index, "letters") == {f.path: f.content_hash for f in manifest.indexable_files if f.type != "overview"}


def test_a_table_record_carries_its_document_and_names_its_page(store: MemoryStore, index: SqliteIndex) -> None:
    tables = shop_tables()
    write_documentation(store, tables)
    index_all(store, index)
    customer = record_id("table", "shop", "crm", "customer")
    domain = record_id("domain", "shop", "customers")
    records = index.records([customer, domain, record_id("column", "shop", "crm", "customer", "cust_id")])
    record = records[customer]
    assert record.structured == next(table for table in tables if table.name == "shop.crm.customer")
    assert record.file_path == "shop/customers/crm.customer.md"
    assert record.content_hash == bytes_hash(store.get(DOCS + "shop/customers/crm.customer.json").data)
    assert {"cust", "customer"} <= set(json.loads(record.keywords))
    assert records[domain].structured_domain is not None
    assert records[domain].file_path == "shop/customers/README.md"
    assert len(records) == 3


def test_a_second_run_writes_nothing_at_all(store: MemoryStore, index: SqliteIndex, tmp_path: Path) -> None:
    write_documentation(store, shop_tables())
    embedder = LetterEmbedder()
    first = index_all(store, index, embedder)
    before = {key: store.get(key).data for key in list(store.keys())}
    index.close()
    file = (tmp_path / "index.db").read_bytes()
    calls = embedder.calls
    assert index_all(store, index, embedder) == first
    index.close()
    assert {key: store.get(key).data for key in list(store.keys())} == before
    assert (tmp_path / "index.db").read_bytes() == file
    assert embedder.calls == calls


def test_only_what_has_changed_is_embedded_again(store: MemoryStore, index: SqliteIndex) -> None:
    tables = shop_tables()
    write_documentation(store, tables)
    index_all(store, index, LetterEmbedder())
    changed = [tables[0].model_copy(update={"row_count": 7}), *tables[1:-1]]
    write_documentation(store, changed)
    progress = index_all(store, index, LetterEmbedder())
    # The table with its columns, and the domains of both tables that changed or left: web/customers is gone whole.
    assert progress.embeddings_generated == 2 + len(tables[0].columns) + 1
    assert progress.status == "completed"
    assert progress.files_indexed == progress.files_total - 1
    assert "web.public.customer" not in {f"{e.database}.{e.schema}.{e.table}" for e in index.tables(EVERYWHERE)}
    assert "web/customers/domain.json" not in held(index, "letters")


def test_what_is_built_up_step_by_step_equals_what_is_built_at_once(
    store: MemoryStore, index: SqliteIndex, tmp_path: Path
) -> None:
    tables = shop_tables()
    write_documentation(store, tables[4:])
    index_all(store, index, LetterEmbedder())
    write_documentation(store, tables)
    index_all(store, index, LetterEmbedder())
    at_once = SqliteIndex(tmp_path / "other.db")
    index_all(store, at_once, LetterEmbedder())
    ids = [entry.record_id for entry in at_once.tables(EVERYWHERE)]
    assert index.records(ids) == at_once.records(ids)
    assert index.metadata() == at_once.metadata()
    assert index.key_graph() == at_once.key_graph()
    assert held(index, "letters") == held(at_once, "letters")
    assert lexical(index, ["custom"], "table", EVERYWHERE, 9) == lexical(at_once, ["custom"], "table", EVERYWHERE, 9)
    at_once.close()


def test_a_table_that_moves_to_another_domain_is_there_once(store: MemoryStore, index: SqliteIndex) -> None:
    tables = [table_document(f"shop.s.t{number}", "id", domain="a") for number in range(130)]
    write_documentation(store, tables)
    index_all(store, index)
    moved = [table.model_copy(update={"domain": "z"}) for table in tables]
    write_documentation(store, moved)
    index_all(store, index)
    assert {entry.domain for entry in index.tables(EVERYWHERE)} == {"z"}
    assert len(index.tables(EVERYWHERE)) == 130


def test_a_file_that_cannot_be_parsed_is_counted_and_the_others_go_on(store: MemoryStore, index: SqliteIndex) -> None:
    manifest = write_documentation(store, shop_tables())
    bad, mislabelled = manifest.indexable_files[0], manifest.indexable_files[1]
    broken, other = b'{"not": "a table"}', store.get(DOCS + manifest.indexable_files[2].path).data
    store.put(DOCS + bad.path, broken)
    store.put(DOCS + mislabelled.path, other)
    files = [
        bad.model_copy(update={"content_hash": bytes_hash(broken)}),
        mislabelled.model_copy(update={"content_hash": bytes_hash(other)}),
        *manifest.indexable_files[2:],
    ]
    write_manifest(store, files)
    progress = index_all(store, index)
    assert progress.status == "partial"
    assert progress.files_failed == 2
    assert [(error.code, (error.context or {})["path"]) for error in progress.errors] == [
        ("IDX_FILE_INVALID", path) for path in sorted((bad.path, mislabelled.path))
    ]
    assert len(index.tables(EVERYWHERE)) == len(shop_tables()) - 2
    assert index_all(store, index) == progress


def test_what_an_unreadable_file_said_before_leaves_the_index(store: MemoryStore, index: SqliteIndex) -> None:
    manifest = write_documentation(store, shop_tables())
    index_all(store, index)
    first = manifest.indexable_files[0]
    store.put(DOCS + first.path, b"{}")
    changed = first.model_copy(update={"content_hash": bytes_hash(b"{}")})
    write_manifest(store, [changed, *manifest.indexable_files[1:]])
    assert index_all(store, index).status == "partial"
    assert first.path not in held(index, "none")
    assert len(index.tables(EVERYWHERE)) == len(shop_tables()) - 1


def test_when_no_file_can_be_parsed_the_run_has_failed(store: MemoryStore, index: SqliteIndex) -> None:
    manifest = write_documentation(store, [table_document("shop.s.t", "id", domain="a")])
    store.put(DOCS + manifest.indexable_files[0].path, b"{}")
    write_manifest(store, [manifest.indexable_files[0].model_copy(update={"content_hash": bytes_hash(b"{}")})])
    assert index_all(store, index).status == "failed"


def spoil(store: MemoryStore, how: Callable[[dict[str, Any]], None]) -> None:
    content = json.loads(store.get(MANIFEST_FILE).data)
    how(content)
    store.put(MANIFEST_FILE, json.dumps(content).encode())


@pytest.mark.parametrize(
    ("how", "code"),
    [
        (lambda m: m.update(schema_version="2.0"), "MANIFEST_VERSION_MISMATCH"),
        (lambda m: m.update(status="running"), "MANIFEST_INCOMPLETE"),
        (lambda m: m.update(indexable_files=[]), "MANIFEST_INCOMPLETE"),
        (lambda m: m.pop("completed_at"), "IDX_MANIFEST_INVALID"),
        (lambda m: m["indexable_files"].append(m["indexable_files"][0]), "IDX_MANIFEST_INVALID"),
        (lambda m: m["indexable_files"][0].update(path="../../etc/passwd"), "IDX_MANIFEST_INVALID"),
        (lambda m: m["indexable_files"][0].update(path="not/there.json"), "MANIFEST_FILE_MISSING"),
        (lambda m: m["indexable_files"][-1].update(path="no-overview.json"), "MANIFEST_FILE_MISSING"),
        (lambda m: m["indexable_files"][0].update(content_hash=NO_HASH), "MANIFEST_HASH_MISMATCH"),
    ],
)
def test_a_wrong_manifest_blocks_before_anything_is_written(
    store: MemoryStore, index: SqliteIndex, how: Callable[[dict[str, Any]], None], code: str
) -> None:
    write_documentation(store, shop_tables())
    spoil(store, how)
    before = list(store.keys())
    with pytest.raises(ManifestError) as raised:
        index_all(store, index)
    assert raised.value.code == code
    assert held(index, "none") == {}
    assert list(store.keys()) == before


@pytest.mark.parametrize("data", [b"", b"[]", b"\xff", b'{"schema_version": "1.0"'])
def test_a_manifest_that_is_not_json_blocks(store: MemoryStore, index: SqliteIndex, data: bytes) -> None:
    store.put(MANIFEST_FILE, data)
    with pytest.raises(ManifestError, match="`tribal run` or `tribal document` rebuilds it"):
        index_all(store, index)


def test_without_a_manifest_there_is_nothing_to_index(store: MemoryStore, index: SqliteIndex) -> None:
    with pytest.raises(ManifestError) as raised:
        index_all(store, index)
    assert raised.value.code == "IDX_MANIFEST_NOT_FOUND"


class ReplacedMeanwhile(MemoryStore):
    """Someone publishes a newer manifest right after the first one was read."""

    def head(self, key: str) -> Any:
        write_documentation(self, shop_tables())
        return super().head(key)


def test_a_manifest_that_was_replaced_meanwhile_ends_quietly(index: SqliteIndex) -> None:
    store = ReplacedMeanwhile()
    MemoryStore.put(store, MANIFEST_FILE, b"{}")
    manifest = write_documentation(store, shop_tables())
    stale = manifest.indexable_files[0].model_copy(update={"content_hash": NO_HASH})
    write_manifest(store, [stale])
    progress = index_all(store, index)
    assert (progress.status, progress.files_indexed, progress.errors) == ("pending", 0, [])
    assert held(index, "none") == {}
    assert store.head(INDEXER_PROGRESS_FILE) is None


def test_an_embedder_that_fails_leaves_an_index_that_finds_by_words(store: MemoryStore, index: SqliteIndex) -> None:
    tables = [table_document(f"shop.s.t{number}", "id", domain="a") for number in range(150)]
    write_documentation(store, tables)
    progress = index_all(store, index, LetterEmbedder(fails_from=2))
    metadata = index.metadata()
    assert metadata is not None
    assert (metadata.embedding_model, metadata.embedding_count, metadata.embedding_dimensions) == ("none", 0, 0)
    assert progress.status == "completed"
    assert [(error.code, error.severity) for error in progress.errors] == [("IDX_EMBEDDING_FAILED", "warning")]
    assert progress.embeddings_generated == 0
    assert len(index.tables(EVERYWHERE)) == 150
    index_all(store, index, LetterEmbedder())
    after = index.metadata()
    assert after is not None
    assert after.embedding_model == "letters"
    assert after.embedding_count == 150 * 3 + 1


def test_another_model_rebuilds_the_index(store: MemoryStore, index: SqliteIndex) -> None:
    write_documentation(store, shop_tables())
    first = index_all(store, index, LetterEmbedder())
    second = index_all(store, index, LetterEmbedder("other letters"))
    assert second.embeddings_generated == first.embeddings_generated
    metadata = index.metadata()
    assert metadata is not None
    assert metadata.embedding_model == "other letters"


def test_force_builds_everything_again(store: MemoryStore, index: SqliteIndex) -> None:
    write_documentation(store, shop_tables())
    first = index_all(store, index, LetterEmbedder())
    assert index_all(store, index, LetterEmbedder(), force=True).embeddings_generated == first.embeddings_generated


def test_the_sink_hears_of_every_file(store: MemoryStore, index: SqliteIndex) -> None:
    manifest = write_documentation(store, shop_tables())
    sink = RecordingSink()
    run(store, index, sink=sink)
    assert sink.started == [("index", len(manifest.indexable_files))]
    assert {path for _, path, _ in sink.advanced} == {file.path for file in manifest.indexable_files}
    assert sink.outcomes("index") == {"indexed": len(manifest.indexable_files) - 1, "skipped": 1}
    assert len(sink.ended) == 1


def test_progress_ends_up_in_its_file(store: MemoryStore, index: SqliteIndex) -> None:
    write_documentation(store, shop_tables())
    progress = run(store, index)
    assert IndexerProgress.from_json(store.get(INDEXER_PROGRESS_FILE).data) == progress
    assert progress.completed_at is not None
    assert progress.current_file is None
