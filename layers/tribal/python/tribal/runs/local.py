"""A run on this machine: lease, record and stages, in one process and its workers.

Ctrl-C and SIGTERM stop the run gracefully, and end the process if that takes longer than some seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Self

from tribal.errors import Activity, EmbeddingFailed, StoreError, TribalError, doing
from tribal.identity import locations
from tribal.jobs.lease import RunLease
from tribal.ports import Application, Provider, RunContext, StopToken
from tribal.runs.context import CountingSink, closing_run, is_partial
from tribal.runs.pipeline import document_run, index_run, plan_run
from tribal.runs.records import RunLog, new_run_id, prune_runs
from tribal.runs.signals import interrupted, stop_on_signal
from tribal.runs.workers.pool import ThreadWorkerPool
from tribal.runs.workers.processes import unit_processes
from tribal.store import WatchedStore, content_hash

if TYPE_CHECKING:
    from tribal.planning import ComposedPlan
    from tribal.ports import Embedder, ProgressSink
    from tribal.runs.workers.units import DocumentUnit, UnitsHere
    from tribal_contracts import AgentError, AgentStatus, IndexerProgress, RunOutline, RunRecord


_ACTIVITIES: Mapping[str, Activity] = {
    "plan": "planning",
    "run": "planning",
    "document": "documenting",
    "index": "indexing",
}
"""A command's first activity, which fails if its run cannot be opened."""


class LocalRun:
    """Opens a run, performs its stages, and records how it ended.

    Entering raises `RunLocked` if another run is in progress.

    Args:
        app: the run's application; its options select what to do.
        command: name of the command, for the run's record.
        sink: receives the progress.
    """

    def __init__(self, app: Application, command: str, sink: ProgressSink) -> None:
        self.indexed: IndexerProgress | None = None
        self._app = app
        self._command = command
        self._sink = CountingSink(sink)
        self._stack = ExitStack()
        self._errors: list[AgentError] = []
        self._statuses: list[AgentStatus] = []

    def __enter__(self) -> Self:
        with doing(_ACTIVITIES[self._command]) if self._command in _ACTIVITIES else nullcontext():
            self._open()
        return self

    def _open(self) -> None:
        stop = StopToken()
        store = WatchedStore(self._app.store(), self._sink.note)
        app = self._app = replace(self._app, store=Provider.of(store))
        run_id = new_run_id(app.clock)
        lease = RunLease.of(app, locations.DOCUMENTATION_LEASE, run_id, stop)
        with self._stack:
            self._stack.enter_context(lease)
            self._stack.enter_context(stop_on_signal(stop, self._sink.note))
            app.run.sweep()
            self._run = RunContext(run_id, app, lease, stop, ThreadWorkerPool(stop), self._sink)
            self._log = RunLog(store, app.clock, run_id, self._command)
            self._log.start()
            prune_runs(store, keep=app.options().runs_kept, run_id=run_id)
            self._stack = self._stack.pop_all()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with self._stack, closing_run(self._run):
            if isinstance(error, KeyboardInterrupt):
                error = interrupted()
            if isinstance(error, TribalError):
                self._errors.append(self._recorded(error))
            # A failing store may be why the run ended; the first error says more than the next one.
            with suppress(StoreError) if error is not None else nullcontext():
                self._write_record("failed" if error is not None else self._status())

    def _write_record(self, status: AgentStatus) -> None:
        counts = self._sink.counts
        self._log.add_texts(self._run.texts)
        self._log.finish(
            status,
            documented=counts["documented"],
            unchanged=counts["unchanged"],
            failed=counts["failed"],
            errors=self._errors,
            usage=self._run.usage,
        )

    def _recorded(self, error: TribalError) -> AgentError:
        """The error for the record, with its class, from which followers of the run derive the exit code."""
        recorded = error.to_agent_error(self._app.clock.published())
        return recorded.model_copy(update={"context": {**(recorded.context or {}), "error": type(error).__name__}})

    def _status(self) -> AgentStatus:
        """The worst status of any stage."""
        for status in ("failed", "partial", "running"):
            if status in self._statuses:
                return "failed" if status == "failed" else "partial"
        return "completed"

    @property
    def is_complete(self) -> bool:
        """Whether every stage so far has ended, none of them `partial` or `failed`."""
        return self._status() == "completed"

    @property
    def record(self) -> RunRecord:
        """The run's record, final after the exit of the context."""
        return self._log.record

    def plan(self) -> ComposedPlan:
        """Read the databases and publish a plan."""
        composed = plan_run(self._run)
        self._errors.extend(composed.plan.errors)
        self._statuses.append("partial" if is_partial(composed.plan) else "completed")
        self._log.attach_plan(locations.run_plan_file(self._run.run_id), composed.plan_hash)
        return composed

    def document(self) -> bool:
        """Document the latest plan and publish the manifest; returns whether there is anything to index."""

        def spread(outline: RunOutline, here: UnitsHere) -> AbstractContextManager[DocumentUnit]:
            return unit_processes(self._run, outline, here, lambda: self._sink.counts["documented"])

        result = document_run(self._run, spread)
        # A run that also made its plan has already reported undone edits.
        planned = tuple(self._errors)
        self._errors.extend(error for error in result.errors if error not in planned)
        self._statuses.append(result.status)
        self._log.attach_plan(locations.run_plan_file(self._run.run_id), result.outline.plan_hash)
        self._log.attach_coverage(result.coverage, result.quote)
        return result.manifest is not None or content_hash(self._run.store, locations.MANIFEST_FILE) is not None

    def index(self) -> None:
        """Bring the index up to date with the manifest."""
        index = self._app.run.index_writer()
        self._stack.callback(index.close)
        self.indexed = index_run(self._run, index, self._embedder())
        self._errors.extend(self.indexed.errors)
        self._statuses.append(self.indexed.status)

    def _embedder(self) -> Embedder | None:
        try:
            return self._app.embedder_of_index(self._run.run_id)
        except EmbeddingFailed as error:
            self._sink.note(error.message)
            return None
