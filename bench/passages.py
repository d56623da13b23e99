"""How fast are collections of 100,000 passages built, opened and searched, and how much memory does that take?

`python -m bench.passages [PASSAGES] [DIMENSIONS]`, by default 100,000 of 256 and of 768 dimensions. Vectors are made by
chance, and so are texts of 150 made-up words, the n-th of which is as frequent as 1/(n + 50): like words that are no
stop words. A generation is published in a folder and read by another process, as by a new instance of a function.
"""

from __future__ import annotations

import base64
import json
import os
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.harness import Bench, Row, Table, measure, memory_mb, percentile, run
from tribal.adapters.local.folder import FolderStore
from tribal.adapters.sqlite.passages.published import PublishedPassages
from tribal.naming import content_words, query_terms
from tribal_contracts.chat.collections import EmbeddingRecord, StoredPassage

if TYPE_CHECKING:
    from numpy.typing import NDArray

PASSAGES, DIMENSIONS = 100_000, (256, 768)
_FILES, _PAGE = 50, 3
_VOCABULARY, _WORDS = 50_000, 150
_QUESTIONS, _QUESTION_WORDS, _FOUND = 300, 8, 5
_SEED = 53


def tables(bench: Bench) -> Iterator[Table]:
    """Measure each number of dimensions, or what the arguments ask for."""
    passages = int(bench.arguments[0]) if bench.arguments else PASSAGES
    widths = [int(bench.arguments[1])] if len(bench.arguments) > 1 else DIMENSIONS
    yield Table(f"{passages:,} passages", [_measured(bench, passages, width) for width in widths])


def _measured(bench: Bench, passages: int, dimensions: int) -> Row:
    folder = bench.new_folder(f"passages-{dimensions}")
    command = [sys.executable, "-m", "bench.passages"]
    built = measure([*command, "build", folder, str(passages), str(dimensions)], folder=Path())
    read = measure([*command, "read", folder], folder=Path())
    (file,) = (folder / "store").rglob("*.db")
    return {
        "dimensions": dimensions,
        "build s": built.seconds,
        "build CPU s": built.cpu_seconds,
        "build peak MB": built.peak_mb,
        "file MB": file.stat().st_size / 1e6,
        **json.loads(read.output),
    }


def _build(folder: Path, passages: int, dimensions: int) -> None:
    indexes = PublishedPassages(FolderStore(folder / "store"), folder / "builder")
    indexes.publish("bench", _passages(passages, dimensions), EmbeddingRecord(model="bench", dimensions=dimensions))


def _passages(count: int, dimensions: int) -> Iterator[tuple[str, StoredPassage]]:
    chance = np.random.default_rng(_SEED)
    for number in range(count):
        file, place = divmod(number * _FILES, count)
        vector = chance.standard_normal(dimensions)
        yield (
            f"{file:064x}",
            StoredPassage(
                number=number,
                text=_text(chance, _WORDS),
                source_filename=f"manual-{file}.pdf",
                page_number=1 + place // (_PAGE * _FILES),
                course_id="bench",
                vector=base64.b64encode((vector / np.linalg.norm(vector)).astype("<f4").tobytes()).decode(),
            ),
        )


def _text(chance: np.random.Generator, words: int) -> str:
    """Words by chance, a few of them much more frequent than others."""
    vocabulary, cumulated = _vocabulary()
    return " ".join(vocabulary[place] for place in np.searchsorted(cumulated, chance.random(words)))


@cache
def _vocabulary() -> tuple[Sequence[str], NDArray[Any]]:
    chance = random.Random(_SEED)
    syllables = [one + two for one in "bdfgklmnprstvz" for two in "aeiou"]
    words = ["".join(chance.choices(syllables, k=chance.randint(2, 4))) for _ in range(_VOCABULARY)]
    weights = 1 / np.arange(51, _VOCABULARY + 51)
    return words, np.cumsum(weights / weights.sum())


def _read(folder: Path) -> None:
    """Print what a new process needs to answer, as JSON."""
    chance = np.random.default_rng(_SEED + 1)
    questions = [query_terms(content_words(_text(chance, _QUESTION_WORDS))) for _ in range(_QUESTIONS)]
    before = memory_mb(os.getpid())
    start = time.perf_counter()
    index = PublishedPassages(FolderStore(folder / "store"), folder / "reader").current("bench")
    assert index is not None
    opened = time.perf_counter()
    sources, dimensions = index.pointer.sources, index.pointer.embedding.dimensions
    vectors = chance.standard_normal((_QUESTIONS, dimensions)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    index.nearest(vectors[0], sources, _FOUND)
    first = time.perf_counter()
    nearest, some, containing = [], [], []
    began = time.process_time()
    for vector, terms in zip(vectors, questions, strict=True):
        nearest.append(_milliseconds(partial(index.nearest, vector, sources, _FOUND)))
        some.append(_milliseconds(partial(index.nearest, vector, sources[: _FILES // 2], _FOUND)))
        containing.append(_milliseconds(partial(index.containing, terms, sources, _FOUND)))
    row: Row = {
        "fetch and open s": opened - start,
        "first question s": first - opened,
        "nearest p50 ms": percentile(nearest, 0.5),
        "nearest p95 ms": percentile(nearest, 0.95),
        "nearest of half p95 ms": percentile(some, 0.95),
        "words p50 ms": percentile(containing, 0.5),
        "words p95 ms": percentile(containing, 0.95),
        "CPU ms a question": 1000 * (time.process_time() - began) / (3 * _QUESTIONS),
        "memory MB": memory_mb(os.getpid()) - before,
    }
    print(json.dumps(row))


def _milliseconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - start)


if __name__ == "__main__":
    if sys.argv[1:2] == ["build"]:
        _build(Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
    elif sys.argv[1:2] == ["read"]:
        _read(Path(sys.argv[2]))
    else:
        sys.exit(run("passages", tables))
