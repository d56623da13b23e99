"""Lets memories be found."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from tribal.capabilities.memory.records import named_tables, space_of
from tribal.errors import EmbeddingFailed
from tribal.naming.tokens import index_terms
from tribal.ports.remembering.memory_index import IndexedMemory, MemoryIndex

if TYPE_CHECKING:
    from tribal.ports.index_reader import Embedder
    from tribal_contracts.memory import MemoryRecord


def index_all(records: Iterable[MemoryRecord], index: MemoryIndex, embedder: Callable[[], Embedder]) -> None:
    """Let memories be found; by words alone while the model of vectors cannot be used."""
    wanted = list(records)
    if not wanted:
        return
    try:
        vectors = list(embedder().embed([record.content for record in wanted]))
    except EmbeddingFailed:
        vectors = [None] * len(wanted)
    index.write(
        IndexedMemory(
            space_of(record),
            record,
            tuple(index_terms(" ".join([record.content, *record.tags]))),
            vector if vector is not None and vector.any() else None,
            named_tables(record),
        )
        for record, vector in zip(wanted, vectors, strict=True)
    )
