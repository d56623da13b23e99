"""The search index as one SQLite file: FTS5 over our own terms, vectors compared in memory, keys as one object.

The file being read is never written: a run writes the next generation next to it and renames it into place. A reader
therefore sees one complete generation, however busy the writer is, and the new one on its next call.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tribal.adapters.local.file_identity import FileIdentity
from tribal.adapters.local.reading_block import ReadingBlock
from tribal.adapters.sqlite import checksum
from tribal.adapters.sqlite.generation import NOT_READY, Generation, open_generation
from tribal.adapters.sqlite.places import admits
from tribal.adapters.sqlite.records import read_documents, read_domain_records, read_long_words, read_records
from tribal.adapters.sqlite.schema import READ_ERRORS, distinct_terms
from tribal.adapters.sqlite.vectors import best_of
from tribal.adapters.sqlite.writer import GenerationWriter, abandon, is_generation, next_file
from tribal.errors import IndexNotReady, IndexWriteFailed
from tribal.ports import Candidates, IndexCounts, IndexedTable, IndexEntry, IndexFilter, VectorQuery, WordQuery
from tribal.ports.index.reader import Part
from tribal_contracts import DocType, DocumentRecord, IndexMetadata, KeyGraph

if TYPE_CHECKING:
    from numpy.typing import NDArray

PREPARED_BYTES = 16 * 1024 * 1024
"""Files of this size are prepared before they are read. By judgement: a smaller one opens in less than 0.1 s."""
_TURN_SECONDS = 0.002
_EVERYTHING = IndexFilter()


@dataclass(frozen=True, slots=True)
class _View:
    """A generation with a connection for exclusive use."""

    generation: Generation
    connection: sqlite3.Connection


class SqliteIndex:
    """The `IndexReader` and `IndexWriter` of SQLite; thread-safe, and many processes may read while one writes.

    Args:
        path: the file, usually `data/tribal-knowledge.db`; created by the first `finish`.
        prepare: what a server asks of a large new generation before others do. Until it has, they get the one before.
        replaced: called with the identity of each replaced generation once it has no more readers.
    """

    def __init__(
        self,
        path: Path,
        *,
        prepare: Callable[[], object] | None = None,
        replaced: Callable[[Hashable], None] = lambda _: None,
    ) -> None:
        self._path = path
        self._prepare = prepare
        self._replaced = replaced
        self._preparing: threading.Thread | None = None
        self._current: Generation | None = None
        self._opening = threading.Lock()
        self._block = ReadingBlock[_View](_release)
        self._writer: GenerationWriter | None = None
        self._write_lock = threading.RLock()

    def reading(self) -> AbstractContextManager[None]:
        """Pin this thread to one generation within the block."""
        return self._block.enter()

    def generation(self) -> Hashable:
        """The identity of the file being read."""
        with self._view() as view:
            return view.generation.file

    def metadata(self) -> IndexMetadata | None:
        """What the index was built from; `None` while there is no finished index of this version."""
        try:
            with self._view() as view:
                return view.generation.metadata
        except IndexNotReady:
            return None

    def is_intact(self) -> bool:
        """Whether the current file has the bytes that were published; without a checksum, what SQLite's check says."""
        if not checksum.is_intact(self._path):
            return False
        with suppress(OSError):  # without it readers hash the file, no more
            checksum.complete(self._path)
        return True

    def candidates(self, questions: Sequence[WordQuery | VectorQuery]) -> list[Candidates]:
        """Run several queries against one generation."""
        with self.reading():
            return [
                self._lexical(asked) if isinstance(asked, WordQuery) else self._nearest(asked) for asked in questions
            ]

    def term_counts(self, terms: Sequence[str], doc_type: DocType, where: IndexFilter) -> dict[str, int]:
        """The number of records that contain each term; terms found in none are left out."""
        with self._view() as view:
            index = view.generation.terms(view.connection, doc_type)
            return index.counts(view.connection, distinct_terms(terms), where, _withheld(view, where))

    def long_words(self) -> list[str]:
        """The long words of all tables, in order."""
        with self._view() as view:
            return read_long_words(view.connection)

    def records(self, ids: Sequence[int]) -> dict[int, DocumentRecord]:
        """Records by id, in the given order; unknown ids are left out."""
        with self._view() as view:
            return read_records(view.connection, ids)

    def documents(self, ids: Sequence[int], part: type[Part]) -> dict[int, Part]:
        """The documents of tables by id, or what `part` has of them; other ids are left out."""
        with self._view() as view:
            return read_documents(view.connection, ids, part)

    def tables(self, where: IndexFilter) -> list[IndexedTable]:
        """Every table, ordered by name."""
        with self._view() as view:
            tables = view.generation.tables(view.connection)
        if where == _EVERYTHING:
            return list(tables)
        return [entry for entry in tables if admits(where, (entry.database, entry.schema, entry.domain))]

    def domain_records(self, where: IndexFilter) -> list[DocumentRecord]:
        """The record of every domain of every database, ordered by domain and database."""
        with self._view() as view:
            found = read_domain_records(view.connection)
        return [record for record in found if admits(where, (record.database_name, None, record.domain))]

    def key_graph(self) -> KeyGraph | None:
        """Every foreign key; read once per generation."""
        with self._view() as view:
            return view.generation.key_graph(view.connection)

    def is_unfinished(self, model: str) -> bool:
        """Whether an interrupted run left a file that `begin` would resume; an unreadable one counts as missing."""
        return is_generation(next_file(self._path), model)

    def begin(
        self,
        model: str,
        dimensions: int,  # noqa: ARG002 - a file stores vectors of any length
        *,
        from_scratch: bool = False,
    ) -> dict[str, str]:
        """Begin the next generation or resume an interrupted one; returns the hashes of the files already in it.

        A new generation starts as a copy of the current one.
        """
        with self._write_lock:
            self._close_writer()
            self._writer = GenerationWriter(self._path, model, from_scratch=from_scratch)
            return self._writer.sources()

    def counts(self) -> IndexCounts:
        """The size of the generation under construction."""
        with self._write_lock:
            return self._started_writer().counts()

    def replace(
        self,
        changed: Mapping[str, Sequence[IndexEntry]],
        removed: Iterable[str],
        hashes: Mapping[str, str] | None = None,
    ) -> None:
        """Replace the records of changed files, in one transaction."""
        with self._write_lock:
            self._started_writer().replace(changed, removed, hashes or {})

    def finish(self, metadata: IndexMetadata, graph: KeyGraph) -> None:
        """Replace the current generation with the new one, by renaming its file."""
        with self._write_lock:
            self._started_writer().publish(metadata, graph)
            self._writer = None

    def abandon(self) -> None:
        """Remove what an interrupted run left."""
        with self._write_lock:
            self._close_writer()
            try:
                abandon(self._path)
            except OSError as exc:
                raise IndexWriteFailed(
                    f"cannot remove files next to {str(self._path)!r}: {exc}; remove them yourself"
                ) from exc

    def close(self) -> None:
        """Close files and connections; the next read reopens them."""
        preparing = self._preparing
        if preparing is not None:
            preparing.join()
        with self._opening:
            current, self._current = self._current, None
        if current is not None:
            current.close()
        with self._write_lock:
            self._close_writer()

    def _lexical(self, asked: WordQuery) -> Candidates:
        wanted = distinct_terms(asked.terms)
        with self._view() as view:
            if not wanted or asked.limit <= 0:
                return Candidates.of(())
            index = view.generation.terms(view.connection, asked.doc_type)
            return index.best(view.connection, wanted, asked.where, asked.limit, _withheld(view, asked.where))

    def _nearest(self, asked: VectorQuery) -> Candidates:
        with self._view() as view:
            matrix = view.generation.matrix(view.connection, asked.kind)
            withheld = None if asked.kind == "table_name" else _withheld(view, asked.where)
            if asked.kind == "column":
                return matrix.nearest_of_each_table(asked.vector, asked.where, asked.limit, without=withheld)
            if withheld is None:
                return matrix.nearest(asked.vector, asked.where, asked.limit)
            names = view.generation.matrix(view.connection, "table_name")
        found = matrix.nearest(asked.vector, asked.where, asked.limit, without=withheld)
        if asked.kind != "table":
            return found
        return best_of(found, names.nearest(asked.vector, asked.where, asked.limit, only=withheld), asked.limit)

    @contextmanager
    def _view(self) -> Iterator[_View]:
        """The current generation, or the one that this thread is pinned to."""
        block = self._block
        try:
            view = block.kept or block.pin(self._latest())
            try:
                yield view
            except BaseException:
                block.forget()
                view.generation.release(view.connection, usable=False)
                raise
        except (*READ_ERRORS, OSError) as exc:
            message = f"the index at {str(self._path)!r} cannot be read ({exc}); `tribal index` rebuilds it"
            raise IndexNotReady(message) from exc
        except (ValueError, TypeError, LookupError, OverflowError) as exc:
            # Damage that SQLite does not notice causes these in our own code.
            if checksum.is_proven(self._path):
                raise
            raise IndexNotReady(NOT_READY["damaged"].format(path=str(self._path))) from exc
        if not block.entered:
            _release(view)

    def _latest(self) -> _View:
        while True:
            generation, file = self._current, FileIdentity.of(self._path)
            if generation is None or generation.file != file:
                before = self._before(generation, file)
                if before is not None:
                    return before
                if generation is not None and self._current not in (generation, None):
                    continue  # prepared in this moment
                generation = self._open()
            connection = generation.take()
            if connection is not None:
                return _View(generation, connection)

    def _before(self, generation: Generation | None, file: FileIdentity | None) -> _View | None:
        """The generation so far, while a large new one is prepared; `None` when there is nothing to wait for."""
        if self._prepare is None or generation is None or file is None or file.size_bytes < PREPARED_BYTES:
            return None
        with self._opening:
            if self._current is generation and self._preparing is None:
                self._preparing = threading.Thread(target=self._prepare_next, args=(self._prepare,), daemon=True)
                self._preparing.start()
        while self._current is generation and self._preparing is not None:
            connection = generation.take()
            if connection is not None:
                return _View(generation, connection)
            # A file that was replaced cannot be opened again: others have its connections for a moment.
            time.sleep(_TURN_SECONDS)
        return None

    def _prepare_next(self, prepare: Callable[[], object]) -> None:
        following: Generation | None = None
        try:
            following = open_generation(self._path)
            connection = following.take()
            if connection is not None:
                with self._block.enter():
                    self._block.pin(_View(following, connection))
                    prepare()
        except (IndexNotReady, *READ_ERRORS, OSError):
            # The next reader opens it and gets the error.
            following = None
        finally:
            with self._opening:
                before, self._current = self._current, following
                self._preparing = None
            if before is not None:
                self._leave(before)

    def _open(self) -> Generation:
        with self._opening:
            current = self._current
            if current is not None and current.file == FileIdentity.of(self._path):
                return current
            self._current = None
            if current is not None:
                self._leave(current)
            self._current = open_generation(self._path)
            return self._current

    def _leave(self, generation: Generation) -> None:
        # Readers that still use it would derive the dropped values again.
        generation.close(partial(self._replaced, generation.file))

    def _started_writer(self) -> GenerationWriter:
        if self._writer is None:
            raise IndexWriteFailed(f"call begin() before writing to {str(self._path)!r}")
        return self._writer

    def _close_writer(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None


def _withheld(view: _View, where: IndexFilter) -> NDArray[Any] | None:
    """Ids of the records whose text a filter excludes from search; `None` if it excludes none."""
    if not where.hidden:
        return None
    found = view.generation.mentioning(view.connection, where.hidden)
    return found if len(found) else None


def _release(view: _View) -> None:
    view.generation.release(view.connection)
