"""Where the work units of a run are documented: in this process, or wherever an edge can send them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Self

from tribal.catalog import locations
from tribal.documenting import document_unit
from tribal.errors import DatabaseError
from tribal.ports import (
    CatalogReader,
    Clock,
    Deadline,
    Describer,
    DocumentingOptions,
    ObjectStore,
    ProgressSink,
    WorkerPool,
)
from tribal_contracts import DatabaseEntry, RunOutline, UnitResult, WorkUnit

OpenReader = Callable[[DatabaseEntry], CatalogReader]
DocumentUnit = Callable[[str], UnitResult]
"""Documents the unit of that id; called from many threads."""


class UnitsHere:
    """Documents units of one run in this process, with one reader a database, opened when it is first needed."""

    def __init__(
        self,
        *,
        run_id: str,
        entries: Sequence[DatabaseEntry],
        store: ObjectStore,
        open_reader: OpenReader,
        describer: Describer,
        clock: Clock,
        pool: WorkerPool,
        sink: ProgressSink,
        deadline: Deadline,
        options: DocumentingOptions,
    ) -> None:
        self._run_id = run_id
        self._entries = {entry.name: entry for entry in entries}
        self._store = store
        self._open_reader = open_reader
        self._describer = describer
        self._clock = clock
        self._pool = pool
        self._sink = sink
        self._deadline = deadline
        self._options = options
        self._stack = ExitStack()
        self._lock = threading.Lock()
        self._readers: dict[str, CatalogReader | None] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.rest()

    def rest(self) -> None:
        """Close the readers; whatever is documented next opens them anew."""
        with self._lock:
            self._readers.clear()
            self._stack.close()

    def document(self, unit_id: str) -> UnitResult:
        """Document one unit of the run's plan."""
        unit = WorkUnit.from_json(self._store.get(locations.run_unit_file(self._run_id, unit_id)).data)
        entry = self._entries[unit.database]
        return document_unit(
            unit,
            run_id=self._run_id,
            store=self._store,
            reader=self._reader_of(entry) if self._options.take_samples and entry.sample_rows else None,
            describer=self._describer,
            clock=self._clock,
            pool=self._pool,
            sink=self._sink,
            deadline=self._deadline,
            options=self._options.for_entry(entry),
        )

    def _reader_of(self, entry: DatabaseEntry) -> CatalogReader | None:
        with self._lock:
            if entry.name not in self._readers:
                try:
                    reader = self._open_reader(entry)
                except DatabaseError as error:
                    self._sink.note(f"{entry.name}: documented without samples: {error.message}")
                    self._readers[entry.name] = None
                else:
                    self._stack.callback(reader.close)
                    self._readers[entry.name] = reader
            return self._readers[entry.name]


SpreadUnits = Callable[[RunOutline, UnitsHere], AbstractContextManager[DocumentUnit]]
"""Given a run and what documents its units in this process, what documents each of them."""


@contextmanager
def all_here(_outline: RunOutline, here: UnitsHere) -> Iterator[DocumentUnit]:
    """Every unit in this process."""
    yield here.document
