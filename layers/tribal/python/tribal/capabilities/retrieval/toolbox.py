"""The dependencies shared by all tools, and the check that the index is ready."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from tribal.errors import IndexNotReady
from tribal.identity.scope import EVERYTHING, Scope
from tribal.identity.table_names import TableIdentity
from tribal.ports import Clock, DerivedValues, Embedder, IndexedTable, IndexFilter, IndexReader
from tribal.ports.application import ANSWER_TOKENS, bounds_of
from tribal.ports.remembering.guidance import Guidance
from tribal.ranking.weights import WEIGHTS, Weights
from tribal.scoping.bounds import OPEN, Bounds
from tribal_contracts import AgentError, Definitions, IndexMetadata, agent_error

STALE_AFTER = timedelta(hours=24)
"""From the specification: an index older than a day causes a warning, never an error."""


@dataclass(frozen=True, slots=True)
class Toolbox:
    """The ports that the tools use, and the scope of the caller."""

    index: IndexReader
    embedder: Embedder | None
    """Embeds questions; `None` to search by words only."""
    clock: Clock
    scope: Scope = EVERYTHING
    no_embedder: str = "no embedding model is installed"
    """Why there is no embedder."""
    weights: Weights = WEIGHTS
    """Weights of the signals of a search."""
    derived: DerivedValues = field(default_factory=DerivedValues)
    """Cache of values computed from the index; may be shared with the toolboxes of other callers."""
    guidance: Callable[[TableIdentity], Sequence[Guidance]] | None = None
    """Memories, decisions and policies about a table that the caller may see."""
    definitions: Callable[[Bounds], Definitions] | None = None
    """Metrics, terms and verified queries within bounds."""
    answer_tokens: int | None = ANSWER_TOKENS
    """The most tokens of a default answer; `None` for no limit."""

    def warning(self, code: str, message: str) -> AgentError:
        """An error of severity "warning", whatever the code's default severity."""
        error = agent_error(code, message, timestamp=self.clock.published())
        return error.model_copy(update={"severity": "warning"})


@dataclass(frozen=True, slots=True)
class OpenIndex:
    """One generation of a finished index, limited to the tables that the caller may see."""

    generation: Hashable
    """Identifies the generation; key of the cache in `Toolbox.derived`."""
    metadata: IndexMetadata
    tables: tuple[IndexedTable, ...]
    """Sorted by name; domains have the names that the caller sees."""
    warnings: tuple[AgentError, ...]
    bounds: Bounds = OPEN

    def index_filter(self, where: IndexFilter) -> IndexFilter:
        """The filter with the domain names that the index uses, and the mentions that the caller may not see."""
        return replace(where, domain=self.bounds.real_domain(where.domain), hidden=self.bounds.hidden)


def open_index(toolbox: Toolbox) -> OpenIndex:
    """Check that the index is ready; call it within `reading()`, so that everything is from one generation.

    Raises:
        IndexNotReady: when there is no finished index, or it is empty.
    """
    # First, because its error says what is wrong with the index.
    tables = tuple(toolbox.index.tables(IndexFilter(scope=toolbox.scope)))
    metadata = toolbox.index.metadata()
    if metadata is None:
        raise IndexNotReady("there is no finished index; run `tribal run` to document and index")
    if metadata.document_count == 0:
        raise IndexNotReady("the index is empty; run `tribal run` on a database that has tables")
    generation = toolbox.index.generation()
    bounds = bounds_of(toolbox.scope, toolbox.index, toolbox.derived)
    if bounds.domains:
        tables = tuple(replace(entry, domain=bounds.shown_domain(entry.domain)) for entry in tables)
    tables = tuple(_without_hidden_partitions(entry, toolbox.scope) if entry.partitions else entry for entry in tables)
    warnings = (*_staleness(toolbox, metadata), *unreached(toolbox, metadata, tables))
    return OpenIndex(generation, metadata, tables, warnings, bounds)


def _without_hidden_partitions(entry: IndexedTable, scope: Scope) -> IndexedTable:
    """The entry with the partitions whose schema the caller may see."""
    schemas = ((name, TableIdentity.parse(name).schema) for name in entry.partitions)
    seen = tuple(name for name, schema in schemas if scope.allows(entry.database, schema))
    return entry if len(seen) == len(entry.partitions) else replace(entry, partitions=seen)


def unreached(toolbox: Toolbox, metadata: IndexMetadata, tables: Iterable[IndexedTable]) -> list[AgentError]:
    """Return a warning for each database that did not answer the last run, and that the caller may see."""
    if not metadata.last_read:
        return []
    visible = {entry.database for entry in tables}
    return [
        toolbox.warning(
            "RET_INDEX_STALE",
            f"the database {name!r} did not answer in the last run: its documentation is from {read_at}",
        )
        for name, read_at in sorted(metadata.last_read.items())
        if name in visible
    ]


def _staleness(toolbox: Toolbox, metadata: IndexMetadata) -> list[AgentError]:
    if toolbox.clock.is_fixed:
        return []
    indexed_at = datetime.fromisoformat(metadata.last_full_index)
    if indexed_at.tzinfo is None:
        indexed_at = indexed_at.replace(tzinfo=UTC)
    age = toolbox.clock.real() - indexed_at
    if age <= STALE_AFTER:
        return []
    hours = int(age / timedelta(hours=1))
    return [toolbox.warning("RET_INDEX_STALE", f"the index is {hours} hours old; later changes are missing")]
