"""Lets the index agree with the objects whatever was killed between the two.

Before an object changes, that is noted in `memory/pending/`, and the note goes once the index has the change. What a
killed process left there is done by the next one, and once a minute by those that live: the object is read, the index
written, and the object read again until it is what was written. Beside a living writer that changes nothing.
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
    from tribal.ports.index_reader import Embedder
    from tribal_contracts.memory import MemoryRecord

PENDING = f"{FOLDER}pending/"
_KEPT_FOR = timedelta(minutes=20)
"""How long a note is left to the writer that may still live: longer than a function in AWS does."""
_CHECK_EVERY_SECONDS = 60.0
_ATTEMPTS = 20
_AT_ONCE = 500
_READERS = 8
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Writer:
    """Who changes memories, at what time, and what keeps a log of it."""

    subject: str
    now: str
    audit: AuditLog

    def tell(self, space: Space, names: Sequence[str], act: Act) -> None:
        """Have the log tell of each memory that was changed."""
        for name in names:
            self.audit(MemoryWrite(self.now, self.subject, act, space.layer, space.name, name))


_NOBODY = Writer("", "", discard)


@dataclass(frozen=True, slots=True)
class Repository:
    """The objects that hold memories, and the index that finds them."""

    store: ObjectStore
    index: MemoryIndex
    embedder: Callable[[], Embedder]
    writer: Writer = _NOBODY

    @contextmanager
    def changing(self, space: Space, names: Sequence[str], act: Act) -> Iterator[None]:
        """Around a change of the objects of a space's memories, after which the log tells and the index has it."""
        told = {"layer": space.layer, "identifiers": [*space.identifiers], "names": [*names]}
        key = self._note(told)
        yield
        self.writer.tell(space, names, act)
        self.reconcile(space, names)
        self._forget(key)

    def reconcile(self, space: Space, names: Sequence[str]) -> None:
        """Let the index agree with the objects of some memories.

        Raises:
            MemoryConflict: when others change them all the time.
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
        raise MemoryConflict("others change these memories at the same time; try again")

    def build(self, *, clear: bool = False) -> int:
        """Let the index have every memory of the store; returns how many it lacked.

        What it has already is not read, so that what was killed goes on where it was; with `clear` it is emptied first.
        """
        key = self._note({"build": True, "clear": clear})
        if clear:
            self.index.clear()
        count = 0
        with ThreadPoolExecutor(_READERS) as pool:
            for layer in LAYERS:
                keys = filter(is_memory, self.store.keys(f"{FOLDER}{layer}/"))
                for _, of_space in groupby(keys, lambda key: key.rpartition("/")[0]):
                    count += self._build_space([*of_space], pool)
        self._forget(key)
        return count

    def recover(self, now: datetime) -> None:
        """Do what killed processes left undone; a note is removed when its writer cannot live any more."""
        if self.index.is_empty():
            self.build()
        for key in [*self.store.keys(PENDING)]:
            try:
                told = json.loads(self.store.get(key).data)
                at = datetime.fromisoformat(told["at"])
                space = None if told.get("build") else _space(told)
            except ObjectNotFound:
                continue
            except (ValueError, KeyError, TypeError):
                _LOG.warning("%s is damaged and is removed", key)
                self.store.delete(key)
                continue
            if space is None:
                self.build(clear=bool(told.get("clear")))
                # Built anew, under a note of its own: the old one has nothing left to tell.
                self._forget(key)
                continue
            self.reconcile(space, told["names"])
            if now - at > _KEPT_FOR:
                self._forget(key)

    def _build_space(self, keys: Sequence[str], pool: ThreadPoolExecutor) -> int:
        first = next((found for key in keys if (found := read_with_etag(self.store, key)) is not None), None)
        if first is None:
            return 0
        space = space_of(first[0])
        present = {each.record.memory_id for each in self.index.of_spaces(MemorySelection((space,)))}
        lacking = [key for key in keys if name_of(key) not in present]
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

    def _note(self, told: dict[str, Any]) -> str:
        key = f"{PENDING}{secrets.token_hex(10)}.json"
        told = {**told, "at": datetime.now(UTC).isoformat()}
        try:
            self.store.put(key, json.dumps(told, ensure_ascii=False).encode(), if_absent=True)
        except StoreError as error:
            raise MemoryStoreFailed(f"what is to change cannot be noted in {key}; try again") from error
        return key

    def _forget(self, key: str) -> None:
        try:
            self.store.delete(key)
        except StoreError as error:
            # It stays, and is found to be done.
            _LOG.warning("%s could not be removed: %s", key, error.message)

    def _etag_of(self, key: str) -> str | None:
        try:
            found = self.store.head(key)
        except StoreError as error:
            raise MemoryStoreFailed(f"{key} cannot be read; try again") from error
        return None if found is None else found.etag


def _space(told: dict[str, Any]) -> Space:
    return Space(told["layer"], tuple((kind, value) for kind, value in told["identifiers"]))


@dataclass
class Recovery:
    """Recovers at the first use of memory in a process, and then once a minute."""

    repository: Callable[[], Repository]
    _due_at: float = field(default=0.0, init=False)

    def check(self) -> None:
        """Recover, if that is due."""
        if time.monotonic() < self._due_at:
            return
        self.repository().recover(datetime.now(UTC))
        self._due_at = time.monotonic() + _CHECK_EVERY_SECONDS


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
