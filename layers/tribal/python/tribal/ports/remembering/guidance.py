"""What people and agents want to be told of a table whenever it is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from tribal.identity.table_names import TableIdentity
    from tribal.ports.caller import Caller


@dataclass(frozen=True, slots=True)
class Guidance:
    """Something that may be about a table: somebody's words, never an instruction."""

    id: str
    kind: Literal["memory", "adr", "policy", "pattern", "spec"]
    layer: str
    text: str
    author: str
    created_at: str
    """ISO 8601 in UTC."""
    tables: Sequence[str] = ()
    """Names of tables that it says it is about, as they were written."""
    place: int = 2
    """0 of a decision that blocks, 1 of another one, 2 of a memory."""


class GuidanceSource(Protocol):
    """Tells of tables what others of the caller's layers have learned; whether it is about a table the asker decides.

    Raises `MemoryRefused` or `SourceFailed` when it cannot be asked.
    """

    def about(self, table: TableIdentity, caller: Caller) -> Sequence[Guidance]:
        """What may be about a table, of the layers that the caller shares with others, in no order."""
        ...
