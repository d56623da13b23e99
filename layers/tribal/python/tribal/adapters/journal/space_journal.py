"""One append-only object per space: a line for each change of a memory, of which the last one counts.

S3 cannot append, so a change rewrites the object with one more line under a conditional put. The change that finds too
many obsolete lines compacts the object. It is a projection: the memories are separate objects, and the journal of a
space can be rebuilt from them.
"""

from __future__ import annotations

import json
import random
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pydantic import JsonValue

from tribal.errors import MemoryConflict, MemoryRefused, ObjectDamaged, ObjectNotFound, PreconditionFailed
from tribal.ports.object_store import ObjectStore

MOST_MEMORIES = 5_000
"""Limit of a space: each change sends the whole object, 6.3 MB for 5,000 memories of 120 characters."""
VERSION = 1
_ATTEMPTS = 40
_FIRST_PAUSE_SECONDS = 0.01
_LONGEST_PAUSE_SECONDS = 0.5
_SPARE_LINES = 200
"""Obsolete lines, beyond one for each memory, before the object is compacted."""
_KEPT_BYTES = 64 * 1024 * 1024
"""Size of the cached objects. By judgement: parsed, they take about four times as much."""

Entry = Mapping[str, JsonValue]
Entries = Mapping[str, Entry]
Change = Mapping[str, Entry | None]
"""New entries by memory id; `None` removes a memory."""


@dataclass(frozen=True, slots=True)
class _SpaceContents:
    """The object of a space, as it was read."""

    data: bytes
    etag: str | None
    """`None` while there is no object."""
    entries: Entries
    lines: int


class SpaceJournal:
    """Reads and changes the objects of spaces; thread-safe, for any number of processes.

    Args:
        store: where they are.
        most: memories that a space may have.
        pause: sleeps between attempts.
    """

    def __init__(
        self, store: ObjectStore, *, most: int = MOST_MEMORIES, pause: Callable[[float], None] = time.sleep
    ) -> None:
        self._store = store
        self._most = most
        self._pause = pause
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, _SpaceContents] = OrderedDict()

    def read(self, key: str) -> Entries:
        """The memories of a space by id, in the order of their last change; none where it has no object.

        Raises:
            ObjectDamaged: when the object is damaged; rebuild it.
        """
        return self._read(key).entries

    def change(self, key: str, change: Change) -> None:
        """Add, replace and remove memories of a space, all or none of them; a change of nothing writes nothing.

        Raises:
            MemoryRefused: when the space would have more memories than it may (`MEM_SPACE_FULL`).
            MemoryConflict: when other processes keep changing the space.
            ObjectDamaged: when the object is damaged; rebuild it.
        """
        for attempt in range(_ATTEMPTS):
            if attempt:
                longest = min(_FIRST_PAUSE_SECONDS * 2**attempt, _LONGEST_PAUSE_SECONDS)
                self._pause(longest * random.uniform(0.2, 1.0))  # noqa: S311 - jitter, not cryptography
            present = self._read(key)
            news = {name: entry for name, entry in change.items() if entry != present.entries.get(name)}
            if not news:
                return
            if self._put(key, self._changed(present, news), present.etag):
                return
        raise MemoryConflict(f"other processes keep changing the memories of {key!r}; try again")

    def rebuild(self, key: str, entries: Entries) -> None:
        """Put these memories in place of all that the object of a space says, even where it cannot be read.

        Raises:
            MemoryRefused: when they are more than a space may have.
            MemoryConflict: when another writer changes the space meanwhile.
        """
        head = self._store.head(key)
        if not self._put(key, self._compacted(entries), None if head is None else head.etag):
            raise MemoryConflict(f"the memories of {key!r} were changed while they were collected; try again")

    def _changed(self, present: _SpaceContents, news: Change) -> _SpaceContents:
        entries = {name: entry for name, entry in present.entries.items() if name not in news}
        entries |= {name: entry for name, entry in news.items() if entry is not None}
        added = sum(entry is not None and name not in present.entries for name, entry in news.items())
        if added:
            self._require_room(len(entries))
        lines = present.lines + len(news)
        if present.etag is None or lines > 2 * len(entries) + _SPARE_LINES:
            return self._compacted(entries)
        data = present.data + b"".join(_line(name, entry) for name, entry in news.items())
        return _SpaceContents(data, None, MappingProxyType(entries), lines)

    def _compacted(self, entries: Entries) -> _SpaceContents:
        self._require_room(len(entries))
        lines = (_line(name, entry) for name, entry in entries.items())
        return _SpaceContents(b"".join([_HEADER, *lines]), None, MappingProxyType(dict(entries)), len(entries))

    def _require_room(self, count: int) -> None:
        if count > self._most:
            raise MemoryRefused(
                f"a space has at most {self._most:,} memories with a file index; delete some, or ask an administrator "
                "to set `index: opensearch` in the environment file",
                code="MEM_SPACE_FULL",
            )

    def _read(self, key: str) -> _SpaceContents:
        with self._lock:
            kept = self._kept.get(key)
        head = self._store.head(key) if kept is not None else None
        if kept is not None and head is not None and head.etag == kept.etag:
            with self._lock:
                if key in self._kept:
                    self._kept.move_to_end(key)
            return kept
        try:
            stored = self._store.get(key)
        except ObjectNotFound:
            with self._lock:
                self._kept.pop(key, None)
            return _NOTHING
        return self._keep(key, _parsed(key, stored.data, stored.etag))

    def _put(self, key: str, changed: _SpaceContents, etag: str | None) -> bool:
        try:
            if etag is None:
                written = self._store.put(key, changed.data, if_absent=True)
            else:
                written = self._store.put(key, changed.data, if_match=etag)
        except PreconditionFailed:
            return False
        self._keep(key, _SpaceContents(changed.data, written, changed.entries, changed.lines))
        return True

    def _keep(self, key: str, read: _SpaceContents) -> _SpaceContents:
        with self._lock:
            self._kept[key] = read
            self._kept.move_to_end(key)
            while len(self._kept) > 1 and sum(len(each.data) for each in self._kept.values()) > _KEPT_BYTES:
                self._kept.popitem(last=False)
        return read


def _line(name: str, entry: Entry | None) -> bytes:
    return json.dumps({"id": name, "memory": entry}, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


_HEADER = json.dumps({"version": VERSION}).encode() + b"\n"
_NOTHING = _SpaceContents(b"", None, MappingProxyType({}), 0)


def _parsed(key: str, data: bytes, etag: str) -> _SpaceContents:
    entries: dict[str, Entry] = {}
    if not data.startswith(_HEADER) or not data.endswith(b"\n"):
        raise _damaged(key)
    lines = data[len(_HEADER) :].splitlines()
    for name, entry in _pairs(key, lines):
        entries.pop(name, None)
        if entry is not None:
            entries[name] = entry
    return _SpaceContents(data, etag, MappingProxyType(entries), len(lines))


def _pairs(key: str, lines: Iterable[bytes]) -> Iterable[tuple[str, Entry | None]]:
    for line in lines:
        try:
            content = json.loads(line)
            name, entry = content["id"], content["memory"]
        except (ValueError, TypeError, KeyError):
            raise _damaged(key) from None
        if not isinstance(name, str) or not isinstance(entry, dict | None):
            raise _damaged(key)
        yield name, entry


def _damaged(key: str) -> ObjectDamaged:
    return ObjectDamaged(f"{key!r} is damaged; it can be rebuilt from the memories")
