"""How long does it take to build and update an index, in SQLite and in OpenSearch?

`python -m bench.indexing [TABLES]`, by default 5,000 tables. From nothing, with one changed document, with all
changed. The store is a folder: in AWS a request to S3 takes some 15 ms more, and 16 run at once.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.harness import Bench, BenchmarkFailed, Row, Table, run
from tests.sample_shop.indexed import Key, table_document, write_documentation
from tribal.adapters.local.folder import FolderStore
from tribal.adapters.opensearch.client import opensearch_client
from tribal.adapters.opensearch.writer import OpenSearchIndexWriter
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.adapters.wordllama.embedder import WordLlamaEmbedder
from tribal.indexing import IndexingContext, IndexingRequest, index_documents
from tribal.jobs.clock import SystemClock
from tribal.ports import IndexWriter, StopToken
from tribal.runs.sinks import SilentSink
from tribal_contracts import TableDocument

INDEX = "tribal-bench"
"""Name of the benchmarks' index in a cluster."""
TABLES, _TABLES_PER_DOMAIN = 5_000, 25
_WORDS = "customer order invoice amount currency status created updated region owner price quantity note email".split()


def tables(bench: Bench) -> Iterator[Table]:
    """Measure both kinds of index."""
    size = int(bench.arguments[0]) if bench.arguments else TABLES
    cluster = OpenSearchIndexWriter(opensearch_client(bench.cluster), INDEX)
    writers: dict[str, IndexWriter] = {"SQLite": SqliteIndex(bench.folder / "index.db"), "OpenSearch": cluster}
    store = FolderStore(bench.folder / "store")
    rows: list[Row] = []
    old, new = ["An old word."] * size, ["A new word."] * size
    for change, comments in {"from nothing": old, "one changed": [*new[:1], *old[1:]], "all changed": new}.items():
        write_documentation(store, list(_documents(comments)))
        rows += [_update(kind, change, writer, store) for kind, writer in writers.items()]
    for writer in writers.values():
        writer.close()
    yield Table(f"indexing {size:,} tables", rows)


def build_in_cluster(folder: Path, address: str, name: str = INDEX) -> None:
    """Index all documents of a project in the cluster at an address, from nothing."""
    writer = OpenSearchIndexWriter(opensearch_client(address), name)
    index_with(writer, FolderStore(folder), force=True)
    writer.close()


def index_with(writer: IndexWriter, store: FolderStore, *, force: bool = False) -> None:
    """Index the documents in a store: all of them, or those that have changed.

    Raises:
        BenchmarkFailed: when a file was not indexed.
    """
    parts = store, writer, WordLlamaEmbedder(), SystemClock(None), SilentSink()
    progress = index_documents(IndexingContext(*parts, stop=StopToken()), IndexingRequest(force=force))
    if progress.status != "completed":
        raise BenchmarkFailed(f"indexing is {progress.status}: {progress.errors}")


def _documents(comments: Sequence[str]) -> Iterator[TableDocument]:
    """A table of 15 columns for each comment, with a key to the table before it."""
    for number, comment in enumerate(comments):
        word, previous = _WORDS[number % len(_WORDS)], _WORDS[(number - 1) % len(_WORDS)]
        key = Key((f"owner_{number % 7}",), f"s{(number - 1) % 20}.{previous}_{number - 1:05}", ("id",))
        yield table_document(
            f"shop.s{number % 20}.{word}_{number:05}",
            " ".join(["id", *(f"{word}_{number % 7}" for word in _WORDS)]),
            domain=f"d{number // _TABLES_PER_DOMAIN:03}",
            comment=comment,
            keys=[key] if number else [],
        )


def _update(kind: str, change: str, writer: IndexWriter, store: FolderStore) -> Row:
    start, cpu = time.perf_counter(), time.process_time()
    index_with(writer, store, force=change == "from nothing")
    return {
        "index": kind,
        "change": change,
        "seconds": time.perf_counter() - start,
        "CPU seconds": time.process_time() - cpu,
    }


if __name__ == "__main__":
    sys.exit(run("indexing", tables))
