"""The index of memories in objects of the store, one a space: each search reads the spaces that it may look into.

For environments without a search domain. A search costs one look at each space, and more only where that has changed.
"""

from __future__ import annotations

import base64
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import ValidationError

from tribal.adapters.journal.space_journal import MOST_MEMORIES, Entry, SpaceJournal
from tribal.errors import MemoryStoreFailed, ObjectDamaged, StoreError
from tribal.ports.remembering.identity import Space
from tribal.ports.remembering.memory_index import FoundMemory, IndexedMemory
from tribal_contracts import MemoryRecord

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tribal.ports.storing import ObjectStore

FOLDER = "memory/index/"
_K1, _B = 1.2, 0.75
"""Of BM25, as Lucene has them."""


class JournalMemories:
    """The `MemoryIndex` of a bucket or folder; thread-safe, for any number of machines.

    Args:
        store: where the objects are.
        most: memories that a space may have.
    """

    def __init__(self, store: ObjectStore, *, most: int = MOST_MEMORIES) -> None:
        self._store = store
        self._journal = SpaceJournal(store, most=most)

    def write(self, memories: Iterable[IndexedMemory], removed: Iterable[tuple[Space, str]] = ()) -> None:
        """Add and replace memories, and remove others; one write a space."""
        changes: dict[Space, dict[str, Entry | None]] = {}
        for memory in memories:
            changes.setdefault(memory.space, {})[memory.record.memory_id] = _entry(memory)
        for space, name in removed:
            changes.setdefault(space, {})[name] = None
        with _told():
            for space, change in changes.items():
                self._journal.change(_key(space), change)

    def by_words(
        self, spaces: Sequence[Space], terms: Sequence[str], limit: int, tags: Sequence[str] = ()
    ) -> list[FoundMemory]:
        """Memories that share a term, by BM25 over these spaces alone."""
        wanted = [term for term in dict.fromkeys(terms) if term]
        all_entries = list(self._entries(spaces))
        counts = [Counter(_texts(entry, "terms")) for _, entry in all_entries]
        lengths = [sum(count.values()) for count in counts]
        mean = sum(lengths) / len(lengths) if any(lengths) else 1.0
        found_in = {term: sum(term in count for count in counts) for term in wanted}
        scored = []
        for (space, entry), count, length in zip(all_entries, counts, lengths, strict=True):
            score = 0.0
            for term in wanted:
                if times := count[term]:
                    rarity = math.log(1 + (len(counts) - found_in[term] + 0.5) / (found_in[term] + 0.5))
                    score += rarity * times * (_K1 + 1) / (times + _K1 * (1 - _B + _B * length / mean))
            if score > 0 and _has_tag(entry, tags):
                scored.append((score, space, entry))
        return _best(scored, limit)

    def by_vector(
        self, spaces: Sequence[Space], vector: NDArray[Any], limit: int, tags: Sequence[str] = ()
    ) -> list[FoundMemory]:
        """Memories by cosine; every one of the spaces is compared."""
        length = float(np.linalg.norm(vector))
        chosen = [
            (space, entry, read)
            for space, entry in self._entries(spaces)
            if _has_tag(entry, tags) and (read := _vector(entry)) is not None and len(read) == len(vector)
        ]
        if not chosen or length == 0:
            return []
        cosines = np.stack([read for _, _, read in chosen]) @ (np.asarray(vector, dtype=np.float32) / length)
        scores = np.clip(cosines, -1.0, 1.0).tolist()
        return _best([(score, space, entry) for score, (space, entry, _) in zip(scores, chosen, strict=True)], limit)

    def about_tables(self, spaces: Sequence[Space], tables: Sequence[str], limit: int) -> list[FoundMemory]:
        """Memories that are about one of the tables."""
        about = (
            (0.0, space, entry) for space, entry in self._entries(spaces) if {*tables} & {*_texts(entry, "tables")}
        )
        return _best(about, limit)

    def of_spaces(self, spaces: Sequence[Space], memory_ids: Sequence[str] | None = None) -> Iterator[FoundMemory]:
        """All memories, or those of these ids."""
        wanted = None if memory_ids is None else {*memory_ids}
        for space, entry in self._entries(spaces):
            found = _found(0.0, space, entry)
            if wanted is None or found.record.memory_id in wanted:
                yield found

    def count(self, space: Space) -> int:
        """How many memories a space has."""
        with _told():
            return len(self._journal.read(_key(space)))

    def clear(self, spaces: Sequence[Space] | None = None) -> None:
        """Throw the objects of all spaces away, or of some."""
        with _told():
            keys = list(self._store.keys(FOLDER)) if spaces is None else [_key(space) for space in spaces]
            for key in keys:
                self._store.delete(key)

    def close(self) -> None:
        """Nothing is open."""

    def _entries(self, spaces: Sequence[Space]) -> Iterator[tuple[Space, Entry]]:
        for space in dict.fromkeys(spaces):
            with _told():
                entries = self._journal.read(_key(space))
            yield from ((space, entry) for entry in entries.values())


def _key(space: Space) -> str:
    return f"{FOLDER}{space.name}.jsonl"


def _entry(memory: IndexedMemory) -> Entry:
    vector = None if memory.vector is None else np.asarray(memory.vector, dtype=np.float16)
    usable = vector is not None and bool(np.any(vector))
    return {
        "record": memory.record.model_dump(mode="json", by_alias=True),
        "terms": list(memory.terms),
        "tables": list(memory.tables),
        "vector": base64.b64encode(vector.tobytes()).decode() if vector is not None and usable else None,
    }


def _vector(entry: Entry) -> NDArray[Any] | None:
    text = entry.get("vector")
    if not isinstance(text, str):
        return None
    vector: NDArray[Any] = np.frombuffer(base64.b64decode(text), dtype=np.float16).astype(np.float32)
    vector /= np.linalg.norm(vector)
    return vector


def _texts(entry: Mapping[str, Any], name: str) -> list[str]:
    texts: list[str] = entry.get(name, [])
    return texts


def _has_tag(entry: Mapping[str, Any], tags: Sequence[str]) -> bool:
    own = {tag.casefold() for tag in entry.get("record", {}).get("tags", ())}
    return not tags or bool(own & {tag.casefold() for tag in tags})


def _best(scored: Iterable[tuple[float, Space, Entry]], limit: int) -> list[FoundMemory]:
    # Only what is returned is parsed: a space may have thousands.
    return [_found(*each) for each in sorted(scored, key=_order)[: max(limit, 0)]]


def _order(scored: tuple[float, Space, Mapping[str, Any]]) -> tuple[float, str, str]:
    score, space, entry = scored
    return -score, str(entry.get("record", {}).get("memoryId")), space.name


def _found(score: float, space: Space, entry: Mapping[str, Any]) -> FoundMemory:
    try:
        return FoundMemory(space, MemoryRecord.model_validate(entry["record"]), score)
    except (KeyError, ValidationError) as error:
        raise MemoryStoreFailed("the index of memories is damaged: build it anew") from error


@contextmanager
def _told() -> Iterator[None]:
    """Tells what a store raises as memory does."""
    try:
        yield
    except ObjectDamaged as error:
        raise MemoryStoreFailed(f"the index of memories is damaged: build it anew ({error.message})") from error
    except StoreError as error:
        raise MemoryStoreFailed(f"the store of memories did not answer: {error.message}; try again") from error
