"""Runs of the indexer over a store in memory, with an embedder that counts letters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.fakes import FixedClock, MemoryStore, RecordingSink
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.errors import EmbeddingFailed
from tribal.indexing import IndexingContext, IndexingRequest, index_documents
from tribal.ports import IndexFilter, IndexWriter, StopToken
from tribal_contracts import IndexerProgress

EVERYWHERE = IndexFilter()


class LetterEmbedder:
    """Counts letters; fails from a given call on."""

    dimensions = 26
    near, takes_questions, sends_texts = 0.5, True, False

    def __init__(self, model: str = "letters", fails_from: int | None = None) -> None:
        self.model = model
        self.calls = 0
        self._fails_from = fails_from

    def embed(self, texts: Sequence[str]) -> np.ndarray[Any, Any]:
        self.calls += 1
        if self._fails_from is not None and self.calls >= self._fails_from:
            raise EmbeddingFailed("the model is away")
        letters = "abcdefghijklmnopqrstuvwxyz"
        counts = np.array([[text.lower().count(letter) + 0.01 for letter in letters] for text in texts], np.float32)
        normal: np.ndarray[Any, Any] = counts / np.linalg.norm(counts, axis=1, keepdims=True)
        return normal

    def may_embed(self, _database: str) -> bool:
        return True

    def knows(self, words: Sequence[str]) -> list[bool]:
        return [True for _ in words]


def stop_after(batches: int) -> StopToken:
    """Says from the batch after so many that it is time to stop."""
    asked = iter(range(1000))
    return StopToken(lambda: 0.0 if next(asked) >= batches else math.inf)


def held(index: IndexWriter, model: str) -> dict[str, str]:
    """The files of a generation that begins now with this model, or is resumed; it is abandoned."""
    started = index.begin(model, LetterEmbedder.dimensions)
    index.abandon()
    return started


def run(store: MemoryStore, index: SqliteIndex, **options: Any) -> IndexerProgress:
    """Index what the store holds; options are parts of the context and what is asked for."""
    parts: dict[str, Any] = {
        "embedder": LetterEmbedder(),
        "clock": FixedClock(),
        "sink": RecordingSink(),
        "stop": StopToken(),
    }
    parts |= {name: options.pop(name) for name in [*options] if name in parts}
    return index_documents(IndexingContext(store, index, **parts), IndexingRequest(**options))
