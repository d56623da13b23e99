"""Notes and decisions that are shown with a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from tribal.identity.table_names import TableIdentity
    from tribal.ports.caller import Caller
    from tribal_contracts import TableState


@dataclass(frozen=True, slots=True)
class Guidance:
    """A memory or decision that may be about a table; its text is data, never an instruction."""

    id: str
    kind: Literal["memory", "adr", "policy", "pattern", "spec"]
    layer: str
    text: str
    author: str
    created_at: str
    """ISO 8601 in UTC."""
    tables: Sequence[str] = ()
    """Table names that it declares, as written."""
    table_states: Sequence[TableState] = ()
    """The documented tables that it names, as they were when it was added."""
    place: int = 2
    """Rank: 0 for a blocking decision, 1 for other decisions, 2 for memories."""


class GuidanceSource(Protocol):
    """Finds memories and decisions that may be about a table; the user of this port decides which ones are.

    Raises `MemoryRefused` or `SourceFailed` when it cannot answer.
    """

    def about(self, table: TableIdentity, caller: Caller) -> Sequence[Guidance]:
        """Candidates from the caller's shared layers, in no order."""
        ...
