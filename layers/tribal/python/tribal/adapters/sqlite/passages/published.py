"""The passages of collections, each generation a file that is published in the object store.

One writer per collection at a time builds a file on its local disk, stores it under the hash of its bytes, and then
replaces the pointer. A reader checks the pointer, fetches the file if it is new, and opens it, on a laptop as in AWS.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import threading
import time
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from tribal.adapters.sqlite.checksum import hash_of
from tribal.adapters.sqlite.passages.file import write_file
from tribal.adapters.sqlite.passages.index import SqlitePassageIndex
from tribal.adapters.sqlite.published import CHECK_EVERY_SECONDS, fetch
from tribal.errors import (
    IndexNotReady,
    IndexWriteFailed,
    ObjectNotFound,
    PreconditionFailed,
    StoreError,
    StoreUnwritable,
    is_refused_write,
    unwritable,
)
from tribal.identity.locations import collection_index
from tribal.ports import ObjectStore
from tribal_contracts.chat.collections import EmbeddingRecord, PassageIndexPointer, StoredPassage

_FETCH_ATTEMPTS = 3
_HINT = "`tribal index` rebuilds it"


@dataclass(slots=True)
class _Collection:
    """What is open of one collection."""

    index: SqlitePassageIndex | None = None
    failure: IndexNotReady | None = None
    """Why the published generation cannot be used; fetching it again would not help."""
    checked_at: float = -float("inf")
    lock: threading.Lock = field(default_factory=threading.Lock)

    def is_fresh(self, seconds: float) -> bool:
        damaged = self.index is not None and self.index.is_damaged
        return not damaged and time.monotonic() - self.checked_at < seconds


class PublishedPassages:
    """The indexes of all collections; thread-safe.

    Only the current generation stays in the store: a reader that misses the one before reads the pointer again.

    Args:
        store: where generations are published.
        folder: local folder for the current generation of each collection.
        check_every_seconds: how long a reader caches a pointer.
    """

    def __init__(self, store: ObjectStore, folder: Path, *, check_every_seconds: float = CHECK_EVERY_SECONDS) -> None:
        self._store = store
        self._folder = folder
        self._check_every_seconds = check_every_seconds
        self._collections: defaultdict[str, _Collection] = defaultdict(_Collection)
        self._lock = threading.Lock()

    def current(self, collection: str) -> SqlitePassageIndex | None:
        """The current generation, checked against the pointer every few seconds."""
        kept = self._of(collection)
        with kept.lock:
            if not kept.is_fresh(self._check_every_seconds):
                self._check(collection, kept)
            if kept.failure is not None:
                raise kept.failure.with_traceback(None)
            return kept.index

    def publish(
        self, collection: str, passages: Iterable[tuple[str, StoredPassage]], embedding: EmbeddingRecord
    ) -> PassageIndexPointer:
        """Build a generation, publish it, and erase all others."""
        kept, folder = self._of(collection), self._folder / collection
        work = folder / f"next-{os.getpid()}-{threading.get_ident()}.tmp"
        try:
            etag, before = self._pointer(collection)
            folder.mkdir(parents=True, exist_ok=True)
            work.unlink(missing_ok=True)
            written = write_file(work, passages, embedding)
            pointer = PassageIndexPointer(
                content_hash=hash_of(work),
                size_bytes=work.stat().st_size,
                sources=written.sources,
                passages=written.passages,
                embedding=embedding,
            )
            if pointer != before or self._store.head(_key(collection, pointer)) is None:
                self._store.put_file(_key(collection, pointer), work)
                self._store.put(_pointer_key(collection), pointer.to_json(), if_match=etag, if_absent=etag is None)
            work.replace(self._local(collection, pointer))
            self._erase_others(collection, pointer)
        except PreconditionFailed as error:
            raise IndexWriteFailed(
                f"another process has published an index of collection {collection!r}; try again"
            ) from error
        except StoreUnwritable:
            raise
        except (StoreError, OSError, sqlite3.Error) as error:
            if (refused := _refused_write(error)) is not None:
                raise unwritable(work, refused) from error
            raise IndexWriteFailed(
                f"the index of collection {collection!r} cannot be published: {error}; try again"
            ) from error
        finally:
            with suppress(OSError):
                work.unlink(missing_ok=True)
        kept.checked_at = -float("inf")
        return pointer

    def close(self) -> None:
        """Forget what is open; a file is closed when it is no longer read."""
        with self._lock:
            self._collections.clear()

    def _check(self, collection: str, kept: _Collection) -> None:
        try:
            kept.index, kept.failure = self._latest(collection, kept.index), None
        except IndexNotReady as error:
            kept.index, kept.failure = None, error
        except (StoreError, OSError) as error:
            raise IndexNotReady(
                f"the index of collection {collection!r} in {self._store.location} cannot be fetched: {error}"
            ) from error
        kept.checked_at = time.monotonic()

    def _of(self, collection: str) -> _Collection:
        with self._lock:
            return self._collections[collection]

    def _latest(self, collection: str, present: SqlitePassageIndex | None) -> SqlitePassageIndex | None:
        for attempt in range(_FETCH_ATTEMPTS):
            etag, pointer = self._pointer(collection)
            if pointer is None and etag is not None:
                raise IndexNotReady(f"{_pointer_key(collection)!r} is damaged; {_HINT}")
            if pointer is None:
                return None
            if present is not None and present.pointer == pointer and not present.is_damaged:
                return present
            try:
                return self._open(collection, pointer)
            except ObjectNotFound:
                # Erased between reading the pointer and fetching: there is a newer one.
                if attempt + 1 == _FETCH_ATTEMPTS:
                    raise IndexNotReady(
                        f"the index of collection {collection!r} is missing; `tribal index` rebuilds it"
                    ) from None
        raise AssertionError("the last attempt returns or raises")

    def _open(self, collection: str, pointer: PassageIndexPointer) -> SqlitePassageIndex:
        path = self._local(collection, pointer)
        if not path.exists() or path.stat().st_size != pointer.size_bytes:
            key = _key(collection, pointer)
            if not fetch(self._store, key, path, pointer.content_hash):
                raise IndexNotReady(f"{key!r} is damaged; {_HINT}")
        for other in path.parent.glob("*.db"):
            if other != path:
                with suppress(OSError):
                    other.unlink()
        return SqlitePassageIndex(path, pointer)

    def _pointer(self, collection: str) -> tuple[str | None, PassageIndexPointer | None]:
        """The tag and the contents of the pointer; without contents if it is damaged, without both if it is missing."""
        try:
            found = self._store.get(_pointer_key(collection))
        except ObjectNotFound:
            return None, None
        try:
            return found.etag, PassageIndexPointer.from_json(found.data)
        except ValidationError:
            return found.etag, None

    def _erase_others(self, collection: str, pointer: PassageIndexPointer) -> None:
        kept = {_key(collection, pointer), _pointer_key(collection)}
        for key in list(self._store.keys(collection_index(collection))):
            if key not in kept:
                self._store.erase(key)

    def _local(self, collection: str, pointer: PassageIndexPointer) -> Path:
        return self._folder / collection / f"{pointer.content_hash}.db"


def _refused_write(error: Exception) -> OSError | None:
    """The error of the disk behind another one, if there is advice for it."""
    if isinstance(error, sqlite3.Error) and getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
        return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    return error if isinstance(error, OSError) and is_refused_write(error) else None


def _pointer_key(collection: str) -> str:
    return f"{collection_index(collection)}current.json"


def _key(collection: str, pointer: PassageIndexPointer) -> str:
    return f"{collection_index(collection)}{pointer.content_hash}.db"
