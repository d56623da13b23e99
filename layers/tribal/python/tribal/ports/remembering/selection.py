"""Restricts a search of memories: spaces, tags, visible tables, and active sessions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from tribal.identity.scope import EVERYTHING, Scope
from tribal.identity.table_names import parse_name
from tribal.ports.remembering.identity import Space

NOWHERE = "?"
"""Place of a memory whose tables cannot be located."""
_NAME_PARTS = 3


@dataclass(frozen=True, slots=True)
class MemorySelection:
    """The memories that a search may use; no others influence results or totals."""

    spaces: tuple[Space, ...]
    tags: tuple[str, ...] = ()
    """A memory must have one of these, case-folded; empty for all memories."""
    scope: Scope = EVERYTHING
    """A memory that names tables must name one in this scope."""
    used_since: datetime | None = None
    """Memories of sessions must have been used since; `None` for all."""

    @property
    def places(self) -> frozenset[str] | None:
        """A memory with places must have one of these; `None` for a caller who may see everything."""
        if self.scope == EVERYTHING:
            return None
        schemas = (_place(database, schema) for database, schema in self.scope.schemas or ())
        return frozenset([*map(_place, self.scope.databases or ()), *schemas])

    @property
    def folded_tags(self) -> frozenset[str]:
        """The case-folded tags."""
        return frozenset(tag.casefold() for tag in self.tags)

    @property
    def used_after(self) -> float:
        """`used_since` in seconds since 1970."""
        return float("-inf") if self.used_since is None else self.used_since.timestamp()

    def limits_use(self, space: Space) -> bool:
        """Whether memories of a space expire with their session."""
        return self.used_since is not None and space.layer == "session"


def places_of(tables: Iterable[str]) -> Sequence[str]:
    """The database and the schema of each `database.schema.table`."""
    places: dict[str, None] = {}
    for table in tables:
        parts = _parts(table)
        named = (_place(parts[0]), _place(parts[0], parts[1])) if len(parts) == _NAME_PARTS else (NOWHERE,)
        places |= dict.fromkeys(named)
    return tuple(places)


def _place(*parts: str) -> str:
    return json.dumps(parts, ensure_ascii=False)


def _parts(name: str) -> tuple[str, ...]:
    try:
        return tuple(parse_name(name))
    except ValueError:
        return ()
