"""What a search of memories may look at: spaces, tags, the tables that a caller may see, and sessions still in use."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from tribal.identity.scope import EVERYTHING, Scope
from tribal.identity.table_names import parse_name
from tribal.ports.remembering.identity import Space

NOWHERE = "?"
"""The place of a memory whose tables cannot be located."""
_NAME_PARTS = 3


@dataclass(frozen=True, slots=True)
class MemorySelection:
    """The memories that a search may look at; any other moves neither results nor totals."""

    spaces: tuple[Space, ...]
    tags: tuple[str, ...] = ()
    """Of which a memory has one, case-folded; none for every memory."""
    scope: Scope = EVERYTHING
    """A memory that names tables names one in here."""
    used_since: datetime | None = None
    """After which a session's memory was used; `None` for every memory of a session."""

    @property
    def places(self) -> frozenset[str] | None:
        """What `places_of` a memory has one of, when it has any; `None` for a caller who may see all."""
        if self.scope == EVERYTHING:
            return None
        schemas = (_place(database, schema) for database, schema in self.scope.schemas or ())
        return frozenset([*map(_place, self.scope.databases or ()), *schemas])

    @property
    def folded_tags(self) -> frozenset[str]:
        """The tags, to compare with folded ones."""
        return frozenset(tag.casefold() for tag in self.tags)

    @property
    def used_after(self) -> float:
        """`used_since` in seconds since 1970."""
        return float("-inf") if self.used_since is None else self.used_since.timestamp()

    def limits_use(self, space: Space) -> bool:
        """Whether memories of a space end with their session."""
        return self.used_since is not None and space.layer == "session"


def places_of(tables: Iterable[str]) -> Sequence[str]:
    """Where tables are: the database, and the schema in it, of each `database.schema.table`."""
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
