"""A run on this machine: the lease, the record and the stages, in one process."""

from __future__ import annotations

from contextlib import AbstractContextManager, ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Self

from tribal.app import local as wiring
from tribal.catalog import locations
from tribal.errors import EmbeddingFailed, TribalError
from tribal.planning import ComposedPlan
from tribal.ports import DocumentingOptions, PlanOptions
from tribal.runs.context import CountingSink, DocumentSelection, RunContext
from tribal.runs.deadline import NoDeadline
from tribal.runs.ids import new_run_id
from tribal.runs.leases.lease import RunLease
from tribal.runs.pipeline import document_run, index_run, plan_run
from tribal.runs.pruning import prune_runs
from tribal.runs.records import RunLog
from tribal.runs.signals import stop_on_signal
from tribal.runs.workers.messages import Setup
from tribal.runs.workers.pool import ThreadWorkerPool
from tribal.runs.workers.processes import unit_processes

if TYPE_CHECKING:
    from tribal.ports import Embedder, ProgressSink
    from tribal.runs.workers.units import DocumentUnit, UnitsHere
    from tribal.settings import Settings
    from tribal_contracts import AgentError, AgentStatus, IndexerProgress, RunOutline, RunRecord


class LocalRun:
    """Opens a run, carries out the stages that it is asked for, and writes down how it ended.

    Entering raises `RunLocked` when another run is under way.
    """

    def __init__(self, settings: Settings, command: str, sink: ProgressSink) -> None:
        self.settings = settings
        self.indexed: IndexerProgress | None = None
        self._command = command
        self._sink = CountingSink(sink)
        self._stack = ExitStack()
        self._describer = wiring.describer()
        self._open_reader = wiring.reader_opener(settings)
        self._pool = ThreadWorkerPool()
        self._errors: list[AgentError] = []
        self._statuses: list[AgentStatus] = []

    def __enter__(self) -> Self:
        clock, store = wiring.clock_of(self.settings), wiring.store_of(self.settings)
        run_id = new_run_id(clock)
        pool = self._pool
        lease = RunLease(store, clock, run_id, lock=wiring.process_lock_of(self.settings))
        with self._stack:
            self._stack.enter_context(lease)
            self._stack.enter_context(stop_on_signal(pool, self._sink.note))
            wiring.sweep_store(self.settings)
            self._context = RunContext(run_id, store, lease, clock, NoDeadline(), pool, self._sink)
            self._log = RunLog(store, clock, run_id, self._command)
            self._log.start()
            prune_runs(store, keep=self.settings.runs_kept, run_id=run_id)
            self._stack = self._stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with self._stack:
            if isinstance(error, TribalError):
                self._errors.append(error.to_agent_error(self._context.clock.published()))
            counts = self._sink.counts
            self._log.finish(
                "failed" if error is not None else self._status(),
                documented=counts["documented"],
                unchanged=counts["unchanged"],
                failed=counts["failed"],
                errors=self._errors,
            )

    def _status(self) -> AgentStatus:
        """The worst of the stages'."""
        for status in ("failed", "partial", "running"):
            if status in self._statuses:
                return "failed" if status == "failed" else "partial"
        return "completed"

    @property
    def record(self) -> RunRecord:
        """How the run went."""
        return self._log.record

    def plan(self, *, replan: bool) -> ComposedPlan:
        """Read the databases and publish a plan."""
        composed = plan_run(
            self._context,
            self.settings.entries,
            open_reader=self._open_reader,
            options=self._plan_options(replan=replan),
            documenting=self._documenting_options(force=False, retry_failed=False),
            describer=self._describer,
            statistics_max_age=self.settings.statistics_max_age,
            embedder=self._embedder(),
        )
        self._errors.extend(composed.plan.errors)
        unreachable = any(analysis.status == "unreachable" for analysis in composed.plan.databases)
        self._statuses.append("partial" if unreachable else "completed")
        self._log.attach_plan(locations.run_plan_file(self._context.run_id), composed.plan_hash)
        return composed

    def document(self, selection: DocumentSelection, *, force: bool, retry_failed: bool) -> bool:
        """Document by the latest plan and publish the manifest; returns whether there is anything to index."""
        options = self._documenting_options(force=force, retry_failed=retry_failed)

        def spread(outline: RunOutline, here: UnitsHere) -> AbstractContextManager[DocumentUnit]:
            return unit_processes(
                self.settings,
                Setup(self._context.run_id, self.settings, options),
                outline,
                here,
                pool=self._pool,
                sink=self._sink,
                documented=lambda: self._sink.counts["documented"],
            )

        result = document_run(
            self._context,
            self.settings.entries,
            open_reader=self._open_reader,
            describer=self._describer,
            plan_options=self._plan_options(replan=False),
            options=options,
            selection=selection,
            ignore_stale=force,
            spread=spread,
        )
        self._errors.extend(result.errors)
        self._statuses.append(result.status)
        self._log.attach_plan(locations.run_plan_file(self._context.run_id), result.outline.plan_hash)
        return result.manifest is not None or self._context.store.head(locations.MANIFEST_FILE) is not None

    def index(self, work_units: frozenset[str] | None, *, force: bool) -> None:
        """Bring the index up to the manifest."""
        index = wiring.index_of(self.settings)
        self._stack.callback(index.close)
        self.indexed = index_run(
            self._context, index=index, embedder=self._embedder(), work_units=work_units, force=force
        )
        self._errors.extend(self.indexed.errors)
        self._statuses.append(self.indexed.status)

    def _embedder(self) -> Embedder | None:
        try:
            return wiring.embedder()
        except EmbeddingFailed as error:
            self._sink.note(error.message)
            return None

    def _plan_options(self, *, replan: bool) -> PlanOptions:
        settings = self.settings
        return PlanOptions(settings.config_hash, settings.tables_per_unit, settings.units_at_once, replan)

    def _documenting_options(self, *, force: bool, retry_failed: bool) -> DocumentingOptions:
        return DocumentingOptions(
            take_samples=self.settings.take_samples,
            tables_at_once=self.settings.tables_at_once,
            force=force,
            retry_failed=retry_failed,
            max_age=self.settings.statistics_max_age,
        )
