"""Documents the work units of a run in this process.

Units that could not be documented are recorded, so that Finish reports them and publishes the others.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Protocol, Self

from tribal.documenting import document_unit
from tribal.errors import DatabaseError, TribalError, describe_unexpected
from tribal.identity import locations
from tribal.masking import redact_text
from tribal.ports import CatalogReader, RunContext
from tribal.store import put_record, read_record, require_record
from tribal_contracts import AgentError, DatabaseEntry, RunOutline, UnitFailure, UnitResult, WorkUnit, agent_error

if TYPE_CHECKING:
    from tribal.ports import Clock, ObjectStore


class DocumentUnit(Protocol):
    """Documents a unit; called from many threads."""

    def __call__(self, unit_id: str, /, *, postpone: bool = True) -> UnitResult:
        """Document the unit of that id; `postpone` hands back tables whose server has no free connection.

        The first call without `postpone` asks such servers again, and what still cannot be sampled is documented
        without samples.
        """
        ...


class UnitsHere:
    """Documents units of one run in this process, with one reader per database.

    A reader is opened on first use, and closed when a unit of another database starts and none of its own is running.
    """

    def __init__(self, run: RunContext) -> None:
        self._run = run
        self._entries = {entry.name: entry for entry in run.options.databases}
        self._lock = threading.Lock()
        self._readers: dict[str, CatalogReader | None] = {}
        self._users: Counter[str] = Counter()
        self._last_round = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close_readers()

    def close_readers(self) -> None:
        """Close the readers; later units reopen them."""
        with self._lock:
            for name in list(self._readers):
                self._close(name)

    def document(self, unit_id: str, /, *, postpone: bool = True) -> UnitResult:
        """Document one unit of the run's plan; see `DocumentUnit`."""
        if not postpone:
            self._begin_last_round()
        run = self._run
        unit = require_record(run.store, locations.run_unit_file(run.run_id, unit_id), WorkUnit)
        entry = self._entries[unit.database]
        options = run.options.documenting.for_entry(entry)
        if not options.rows_to_sample:
            return document_unit(unit, run, None, options)
        with self._reading(entry) as reader:
            return document_unit(unit, run, reader, options, postpone=postpone)

    def _begin_last_round(self) -> None:
        with self._lock:
            if not self._last_round:
                self._last_round = True
                self._run.app.run.retry_servers()

    @contextmanager
    def _reading(self, entry: DatabaseEntry) -> Iterator[CatalogReader | None]:
        with self._lock:
            for name in [name for name in self._readers if name != entry.name and not self._users[name]]:
                self._close(name)
            reader = self._open(entry)
            self._users[entry.name] += 1
        try:
            yield reader
        finally:
            with self._lock:
                self._users[entry.name] -= 1

    def _open(self, entry: DatabaseEntry) -> CatalogReader | None:
        if entry.name not in self._readers:
            try:
                self._readers[entry.name] = self._run.app.run.open_reader(entry)
            except DatabaseError as error:
                self._run.sink.note(f"{entry.name}: documented without samples: {error.message}")
                self._readers[entry.name] = None
        return self._readers[entry.name]

    def _close(self, name: str) -> None:
        reader = self._readers[name]
        # A database that could not be opened is not tried again, nor noted twice.
        if reader is not None:
            del self._readers[name]
            reader.close()


SpreadUnits = Callable[[RunOutline, UnitsHere], AbstractContextManager[DocumentUnit]]
"""Opens the function that documents each unit of an outline, given what documents them in this process."""


@contextmanager
def all_here(_outline: RunOutline, here: UnitsHere) -> Iterator[DocumentUnit]:
    """Document every unit in this process."""
    yield here.document


CAUSE_CHARS = 500
"""Maximum length of a recorded failure's cause."""


def record_unit_failure(
    run_id: str, unit_id: str, *, error: str, cause: str, store: ObjectStore, clock: Clock
) -> AgentError:
    """Record why a unit failed, for Finish; `error` is the class, `cause` the message."""
    failure = agent_error(
        "DOC_UNIT_FAILED",
        f"work unit {unit_id!r} could not be documented: {error}: {cause[:CAUSE_CHARS]}",
        timestamp=clock.published(),
        context={"work_unit": unit_id, "error": error},
    )
    put_record(store, locations.run_failure_file(run_id, unit_id), UnitFailure(unit_id=unit_id, error=failure))
    return failure


class ContainedUnits:
    """Documents units; an unexpected failure is recorded and does not stop the others. A `DocumentUnit`."""

    def __init__(self, document: DocumentUnit, run: RunContext) -> None:
        self._document = document
        self._run = run
        self.failures: list[AgentError] = []

    def document(self, unit_id: str, /, *, postpone: bool = True) -> UnitResult:
        """Document a unit; after an unexpected error, its result has the status `failed`."""
        try:
            return self._document(unit_id, postpone=postpone)
        except TribalError:
            raise
        except Exception as error:  # noqa: BLE001 - one unit must not lose the others
            return self._failed(unit_id, error)

    def _failed(self, unit_id: str, error: Exception) -> UnitResult:
        run = self._run
        kind = type(error).__name__
        cause = redact_text(describe_unexpected(error).removeprefix(f"{kind}: "))
        self.failures.append(
            record_unit_failure(run.run_id, unit_id, error=kind, cause=cause, store=run.store, clock=run.clock)
        )
        earlier = read_record(run.store, locations.unit_result_file(unit_id), UnitResult)
        if earlier is not None:
            return earlier.model_copy(update={"status": "failed", "tables": []})
        unit = require_record(run.store, locations.run_unit_file(run.run_id, unit_id), WorkUnit)
        return UnitResult(
            schema_version="1.0",
            work_unit_id=unit.id,
            database=unit.database,
            domain=unit.domain,
            output_directory=unit.output_directory,
            status="failed",
            tables=[],
        )
