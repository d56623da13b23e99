"""The SQLite index for many machines: each generation is a file published in the object store.

One indexer at a time builds a file on its local disk, uploads it under the hash of its bytes, and then updates the
pointer with a conditional put. A reader checks the pointer, downloads the file if it is new, and opens it.
"""

from __future__ import annotations

import json
import os
import shutil
import threading
import time
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from tribal.adapters.local.durable_files import temporary_file
from tribal.adapters.local.reading_block import ReadingBlock
from tribal.adapters.sqlite import checksum
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.errors import IndexAbsent, IndexNotReady, IndexWriteFailed, ObjectNotFound, PreconditionFailed, StoreError
from tribal.ports import (
    Candidates,
    IndexCounts,
    IndexedTable,
    IndexEntry,
    IndexFilter,
    ObjectStore,
    VectorQuery,
    WordQuery,
)
from tribal.ports.index.reader import Part
from tribal_contracts import DocType, DocumentRecord, IndexMetadata, KeyGraph

FOLDER = "data/index/"
POINTER = "data/index/latest.json"
CHECK_EVERY_SECONDS = 10.0

_FETCH_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class _PublishedFile:
    """The contents of the pointer."""

    content_hash: str
    size_bytes: int
    previous: str | None

    @property
    def key(self) -> str:
        return f"{FOLDER}{self.content_hash}.db"


