"""The options of a run, from settings and a request."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta

from tribal_contracts import DatabaseEntry, LocatedMetric, LocatedTerm, ModelSettings, RunRequest

DOCUMENT_VERSION = "7"
"""Change it whenever the same slice would produce a different `TableDocument`, or a reading has more of a database."""


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """Options for planning."""

    config_hash: str
    tables_per_unit: int = 25
    units_at_once: int = 4
    replan: bool = False
    """Infer all domains again instead of keeping those of the last plan."""


@dataclass(frozen=True, slots=True)
class DocumentingOptions:
    """Options for documenting; `for_entry` adds the settings of one database."""

    sample_rows: int = 50
    tables_at_once: int = 3
    take_samples: bool = True
    sample_views: bool = False
    """Whether to sample views, materialized views and foreign tables too, whatever the cost of reading them."""
    force: bool = False
    """Document everything again, changed or not."""
    retry_failed: bool = False
    """Document only tables that failed or were never reached."""
    max_age: timedelta | None = None
    """A table whose files are older is documented again for its row count and samples."""
    refresh: bool = True
    """Whether age, or samples that were unavailable last time, are a reason to document a table again."""
    record_pid: bool = True
    """Whether the progress of a unit names the process that works on it."""

    @property
    def rows_to_sample(self) -> int:
        """Number of rows to sample from a table; 0 for no samples."""
        return self.sample_rows if self.take_samples else 0

    def for_entry(self, entry: DatabaseEntry) -> DocumentingOptions:
        """These options, completed by the settings of one database."""
        return replace(self, sample_rows=entry.sample_rows, sample_views=entry.sample_views)


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which parts of a plan a run covers; empty sets select everything."""

    units: frozenset[str] = frozenset()
    domains: frozenset[str] = frozenset()
    databases: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunParameters:
    """The parameters of one run, from the command line or a request."""

    selection: Selection = Selection()
    force: bool = False
    """Document and index everything again, changed or not."""
    retry_failed: bool = False
    """Document only tables that failed or were never reached."""
    replan: bool = False
    """Infer all domains again instead of keeping those of the last plan."""
    new_prose: bool = False
    """Have the model rewrite everything."""
    budget_usd: float | None = None
    """Cost limit of the model for this run, if below the limit in the settings."""
    anyway: bool = False
    """Use the model without testing it, and even if it failed its test."""

    @classmethod
    def of(cls, request: RunRequest) -> RunParameters:
        """The parameters of a request to a deployed environment."""
        return cls(
            selection=Selection(
                units=frozenset(request.units),
                domains=frozenset(request.domains),
                databases=frozenset(request.databases),
            ),
            force=request.force or request.new_prose,
            retry_failed=request.retry_failed,
            replan=request.replan,
            new_prose=request.new_prose,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """All options of a run, from settings and a request."""

    databases: tuple[DatabaseEntry, ...]
    """One entry per database."""
    planning: PlanOptions
    documenting: DocumentingOptions
    selection: Selection = Selection()
    statistics_max_age: timedelta = timedelta(days=7)
    runs_kept: int = 50
    worker_processes: int | None = None
    """Number of processes; `None` chooses it by the size of the run."""
    configured: tuple[DatabaseEntry, ...] = ()
    """The entries as written; one may match several databases."""
    model: ModelSettings | None = None
    """The model that describes tables; `None` if rules do."""
    new_prose: bool = False
    """Have the model rewrite everything."""
    metrics: tuple[LocatedMetric, ...] = ()
    """Metrics of the project file."""
    terms: tuple[LocatedTerm, ...] = ()
    """Terms of the project file."""

    def described_by_model(self, entry: DatabaseEntry) -> bool:
        """Whether the model describes the tables of a database."""
        return self.model is not None and entry.describer != "rules"
