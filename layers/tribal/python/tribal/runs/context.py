"""Select a run's units, hold its result, and close it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock

from tribal.errors import StoreError
from tribal.ports import ItemOutcome, ProgressSink, RunContext, Selection
from tribal.runs.selecting import require_selected
from tribal_contracts import (
    AgentError,
    AgentStatus,
    CatalogCoverage,
    DocumentationManifest,
    DocumentationPlan,
    ModelQuote,
    RunOutline,
)


def selected_units(outline: RunOutline, asked: Selection) -> frozenset[str]:
    """The ids of the selected units.

    Raises:
        SelectionUnknown: when the selection names a unit, domain or database that is not in the plan.
    """
    require_selected(outline, asked)
    return frozenset(
        unit.id
        for unit in outline.units
        if (not asked.units or unit.id in asked.units)
        and (not asked.domains or unit.domain in asked.domains)
        and (not asked.databases or unit.database in asked.databases)
    )


def is_partial(plan: DocumentationPlan | RunOutline) -> bool:
    """Whether a database could not be planned completely."""
    unreachable = any(analysis.status == "unreachable" for analysis in plan.databases)
    return unreachable or any(error.severity == "error" for error in plan.errors)


@dataclass(frozen=True, slots=True)
class DocumentedRun:
    """The result of documenting; `manifest` is `None` if nothing could be documented and the previous one is kept."""

    outline: RunOutline
    status: AgentStatus
    errors: tuple[AgentError, ...]
    manifest: DocumentationManifest | None
    coverage: CatalogCoverage | None
    """How much is described now; `None` without a manifest."""
    quote: ModelQuote | None
    """Estimated model usage, from the plan."""


@contextmanager
def closing_run(run: RunContext) -> Iterator[RunContext]:
    """Close a run's context when the block ends.

    A failure to write the last model costs does not fail the run and may be why it ended: the next reader of the record
    counts all reserved money as spent.
    """
    try:
        yield run
    finally:
        try:
            run.close()
        except StoreError as error:
            run.sink.note(
                f"the last model costs could not be written, so their highest price is assumed: {error.message}"
            )


class CountingSink:
    """Counts the outcomes of tables and forwards them to another sink."""

    def __init__(self, inner: ProgressSink) -> None:
        self._inner = inner
        self._lock = Lock()
        self.counts: Counter[ItemOutcome] = Counter()

    def begin(self, stage: str, total: int) -> None:
        """Forward."""
        self._inner.begin(stage, total)

    def advance(self, stage: str, item: str, outcome: ItemOutcome) -> None:
        """Count and forward."""
        if stage == "document":
            with self._lock:
                self.counts[outcome] += 1
        self._inner.advance(stage, item, outcome)

    def add_text(self, stage: str, text: str) -> None:
        """Forward."""
        self._inner.add_text(stage, text)

    def end(self, stage: str, summary: str) -> None:
        """Forward."""
        self._inner.end(stage, summary)

    def note(self, message: str) -> None:
        """Forward."""
        self._inner.note(message)
