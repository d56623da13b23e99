"""Keeps the index consistent with the objects, even if a process is killed between the two writes.

Before an object changes, a marker is written to `memory/pending/`; it is removed once the index has the change. The
next process finishes what a killed one left, and running processes check once a minute: the object is read, the index
written, and the object read again until it is unchanged. If the writer is still running, this changes nothing.
"""

from __future__ import annotations

import json
import logging
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import TYPE_CHECKING, Any

from tribal.capabilities.memory.records import (
    FOLDER,
    is_memory,
    key_of,
    name_of,
    named_tables,
    read_with_etag,
    space_of,
)
from tribal.errors import EmbeddingFailed, MemoryConflict, MemoryStoreFailed, ObjectNotFound, StoreError
from tribal.naming.tokens import index_terms
from tribal.ports.remembering.audit import Act, AuditLog, MemoryWrite, discard
from tribal.ports.remembering.identity import LAYERS, Space
from tribal.ports.remembering.memory_index import IndexedMemory, MemoryIndex
from tribal.ports.remembering.selection import MemorySelection

if TYPE_CHECKING:
    from tribal.ports import ObjectStore
    from tribal.ports.index.reader import Embedder
    from tribal_contracts.memory import MemoryRecord

PENDING = f"{FOLDER}pending/"
VERSION_KEY = f"{FOLDER}index-version"
"""Holds the version of the terms that the index was built with."""
VERSION = b"2"
"""Of how memories become terms: in an index of another version, those with other terms are indexed again."""
_MARKER_RETENTION = timedelta(minutes=20)
"""How long a marker is kept for a writer that may still run: longer than an AWS function runs."""
_CHECK_EVERY_SECONDS = 60.0
_ATTEMPTS = 20
_AT_ONCE = 500
_READERS = 8
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Writer:
    """Who changes memories, when, and the audit log."""

    subject: str
    now: str
    audit: AuditLog

    def audit_changes(self, space: Space, names: Sequence[str], act: Act) -> None:
        """Log each changed memory."""
        for name in names:
            self.audit(MemoryWrite(self.now, self.subject, act, space.layer, space.name, name))


_NO_WRITER = Writer("", "", discard)


