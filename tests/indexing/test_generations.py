"""Anyone who searches while the index is built sees the old one or the new one, whole, and never a refusal."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conformance.index_entries import lexical, nearest
from tests.fakes import FixedClock, MemoryStore, RecordingSink, application_over
from tests.sample_shop.indexed import Key, table_document, write_documentation
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.errors import RunInterrupted
from tribal.indexing import IndexingContext, IndexingRequest, index_documents
from tribal.ports import Caller, IndexFilter, IndexReader, IndexWriter, StopToken
from tribal.tools.call import call_tool

WORDS = "alpha beta gamma delta".split()
READER = """
import json, sys
from pathlib import Path
from tests.indexing.test_generations import seen
from tribal.adapters.sqlite.index import SqliteIndex
index, stop = SqliteIndex(Path(sys.argv[1])), Path(sys.argv[2])
found, reads = set(), 0
while not stop.exists() or not reads:
    found.add(seen(index))
    reads += 1
    if reads == 1:
        print("reading", flush=True)
print(json.dumps([reads, sorted(found)]), flush=True)
"""


class WordEmbedder:
    """One dimension a word."""

    model, dimensions = "words", len(WORDS)
    near, takes_questions, sends_texts = 0.5, True, False

    def embed(self, texts: Any) -> np.ndarray[Any, Any]:
        counts = np.array([[text.count(word) + 0.01 for word in WORDS] for text in texts], np.float32)
        normal: np.ndarray[Any, Any] = counts / np.linalg.norm(counts, axis=1, keepdims=True)
        return normal

    def may_embed(self, _database: str) -> bool:
        return True

    def knows(self, words: Sequence[str]) -> list[bool]:
        return [True for _ in words]


def documented(word: str, count: int) -> MemoryStore:
    """A documentation in which everything says one word and is in another number."""
    store = MemoryStore()
    first = Key(("up",), "s.t000", ("id",))
    tables = [
        table_document(f"shop.s.t{n:03}", f"id {word} up", domain="d", keys=[first][: n and 1], comment=f"A {word}.")
        for n in range(count)
    ]
    write_documentation(store, tables)
    return store


def build(store: MemoryStore, index: IndexWriter, **options: Any) -> None:
    parts: dict[str, Any] = {"embedder": WordEmbedder(), "sink": RecordingSink(), "stop": StopToken()}
    parts |= {name: options.pop(name) for name in [*options] if name in parts}
    index_documents(IndexingContext(store, index, clock=FixedClock(), **parts), IndexingRequest(**options))


def seen(index: IndexReader) -> str:
    """Everything that can be asked, in one breath."""
    everywhere, query = IndexFilter(), WordEmbedder().embed(["alpha"])[0]
    with index.reading():
        metadata, graph, tables = index.metadata(), index.key_graph(), index.tables(everywhere)
        records = index.records([table.record_id for table in tables])
        answers = {
            "tables": len(tables),
            "records": len(records),
            "documents": None if metadata is None else metadata.document_count,
            "manifest": None if metadata is None else metadata.manifest_hash,
            "keys": None if graph is None else (len(graph.edges), graph.manifest_hash),
            "said": sorted({record.summary for record in records.values()}),
            "words": index.term_counts(WORDS, "column", everywhere),
            "lexical": len(lexical(index, WORDS, "table", everywhere, 1_000)),
            "near": sorted({hit.score for hit in nearest(index, query, "column", everywhere, 1_000)}),
            "domains": len(index.domain_records(everywhere)),
        }
    return json.dumps(answers, sort_keys=True)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "tribal-knowledge.db"


@pytest.fixture
def index(path: Path) -> Iterator[SqliteIndex]:
    handle = SqliteIndex(path)
    yield handle
    handle.close()


def snapshots(path: Path, *stores: MemoryStore) -> list[str]:
    """What an index of each documentation says when nothing else goes on."""
    found = []
    for number, store in enumerate(stores):
        alone = SqliteIndex(path.with_name(f"alone-{number}.db"))
        build(store, alone)
        found.append(seen(alone))
        alone.close()
    assert len(set(found)) == len(stores)
    return found


@pytest.mark.slow
def test_readers_that_never_pause_see_one_generation_or_the_other(index: SqliteIndex, path: Path) -> None:
    few, many = documented("alpha", 110), documented("beta", 130)
    expected = snapshots(path, few, many)
    build(few, index)
    stop = path.with_name("stop")
    process = subprocess.Popen(
        [sys.executable, "-c", READER, str(path), str(stop)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "reading\n"
    other, done = SqliteIndex(path), threading.Event()
    found: list[set[str]] = [set(), set()]
    app = application_over(other, WordEmbedder())
    totals: set[tuple[bool, int]] = set()

    def read(into: set[str]) -> None:
        while not done.is_set():
            into.add(seen(other))
            answer: Any = call_tool("search_tables", {"query": "alpha beta"}, Caller("test"), app)
            totals.add((answer.success, answer.total_matches))

    threads = [threading.Thread(target=read, args=(into,)) for into in found]
    for thread in threads:
        thread.start()
    try:
        for store, options in ((many, {}), (few, {"force": True}), (many, {})):
            build(store, index, **options)
    finally:
        done.set()
        stop.touch()
        for thread in threads:
            thread.join()
        output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    reads, seen_there = json.loads(output)
    assert reads > 1
    for seen_by in (set(seen_there), *found):
        assert seen_by <= set(expected)
        assert seen_by
    assert totals <= {(True, 110), (True, 130)}
    assert seen(other) == expected[1]
    other.close()


def stop_after(batches: int) -> StopToken:
    asked = iter(range(1_000))
    return StopToken(lambda: 0.0 if next(asked) >= batches else math.inf)


@pytest.mark.parametrize("force", [False, True])
def test_a_run_that_is_stopped_leaves_the_old_index_to_readers_and_its_work_to_the_next_run(
    index: SqliteIndex, path: Path, force: bool
) -> None:
    few, many = documented("alpha", 10), documented("beta", 250)
    old, new = snapshots(path, few, many)
    build(few, index)
    with pytest.raises(RunInterrupted):
        build(many, index, force=force, stop=stop_after(2))
    assert seen(index) == old
    index.close()
    held = index.begin(WordEmbedder.model, WordEmbedder.dimensions)
    index.close()
    assert sum(name.endswith(".json") for name in held) >= 200
    sink = RecordingSink()
    build(many, index, sink=sink)
    assert seen(index) == new


def test_what_a_stopped_run_left_goes_when_its_manifest_is_taken_back(index: SqliteIndex, path: Path) -> None:
    few, many = documented("alpha", 10), documented("beta", 150)
    build(few, index)
    with pytest.raises(RunInterrupted):
        build(many, index, stop=stop_after(1))
    assert len(list(path.parent.iterdir())) > 1
    build(few, index)
    assert sorted(file.name for file in path.parent.iterdir()) == [path.name, f"{path.name}-sum"]


def test_what_other_models_left_unfinished_is_never_mixed_in(index: SqliteIndex, path: Path) -> None:
    store = documented("alpha", 150)
    (expected,) = snapshots(path, store)
    with pytest.raises(RunInterrupted):
        build(store, index, embedder=None, stop=stop_after(1))
    build(store, index)
    assert seen(index) == expected


def test_a_reader_continues_with_a_file_that_has_been_replaced(index: SqliteIndex, path: Path) -> None:
    few, many = documented("alpha", 10), documented("beta", 20)
    old, new = snapshots(path, few, many)
    build(few, index)
    other = SqliteIndex(path)
    with other.reading():
        assert other.metadata() is not None
        build(many, index)
        assert seen(other) == old
    assert seen(other) == new
    other.close()
