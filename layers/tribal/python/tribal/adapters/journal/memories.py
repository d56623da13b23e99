"""The index of memories in objects of the store, one per space; a search reads the objects of its spaces.

For environments without a search domain. A search sends one request per space, and more only if the space has changed.
"""

from __future__ import annotations

import base64
import heapq
import math
import threading
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import ValidationError

from tribal.adapters.journal.space_journal import MOST_MEMORIES, Entries, Entry, SpaceJournal
from tribal.errors import MemoryStoreFailed, ObjectDamaged, StoreError
from tribal.ports.remembering.identity import Space
from tribal.ports.remembering.memory_index import FoundMemory, IndexedMemory
from tribal.ports.remembering.selection import MemorySelection, places_of
from tribal_contracts.memory import MemoryRecord

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tribal.ports.object_store import ObjectStore

FOLDER = "memory/index/"
_K1, _B = 1.2, 0.75
"""BM25 parameters with Lucene's defaults."""
_SPACES_KEPT = 32
"""Spaces that a process caches; a full one takes about 20 MB. By judgement."""


@dataclass(frozen=True, slots=True)
class _Space:
    """A space prepared for search; computed once per change."""

    space: Space
    entries: Entries
    listed: Sequence[Entry]
    counts: Sequence[Counter[str]]
    lengths: Sequence[int]
    vectors: NDArray[Any]
    """N x D float32, L2-normalised; a row of zeros where a memory has none of this length."""
    with_vector: Sequence[bool]

    @classmethod
    def of(cls, space: Space, entries: Entries) -> _Space:
        """Prepare a space."""
        listed = list(entries.values())
        counts = [Counter(_texts(entry, "terms")) for entry in listed]
        read = [_vector(entry) for entry in listed]
        dimensions = max(map(len, read), default=0)
        vectors = np.zeros((len(read), dimensions), dtype=np.float32)
        for number, vector in enumerate(read):
            if dimensions and len(vector) == dimensions:
                vectors[number] = vector / np.linalg.norm(vector)
        with_vector = [bool(dimensions) and len(vector) == dimensions for vector in read]
        return cls(space, entries, listed, counts, [count.total() for count in counts], vectors, with_vector)


class JournalMemories:
    """The `MemoryIndex` of a bucket or folder; thread-safe, for any number of machines.

    Args:
        store: where the objects are.
        most: memories that a space may have.
    """

    def __init__(self, store: ObjectStore, *, most: int = MOST_MEMORIES) -> None:
        self._store = store
        self._journal = SpaceJournal(store, most=most)
        self._lock = threading.Lock()
        self._kept: OrderedDict[Space, _Space] = OrderedDict()

    def write(self, memories: Iterable[IndexedMemory], removed: Iterable[tuple[Space, str]] = ()) -> None:
        """Add and replace memories, and remove others; one write a space."""
        changes: dict[Space, dict[str, Entry | None]] = {}
        for memory in memories:
            changes.setdefault(memory.space, {})[memory.record.memory_id] = _entry(memory)
        for space, name in removed:
            changes.setdefault(space, {})[name] = None
        with _translate_errors():
            for space, change in changes.items():
                self._journal.change(_key(space), change)

    def by_words(self, wanted: MemorySelection, terms: Sequence[str], limit: int) -> list[FoundMemory]:
        """Memories that share a term, by BM25 over those that the search may look at, whatever their tags."""
        asked = [term for term in dict.fromkeys(terms) if term]
        untagged = replace(wanted, tags=())
        read = [(each, _seen(each.space, each.listed, untagged)) for each in self._spaces(wanted.spaces)]
        seen = [(each, number) for each, numbers in read for number in numbers]
        mean = sum(each.lengths[number] for each, number in seen) / max(len(seen), 1) or 1.0
        found_in = Counter(term for each, number in seen for term in asked if term in each.counts[number])
        rarity = {term: math.log(1 + (len(seen) - times + 0.5) / (times + 0.5)) for term, times in found_in.items()}
        scored = []
        for each, number in seen:
            shortness = _K1 * (1 - _B + _B * each.lengths[number] / mean)
            weights = (
                rarity[term] * times * (_K1 + 1) / (times + shortness)
                for term, times in _shared(asked, each.counts[number])
            )
            score = sum(weights)
            if score > 0 and _has_tag(each.listed[number], wanted):
                scored.append((score, each.space, each.listed[number]))
        return _best(scored, limit)

    def by_vector(self, wanted: MemorySelection, vector: NDArray[Any], limit: int) -> list[FoundMemory]:
        """Memories by cosine; every one that the search may look at is compared."""
        length = float(np.linalg.norm(vector))
        if length == 0:
            return []
        question = np.asarray(vector, dtype=np.float32) / length
        scored: list[tuple[float, Space, Entry]] = []
        for each in self._spaces(wanted.spaces):
            if each.vectors.shape[1] != len(question):
                continue
            cosines = np.clip(each.vectors @ question, -1.0, 1.0).tolist()
            seen = _seen(each.space, each.listed, wanted)
            scored += [(cosines[n], each.space, each.listed[n]) for n in seen if each.with_vector[n]]
        return _best(scored, limit)

    def about_tables(self, wanted: MemorySelection, tables: Sequence[str], limit: int) -> list[FoundMemory]:
        """Memories that are about one of the tables."""
        named = {*tables}
        about = [
            (0.0, each.space, each.listed[number])
            for each in self._spaces(wanted.spaces)
            for number in _seen(each.space, each.listed, wanted)
            if named & {*_texts(each.listed[number], "tables")}
        ]
        return _best(about, limit)

    def of_spaces(self, wanted: MemorySelection, memory_ids: Sequence[str] | None = None) -> Iterator[FoundMemory]:
        """All memories, or those of these ids."""
        named = None if memory_ids is None else {*memory_ids}
        for space in dict.fromkeys(wanted.spaces):
            with _translate_errors():
                entries = self._journal.read(_key(space))
            read = [entry for name, entry in entries.items() if named is None or name in named]
            yield from (_found(0.0, space, read[number]) for number in _seen(space, read, wanted))

    def count(self, wanted: MemorySelection) -> int:
        """How many memories there are."""
        with _translate_errors():
            read = [(space, [*self._journal.read(_key(space)).values()]) for space in dict.fromkeys(wanted.spaces)]
        return sum(len(_seen(space, entries, wanted)) for space, entries in read)

    def is_empty(self) -> bool:
        """Whether no space has an object."""
        with _translate_errors():
            return next(iter(self._store.keys(FOLDER)), None) is None

    def close(self) -> None:
        """Do nothing: there are no connections."""

    def _spaces(self, spaces: Sequence[Space]) -> list[_Space]:
        return [self._space(space) for space in dict.fromkeys(spaces)]

    def _space(self, space: Space) -> _Space:
        with _translate_errors():
            entries = self._journal.read(_key(space))
        with self._lock:
            kept = self._kept.pop(space, None)
            # The journal returns the same entries until they change.
            current = kept if kept is not None and kept.entries is entries else _Space.of(space, entries)
            self._kept[space] = current
            while len(self._kept) > _SPACES_KEPT:
                self._kept.popitem(last=False)
        return current


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


