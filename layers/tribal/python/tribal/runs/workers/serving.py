"""The worker's side of the pipes: document the work units sent by a run in another process."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import replace
from queue import SimpleQueue
from typing import IO, TYPE_CHECKING, Any, NoReturn

from tribal.errors import TribalError, describe_unexpected
from tribal.ports import Application, Provider, RunContext, StopToken
from tribal.runs.workers.messages import (
    DocumentUnitRequest,
    Note,
    Setup,
    StopRequest,
    TableDone,
    UnitDone,
    WorkerReady,
    receive,
    send,
)
from tribal.runs.workers.pool import ThreadWorkerPool
from tribal.runs.workers.units import UnitsHere
from tribal.store import WatchedStore

if TYPE_CHECKING:
    from tribal.ports import ItemOutcome


class PipeSink:
    """Forwards progress to the run, which manages the stages itself."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    def begin(self, stage: str, total: int) -> None:
        """Do nothing: the run has started the stage."""

    def end(self, stage: str, summary: str) -> None:
        """Do nothing: the run ends the stage."""

    def advance(self, stage: str, item: str, outcome: ItemOutcome) -> None:  # noqa: ARG002 - the only stage here
        """Forward."""
        self.send(TableDone(item, outcome))

    def add_text(self, stage: str, text: str) -> None:
        """Do nothing: no model is asked here."""

    def note(self, message: str) -> None:
        """Forward."""
        self.send(Note(message))

    def send(self, message: object) -> None:
        """Send a message; safe on many threads. Ends the process if the run is dead."""
        with self._lock:
            try:
                send(self._stream, message)
            except BrokenPipeError:
                _end_without_the_run()


class _LeaseOfTheRun:
    """Replaces the lease, which the parent run holds; a worker publishes nothing."""

    def __init__(self, run_id: str) -> None:
        self.run_id = run_id

    def check(self) -> None:
        """Do nothing: the run checks."""


def serve(source: IO[bytes], target: IO[bytes], build: Callable[[Any, int], Application]) -> None:
    """Document incoming units until there are no more; ends immediately if the run dies.

    Args:
        source: messages from the run.
        target: messages to the run.
        build: builds the application from the run's blueprint and the number of workers that share its connections.
    """
    try:
        setup = receive(source)
    except EOFError:
        return
    # A run that is stopped while its workers start stops them before it sets them up.
    if isinstance(setup, StopRequest):
        return
    if not isinstance(setup, Setup):
        raise TypeError(f"a worker expects its setup first, got {type(setup).__name__}")
    stop, sink, work = StopToken(), PipeSink(target), SimpleQueue[DocumentUnitRequest]()
    app = build(setup.blueprint, setup.workers)
    app = replace(app, store=Provider.of(WatchedStore(app.store(), sink.note)))
    run = RunContext(setup.run_id, app, _LeaseOfTheRun(setup.run_id), stop, ThreadWorkerPool(stop), sink)
    # Nothing else is closed: no model is asked here, see `processes_for`.
    with UnitsHere(run) as units:
        threading.Thread(target=_listen, args=(source, stop, work), daemon=True).start()
        sink.send(WorkerReady())
        while True:
            sink.send(_document(units, work.get()))


def _end_without_the_run() -> NoReturn:
    """End this process at once: it must not write for a run that is dead. The next run redoes the current unit."""
    os._exit(0)


def _listen(source: IO[bytes], stop: StopToken, work: SimpleQueue[DocumentUnitRequest]) -> None:
    while True:
        try:
            message = receive(source)
        except EOFError:
            _end_without_the_run()
        if isinstance(message, DocumentUnitRequest):
            work.put(message)
        elif isinstance(message, StopRequest):
            stop.request(message.cause)


def _document(units: UnitsHere, asked: DocumentUnitRequest) -> UnitDone:
    try:
        return UnitDone(units.document(asked.unit_id, postpone=asked.postpone).to_compact_json())
    except TribalError as error:
        return UnitDone(b"", error.with_traceback(None))
    except Exception as error:  # noqa: BLE001 - the outermost edge of this process: the run raises it
        return UnitDone(b"", RuntimeError(describe_unexpected(error)))
