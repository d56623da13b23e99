"""What the stages of one run share, what they are asked for, and how they went."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from threading import Lock

from tribal.errors import PlanError
from tribal.ports import Clock, Deadline, Lease, ObjectStore, Outcome, ProgressSink, WorkerPool
from tribal_contracts import AgentError, AgentStatus, DocumentationManifest, RunOutline


@dataclass(frozen=True, slots=True)
class RunContext:
    """What every stage of one run shares."""

    run_id: str
    store: ObjectStore
    lease: Lease
    clock: Clock
    deadline: Deadline
    pool: WorkerPool
    sink: ProgressSink


@dataclass(frozen=True, slots=True)
class DocumentSelection:
    """Which work units a run shall document; empty sets select all."""

    unit_ids: frozenset[str] = frozenset()
    domains: frozenset[str] = frozenset()
    databases: frozenset[str] = frozenset()

    def of(self, outline: RunOutline) -> frozenset[str]:
        """The ids of the selected units.

        Raises:
            PlanError: when the selection names a unit, domain or database that the plan lacks.
        """
        for kind, wanted, known in (
            ("work unit", self.unit_ids, set(outline.unit_ids)),
            ("domain", self.domains, {unit.domain for unit in outline.units}),
            ("database", self.databases, {unit.database for unit in outline.units}),
        ):
            unknown = sorted(wanted - known)
            if unknown:
                names = ", ".join(sorted(known))
                raise PlanError(f"the plan has no {kind} {unknown[0]!r}; it has {names}", code="WORK_UNIT_INVALID")
        return frozenset(
            unit.id
            for unit in outline.units
            if (not self.unit_ids or unit.id in self.unit_ids)
            and (not self.domains or unit.domain in self.domains)
            and (not self.databases or unit.database in self.databases)
        )


@dataclass(frozen=True, slots=True)
class DocumentedRun:
    """How documenting went; `manifest` is `None` when nothing at all could be documented and the previous one stays."""

    outline: RunOutline
    status: AgentStatus
    errors: tuple[AgentError, ...]
    manifest: DocumentationManifest | None


class CountingSink:
    """Counts the outcomes of tables on their way to another sink."""

    def __init__(self, inner: ProgressSink) -> None:
        self._inner = inner
        self._lock = Lock()
        self.counts: Counter[Outcome] = Counter()

    def begin(self, stage: str, total: int) -> None:
        """Pass on."""
        self._inner.begin(stage, total)

    def advance(self, stage: str, item: str, outcome: Outcome) -> None:
        """Count and pass on."""
        if stage == "document":
            with self._lock:
                self.counts[outcome] += 1
        self._inner.advance(stage, item, outcome)

    def end(self, stage: str, summary: str) -> None:
        """Pass on."""
        self._inner.end(stage, summary)

    def note(self, message: str) -> None:
        """Pass on."""
        self._inner.note(message)