class PublishedSqliteIndex:
    """An index read by any number of machines and written by one at a time; thread-safe.

    Args:
        store: where generations are published.
        folder: local folder for the files of the previous, current and next generations.
        check_every_seconds: how long a reader caches the pointer.
    """

    def __init__(self, store: ObjectStore, folder: Path, *, check_every_seconds: float = CHECK_EVERY_SECONDS) -> None:
        self._store = store
        self._folder = folder
        self._check_every_seconds = check_every_seconds
        self._work_path = folder / "next" / "index.db"
        self._work = SqliteIndex(self._work_path)
        self._seen: tuple[str | None, _PublishedFile | None] = (None, None)
        self._block = ReadingBlock[SqliteIndex]()
        self._lock = threading.Lock()
        self._open: dict[str, SqliteIndex] = {}
        self._current: SqliteIndex | None = None
        self._checked_at = -float("inf")

    def reading(self) -> AbstractContextManager[None]:
        """Pin this thread to the generation of its first read within the block."""
        return self._block.enter()

    def generation(self) -> Hashable:
        """The identity of the published file being read."""
        return self._present().generation()

    def metadata(self) -> IndexMetadata | None:
        """What the index was built from; `None` while no usable one is published."""
        try:
            return self._present().metadata()
        except IndexNotReady:
            return None

    def is_intact(self) -> bool:
        """Whether the published generation is as it was published: its hash is its name, checked when it is fetched."""
        return True

    def candidates(self, questions: Sequence[WordQuery | VectorQuery]) -> list[Candidates]:
        """Run several queries against one generation."""
        return self._present().candidates(questions)

    def term_counts(self, terms: Sequence[str], doc_type: DocType, where: IndexFilter) -> dict[str, int]:
        """The number of records that contain each term; terms found in none are left out."""
        return self._present().term_counts(terms, doc_type, where)

    def long_words(self) -> list[str]:
        """The long words of all tables, in order."""
        return self._present().long_words()

    def records(self, ids: Sequence[int]) -> dict[int, DocumentRecord]:
        """Records by id, in the given order; unknown ids are left out."""
        return self._present().records(ids)

    def documents(self, ids: Sequence[int], part: type[Part]) -> dict[int, Part]:
        """The documents of tables by id, or what `part` has of them; other ids are left out."""
        return self._present().documents(ids, part)

    def tables(self, where: IndexFilter) -> list[IndexedTable]:
        """Every table, ordered by name."""
        return self._present().tables(where)

    def domain_records(self, where: IndexFilter) -> list[DocumentRecord]:
        """The record of every domain of every database, ordered by domain and database."""
        return self._present().domain_records(where)

    def key_graph(self) -> KeyGraph | None:
        """Every foreign key; read once per generation."""
        return self._present().key_graph()

    def is_unfinished(self, model: str) -> bool:
        """Whether a run that was interrupted on this machine left a file that `begin` would resume."""
        return self._work.is_unfinished(model)

    def begin(self, model: str, dimensions: int, *, from_scratch: bool = False) -> dict[str, str]:
        """Begin the next generation as a copy of the published one; returns the hashes of the files already in it."""
        work = self._work_path
        with _writing("fetch what is published"):
            self._seen = self._pointer()
            published = self._seen[1]
            checksum.forget(work)
            if published is None:
                work.unlink(missing_ok=True)
            else:
                # Copy the file: readers on this machine may have it open.
                _copy(self._fetch(published), work)
        return self._work.begin(model, dimensions, from_scratch=from_scratch)

    def counts(self) -> IndexCounts:
        """The size of the generation under construction."""
        return self._work.counts()

    def replace(
        self,
        changed: Mapping[str, Sequence[IndexEntry]],
        removed: Iterable[str],
        hashes: Mapping[str, str] | None = None,
    ) -> None:
        """Replace the records of changed files, in one transaction."""
        self._work.replace(changed, removed, hashes)

    def finish(self, metadata: IndexMetadata, graph: KeyGraph) -> None:
        """Publish the new generation, unless another one has been published since.

        Raises:
            IndexWriteFailed: also when another one has been, which then stays.
        """
        self._work.finish(metadata, graph)
        etag, before = self._seen
        work = self._work_path
        with _writing("publish"):
            made = _PublishedFile(
                checksum.hash_of(work), work.stat().st_size, None if before is None else before.content_hash
            )
            _copy(work, self._local(made.content_hash))
            self._store.put_file(made.key, work)
            pointer = json.dumps(asdict(made), indent=2).encode() + b"\n"
            try:
                self._store.put(POINTER, pointer, if_match=etag, if_absent=etag is None)
            except PreconditionFailed as exc:
                raise IndexWriteFailed(
                    f"another indexer has published to {self._store.location} in the meantime; index again"
                ) from exc
            with self._lock:
                self._checked_at = -float("inf")
                self._forget_all_but({made.content_hash, made.previous})
            self._sweep(made)

    def abandon(self) -> None:
        """Remove the unpublished files of an interrupted run on this machine."""
        self._work.abandon()

    def close(self) -> None:
        """Close files and connections; the next read reopens them."""
        with self._lock:
            indexes, self._open, self._current = list(self._open.values()), {}, None
            self._checked_at = -float("inf")
        for index in (*indexes, self._work):
            index.close()

    def _present(self) -> SqliteIndex:
        return self._block.kept or self._block.pin(self._latest())

    def _latest(self) -> SqliteIndex:
        with self._lock:
            if self._current is not None and time.monotonic() - self._checked_at < self._check_every_seconds:
                return self._current
            try:
                published, path = self._fetch_latest()
            except (StoreError, OSError) as exc:
                message = f"the index in {self._store.location} cannot be fetched: {exc}; try again"
                raise IndexNotReady(message) from exc
            if published.content_hash not in self._open:
                self._open[published.content_hash] = SqliteIndex(path)
            self._current = self._open[published.content_hash]
            self._checked_at = time.monotonic()
            self._forget_all_but({published.content_hash, published.previous})
            return self._current

    def _fetch_latest(self) -> tuple[_PublishedFile, Path]:
        for attempt in range(_FETCH_ATTEMPTS):
            _, published = self._pointer()
            if published is None:
                break
            try:
                return published, self._fetch(published)
            except ObjectNotFound:
                # Swept between reading the pointer and fetching: there is a newer one.
                if attempt + 1 == _FETCH_ATTEMPTS:
                    raise
        raise IndexAbsent(f"no index is published in {self._store.location}; document a database, then index it")

    def _pointer(self) -> tuple[str | None, _PublishedFile | None]:
        try:
            found = self._store.get(POINTER)
        except ObjectNotFound:
            return None, None
        try:
            return found.etag, _PublishedFile(**json.loads(found.data))
        except (ValueError, TypeError):
            # An unreadable pointer is treated as none: the next generation replaces it.
            return found.etag, None

    def _fetch(self, published: _PublishedFile) -> Path:
        """The local file of a generation, downloaded if needed; never left incomplete."""
        path = self._local(published.content_hash)
        if path.exists():
            return path
        if not fetch(self._store, published.key, path, published.content_hash):
            raise StoreError(f"{published.key!r} is damaged; index again with --force")
        return path

    def _local(self, content_hash: str) -> Path:
        return self._folder / f"{content_hash}.db"

    def _forget_all_but(self, kept: set[str | None]) -> None:
        for name in [name for name in self._open if name not in kept]:
            self._open.pop(name).close()
        for path in self._folder.glob("*.db"):
            if path.stem not in kept:
                with suppress(OSError):
                    path.unlink()

    def _sweep(self, made: _PublishedFile) -> None:
        kept = {made.key, f"{FOLDER}{made.previous}.db", POINTER}
        for key in list(self._store.keys(FOLDER)):
            if key not in kept:
                self._store.delete(key)


def fetch(store: ObjectStore, key: str, path: Path, content_hash: str) -> bool:
    """Copy an object to a file, which is never incomplete; `False`, and no file, if its bytes have another hash."""
    partial = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}.part")
    try:
        if store.get_file(key, partial) != content_hash:
            return False
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return True


@contextmanager
def _writing(attempt: str) -> Iterator[None]:
    try:
        yield
    except (StoreError, OSError) as exc:
        raise IndexWriteFailed(f"cannot {attempt}: {exc}; index again") from exc


def _copy(source: Path, target: Path) -> None:
    with temporary_file(target.parent) as (file, temporary):
        with source.open("rb") as opened:
            shutil.copyfileobj(opened, file)
        file.close()
        temporary.replace(target)
