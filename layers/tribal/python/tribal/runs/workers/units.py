"""Documents the work units of a run in this process."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Self

from tribal.catalog import locations
from tribal.documenting import document_unit
from tribal.errors import DatabaseError
from tribal.ports import CatalogReader, RunContext
from tribal.store import require_record
from tribal_contracts import DatabaseEntry, RunOutline, UnitResult, WorkUnit

DocumentUnit = Callable[[str], UnitResult]
"""Documents the unit of that id; called from many threads."""


class UnitsHere:
    """Documents units of one run in this process, with one reader per database, opened on first use."""

    def __init__(self, run: RunContext) -> None:
        self._run = run
        self._entries = {entry.name: entry for entry in run.options.databases}
        self._stack = ExitStack()
        self._lock = threading.Lock()
        self._readers: dict[str, CatalogReader | None] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close_readers()

    def close_readers(self) -> None:
        """Close the readers; later units reopen them."""
        with self._lock:
            self._readers.clear()
            self._stack.close()

    def document(self, unit_id: str) -> UnitResult:
        """Document one unit of the run's plan."""
        run = self._run
        unit = require_record(run.store, locations.run_unit_file(run.run_id, unit_id), WorkUnit)
        entry = self._entries[unit.database]
        options = run.options.documenting.for_entry(entry)
        return document_unit(unit, run, self._reader_of(entry) if options.rows_to_sample else None, options)

    def _reader_of(self, entry: DatabaseEntry) -> CatalogReader | None:
        with self._lock:
            if entry.name not in self._readers:
                try:
                    reader = self._run.app.open_reader(entry)
                except DatabaseError as error:
                    self._run.sink.note(f"{entry.name}: documented without samples: {error.message}")
                    self._readers[entry.name] = None
                else:
                    self._stack.callback(reader.close)
                    self._readers[entry.name] = reader
            return self._readers[entry.name]


SpreadUnits = Callable[[RunOutline, UnitsHere], AbstractContextManager[DocumentUnit]]
"""Opens the function that documents each unit of an outline, given what documents them in this process."""


@contextmanager
def all_here(_outline: RunOutline, here: UnitsHere) -> Iterator[DocumentUnit]:
    """Document every unit in this process."""
    yield here.document
