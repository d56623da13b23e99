"""Spread the work units of a large run over processes, because describing and rendering are CPU-bound.

The run starts in its own process. If there is much to do, it starts workers; once they are ready, they do all the
work, and this process forwards their progress.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

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
from tribal_contracts import UnitResult

if TYPE_CHECKING:
    from tribal.ports import Options, ProgressSink, RunContext
    from tribal.runs.workers.units import DocumentUnit, UnitsHere
    from tribal_contracts import RunOutline

WORTH_PROCESSES = 150
"""The number of tables from which workers pay off: starting them takes as long as documenting 100 tables here."""
_LOOK_SECONDS = 0.1
_LEAVE_SECONDS = 5.0


class _WorkerGoneError(Exception):
    """The worker process ended without a response."""


class _Worker:
    """One worker process and the pipes to it."""

    def __init__(self, command: Sequence[str], setup: Setup) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter, as the composition root says
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Ctrl-C must reach only the run, which stops its workers.
            start_new_session=True,
        )
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("a worker without pipes")
        self._to, self._from = self._process.stdin, self._process.stdout
        self._setup = setup
        self._sending = threading.Lock()

    def wait_until_ready(self) -> bool:
        """Send the setup and wait; returns whether the worker became ready."""
        try:
            self.send(self._setup)
            return isinstance(receive(self._from), WorkerReady)
        except (_WorkerGoneError, EOFError):
            return False

    def document(self, request: DocumentUnitRequest, sink: ProgressSink) -> UnitResult:
        """Document one unit in the worker, and forward its progress."""
        self.send(request)
        while True:
            try:
                message = receive(self._from)
            except EOFError as error:
                raise _WorkerGoneError from error
            if isinstance(message, TableDone):
                sink.advance("document", message.table, message.outcome)
            elif isinstance(message, Note):
                sink.note(message.message)
            elif isinstance(message, UnitDone):
                if message.error is not None:
                    raise message.error
                return UnitResult.from_json(message.result)

    def send(self, message: object) -> None:
        """Send a message to the worker."""
        try:
            with self._sending:
                send(self._to, message)
        except (OSError, ValueError) as error:
            raise _WorkerGoneError from error

    def dismiss(self) -> None:
        """Wait for the process to end; kill it if it does not."""
        with suppress(OSError):
            self._to.close()
        try:
            self._process.wait(_LEAVE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._from.close()


class UnitProcesses:
    """Documents each unit in this process or in a free worker."""

    def __init__(
        self,
        run: RunContext,
        here: UnitsHere,
        starters: Sequence[Callable[[], _Worker]],
        documented: Callable[[], int],
    ) -> None:
        self._here = here
        self._starters = starters
        self._stop = run.stop
        self._sink = run.sink
        self._documented = documented
        self._change = threading.Condition()
        self._busy_here = False
        self._starter: threading.Thread | None = None
        self._workers: list[_Worker] = []
        self._idle: list[_Worker] = []
        self._alive = 0
        self._closed = threading.Event()

    def document(self, unit_id: str, /, *, postpone: bool = True) -> UnitResult:
        """Document a unit in the first free process; see `DocumentUnit`."""
        request = DocumentUnitRequest(unit_id, postpone)
        while True:
            worker = self._take()
            if worker is None:
                return self._document_here(request)
            try:
                result = worker.document(request, self._sink)
            except _WorkerGoneError:
                self._discard(worker)
                continue
            except BaseException:
                self._release(worker)
                raise
            self._release(worker)
            return result

    def close(self) -> None:
        """End every worker."""
        self._closed.set()
        if self._starter is not None:
            self._starter.join()
        for worker in self._workers:
            worker.dismiss()

    def _take(self) -> _Worker | None:
        """Wait for an idle worker, or `None` for this process itself."""
        with self._change:
            while True:
                self._stop.check()
                if not self._busy_here:
                    if self._idle:
                        self._here.close_readers()
                        return self._idle.pop()
                    if not self._alive:
                        self._busy_here = True
                        return None
                self._change.wait(_LOOK_SECONDS)

    def _document_here(self, request: DocumentUnitRequest) -> UnitResult:
        try:
            return self._here.document(request.unit_id, postpone=request.postpone)
        finally:
            with self._change:
                self._busy_here = False
                if self._starter is None and self._documented():
                    self._starter = threading.Thread(target=self._start, name="workers", daemon=True)
                    self._starter.start()
                self._change.notify_all()

    def _start(self) -> None:
        try:
            for start in self._starters:
                self._workers.append(start())
        except OSError as error:
            self._sink.note(f"no more worker processes: {error.strerror}")
        workers = list(self._workers)
        threading.Thread(target=self._forward_stop, name="stop-workers", daemon=True).start()
        for worker in workers:
            # A worker that is not ready is never used; `close` ends it with the others.
            if worker.wait_until_ready():
                with self._change:
                    self._alive += 1
                    self._idle.append(worker)
                    self._change.notify_all()

    def _forward_stop(self) -> None:
        while not self._closed.wait(_LOOK_SECONDS):
            if (cause := self._stop.cause) is not None:
                for worker in self._workers:
                    with suppress(_WorkerGoneError):
                        worker.send(StopRequest(cause.with_traceback(None)))
                return

    def _release(self, worker: _Worker) -> None:
        with self._change:
            self._idle.append(worker)
            self._change.notify()

    def _discard(self, worker: _Worker) -> None:
        worker.dismiss()
        with self._change:
            self._alive -= 1
            self._change.notify_all()
        self._sink.note("a worker process died; its unfinished work is repeated")


@contextmanager
def unit_processes(
    run: RunContext, outline: RunOutline, here: UnitsHere, documented: Callable[[], int]
) -> Iterator[DocumentUnit]:
    """Yield the function that documents each unit: in this process, or with as many workers as pay off.

    Args:
        run: the run; its application has the command for workers.
        outline: the units.
        here: documents units in this process.
        documented: returns the number of tables documented so far.
    """
    launch = run.app.run.workers
    number = processes_for(run.options, outline)
    if launch is None or number < 2:
        yield here.document
        return
    setup = Setup(run.run_id, launch.blueprint, number)
    processes = UnitProcesses(run, here, [lambda: _Worker(launch.command, setup)] * number, documented)
    try:
        yield processes.document
    finally:
        processes.close()


def processes_for(options: Options, outline: RunOutline) -> int:
    """The number of processes for a run, at most the lowest connection limit: each process needs a connection.

    One if a model is used: waiting for it takes no CPU time, and its budget must be kept in one process.
    """
    if any(map(options.described_by_model, options.databases)):
        return 1
    most = min(len(outline.units), *(entry.limits.connections for entry in options.databases))
    if options.worker_processes is not None:
        return min(options.worker_processes, most)
    counts = (unit.tables if unit.tables_to_document is None else unit.tables_to_document for unit in outline.units)
    if sum(counts) < WORTH_PROCESSES:
        return 1
    return min(_cores(), options.planning.units_at_once, most)


def _cores() -> int:
    """Number of cores that this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