@dataclass(frozen=True, slots=True)
class Repository:
    """The objects that hold memories, and the index that finds them."""

    store: ObjectStore
    index: MemoryIndex
    embedder: Callable[[], Embedder]
    writer: Writer = _NO_WRITER

    @contextmanager
    def changing(self, space: Space, names: Sequence[str], act: Act) -> Iterator[None]:
        """Surround a change of memory objects in a space; afterwards it is logged and indexed."""
        marker = {"layer": space.layer, "identifiers": [*space.identifiers], "names": [*names]}
        key = self._write_marker(marker)
        yield
        self.writer.audit_changes(space, names, act)
        self.reconcile(space, names)
        self._remove_marker(key)

    def reconcile(self, space: Space, names: Sequence[str]) -> None:
        """Update the index to the objects of some memories.

        Raises:
            MemoryConflict: when other processes keep changing them.
        """
        left = list(names)
        for _ in range(_ATTEMPTS):
            found = {name: read_with_etag(self.store, key_of(space, name)) for name in left}
            index_all([each[0] for each in found.values() if each is not None], self.index, self.embedder)
            gone = [(space, name) for name, each in found.items() if each is None]
            if gone:
                self.index.write([], gone)
            before = {name: None if each is None else each[1] for name, each in found.items()}
            left = [name for name in left if self._etag_of(key_of(space, name)) != before[name]]
            if not left:
                return
        raise MemoryConflict("another process is changing these memories; try again")

    def build(self) -> int:
        """Index every memory of the store; returns how many were missing or had other terms.

        The others are not read again, so that an interrupted build resumes.
        """
        key = self._write_marker({"build": True})
        count = 0
        with ThreadPoolExecutor(_READERS) as pool:
            for layer in LAYERS:
                keys = filter(is_memory, self.store.keys(f"{FOLDER}{layer}/"))
                for _, of_space in groupby(keys, lambda key: key.rpartition("/")[0]):
                    count += self._build_space([*of_space], pool)
        self._remove_marker(key)
        return count

    def recover(self, now: datetime) -> None:
        """Build a missing index, update an outdated one, and finish what killed processes left.

        A marker is removed once its writer can no longer be running.
        """
        if not self._is_current() or self.index.is_empty():
            self.build()
            self._store_version()
        for key in [*self.store.keys(PENDING)]:
            try:
                marker = json.loads(self.store.get(key).data)
                at = datetime.fromisoformat(marker["at"])
                space = None if marker.get("build") else _space(marker)
            except ObjectNotFound:
                continue
            except (ValueError, KeyError, TypeError):
                _LOG.warning("%s is damaged and is removed", key)
                self.store.delete(key)
                continue
            if space is None:
                self.build()
                # The rebuild has its own marker, so the old one is obsolete.
                self._remove_marker(key)
                continue
            self.reconcile(space, marker["names"])
            if now - at > _MARKER_RETENTION:
                self._remove_marker(key)

    def _is_current(self) -> bool:
        try:
            return self.store.get(VERSION_KEY).data == VERSION
        except ObjectNotFound:
            return False
        except StoreError as error:
            raise MemoryStoreFailed(f"{VERSION_KEY} cannot be read; try again") from error

    def _store_version(self) -> None:
        try:
            self.store.put(VERSION_KEY, VERSION)
        except StoreError as error:
            raise MemoryStoreFailed(f"cannot write {VERSION_KEY}; try again") from error

    def _build_space(self, keys: Sequence[str], pool: ThreadPoolExecutor) -> int:
        first = next((found for key in keys if (found := read_with_etag(self.store, key)) is not None), None)
        if first is None:
            return 0
        space = space_of(first[0])
        indexed = self.index.of_spaces(MemorySelection((space,)))
        current = {each.record.memory_id for each in indexed if tuple(each.terms) == _terms(each.record)}
        lacking = [key for key in keys if name_of(key) not in current]
        for start in range(0, len(lacking), _AT_ONCE):
            some = lacking[start : start + _AT_ONCE]
            read = [*pool.map(lambda key: read_with_etag(self.store, key), some)]
            index_all([each[0] for each in read if each is not None], self.index, self.embedder)
            before = [None if each is None else each[1] for each in read]
            now = pool.map(self._etag_of, some)
            changed = [key for key, old, new in zip(some, before, now, strict=True) if old != new]
            if changed:
                self.reconcile(space, [name_of(key) for key in changed])
        return len(lacking)

    def _write_marker(self, marker: dict[str, Any]) -> str:
        key = f"{PENDING}{secrets.token_hex(10)}.json"
        marker = {**marker, "at": datetime.now(UTC).isoformat()}
        try:
            self.store.put(key, json.dumps(marker, ensure_ascii=False).encode(), if_absent=True)
        except StoreError as error:
            raise MemoryStoreFailed(f"cannot write the marker {key}; try again") from error
        return key

    def _remove_marker(self, key: str) -> None:
        try:
            self.store.delete(key)
        except StoreError as error:
            # It stays; recovery finds that there is nothing to do.
            _LOG.warning("%s could not be removed: %s", key, error.message)

    def _etag_of(self, key: str) -> str | None:
        try:
            found = self.store.head(key)
        except StoreError as error:
            raise MemoryStoreFailed(f"{key} cannot be read; try again") from error
        return None if found is None else found.etag


def _space(marker: dict[str, Any]) -> Space:
    return Space(marker["layer"], tuple((kind, value) for kind, value in marker["identifiers"]))


@dataclass
class Recovery:
    """Runs recovery at the first use of memory in a process, then once a minute."""

    repository: Callable[[], Repository]
    _due_at: float = field(default=0.0, init=False)

    def check(self) -> None:
        """Run recovery if it is due."""
        if time.monotonic() < self._due_at:
            return
        self.repository().recover(datetime.now(UTC))
        self._due_at = time.monotonic() + _CHECK_EVERY_SECONDS


def index_all(records: Iterable[MemoryRecord], index: MemoryIndex, embedder: Callable[[], Embedder]) -> None:
    """Index memories; without vectors if the embedding model fails."""
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
            _terms(record),
            vector if vector is not None and vector.any() else None,
            named_tables(record),
        )
        for record, vector in zip(wanted, vectors, strict=True)
    )


def _terms(record: MemoryRecord) -> tuple[str, ...]:
    return tuple(index_terms(" ".join([record.content, *record.tags])))