def _vector(entry: Entry) -> NDArray[Any]:
    text = entry.get("vector")
    return np.frombuffer(base64.b64decode(text) if isinstance(text, str) else b"", dtype=np.float16).astype(np.float32)


def _shared(terms: Sequence[str], count: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    return ((term, count[term]) for term in terms if term in count)


def _texts(entry: Mapping[str, Any], name: str) -> list[str]:
    texts: list[str] = entry.get(name, [])
    return texts


def _seen(space: Space, entries: Sequence[Entry], wanted: MemorySelection) -> list[int]:
    """Which entries of a space the search may look at."""
    places, limits_use = wanted.places, wanted.limits_use(space)
    return [
        number
        for number, entry in enumerate(entries)
        if (not wanted.tags or _has_tag(entry, wanted))
        and (places is None or not (own := _places(entry)) or not places.isdisjoint(own))
        and (not limits_use or _used(entry) > wanted.used_after)
    ]


def _has_tag(entry: Entry, wanted: MemorySelection) -> bool:
    own = (tag.casefold() for tag in _texts(_record(entry), "tags"))
    return not wanted.tags or not wanted.folded_tags.isdisjoint(own)


def _record(entry: Entry) -> Mapping[str, Any]:
    record = entry.get("record")
    if not isinstance(record, dict):
        raise MemoryStoreFailed("the index of memories is damaged: rebuild it")
    return record


def _places(entry: Entry) -> Sequence[str]:
    return places_of(_texts(entry, "tables"))


def _used(entry: Entry) -> float:
    return datetime.fromisoformat(str(_record(entry)["usedAt"])).timestamp()


def _best(scored: Iterable[tuple[float, Space, Entry]], limit: int) -> list[FoundMemory]:
    # Only what is returned is parsed: a space may have thousands.
    return [_found(*each) for each in heapq.nsmallest(limit, scored, key=_order)]


def _order(scored: tuple[float, Space, Mapping[str, Any]]) -> tuple[float, str]:
    score, _, entry = scored
    return -score, str(entry.get("record", {}).get("memoryId"))


def _found(score: float, space: Space, entry: Mapping[str, Any]) -> FoundMemory:
    try:
        record, vector = MemoryRecord.model_validate(entry["record"]), _vector(entry)
        return FoundMemory(space, record, score, _texts(entry, "terms"), vector if len(vector) else None)
    except (KeyError, ValidationError) as error:
        raise MemoryStoreFailed("the index of memories is damaged: rebuild it") from error


@contextmanager
def _translate_errors() -> Iterator[None]:
    """Translate errors of the store into errors of memory."""
    try:
        yield
    except ObjectDamaged as error:
        raise MemoryStoreFailed(f"the index of memories is damaged: rebuild it ({error.message})") from error
    except StoreError as error:
        raise MemoryStoreFailed(f"the store of memories did not respond: {error.message}; try again") from error
