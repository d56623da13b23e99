"""What every tool works with, and what it must know before it answers."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from tribal.catalog.joins import same_name
from tribal.catalog.scope import EVERYTHING, Scope
from tribal.errors import IndexNotReady
from tribal.ports import Clock, Derived, Embedder, IndexedTable, IndexFilter, IndexReader
from tribal.ranking.weights import WEIGHTS, Weights
from tribal_contracts import AgentError, IndexMetadata, agent_error

STALE_AFTER = timedelta(hours=24)
"""As the specification has it: older than a day is a warning, never a refusal."""


@dataclass(frozen=True, slots=True)
class Toolbox:
    """The ports that the tools need, and what their caller may see."""

    index: IndexReader
    embedder: Embedder | None
    clock: Clock
    scope: Scope = EVERYTHING
    server_database: Callable[[str], str] = same_name
    """The name that a database has on its server, by its name in the configuration."""
    weights: Weights = WEIGHTS
    """How much each signal of a search counts."""
    derived: Derived = field(default_factory=Derived)
    """What is worked out from the index, kept between questions; toolboxes of other callers may share it."""

    def warning(self, code: str, message: str) -> AgentError:
        """Something to know about an answer; a warning whatever the code is by default."""
        error = agent_error(code, message, timestamp=self.clock.published())
        return error.model_copy(update={"severity": "warning"})


@dataclass(frozen=True, slots=True)
class OpenIndex:
    """One generation of an index that can be asked, as far as the caller may see it."""

    generation: Hashable
    """What it is told from every other one by."""
    metadata: IndexMetadata
    tables: tuple[IndexedTable, ...]
    """In order of name."""
    warnings: tuple[AgentError, ...]


def open_index(toolbox: Toolbox) -> OpenIndex:
    """Make sure that there is an index to ask; within its `reading()`, so that all of it is of one generation.

    Raises:
        IndexNotReady: when there is none, or it is empty.
    """
    # Asked first, because its refusal says what is wrong with the index.
    tables = tuple(toolbox.index.tables(IndexFilter(scope=toolbox.scope)))
    metadata = toolbox.index.metadata()
    if metadata is None:
        raise IndexNotReady("there is no finished index; run `tribal run`, which documents and indexes")
    if metadata.document_count == 0:
        raise IndexNotReady("the index is empty; document a database that holds tables, with `tribal run`")
    return OpenIndex(toolbox.index.generation(), metadata, tables, tuple(_staleness(toolbox, metadata)))


def _staleness(toolbox: Toolbox, metadata: IndexMetadata) -> list[AgentError]:
    if toolbox.clock.stands_still:
        return []
    indexed_at = datetime.fromisoformat(metadata.last_full_index)
    if indexed_at.tzinfo is None:
        indexed_at = indexed_at.replace(tzinfo=UTC)
    age = toolbox.clock.real() - indexed_at
    if age <= STALE_AFTER:
        return []
    hours = int(age / timedelta(hours=1))
    return [toolbox.warning("RET_INDEX_STALE", f"the index is {hours} hours old; what changed since is not in it")]
