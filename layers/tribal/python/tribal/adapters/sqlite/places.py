"""Database, schema and domain of records as numbers, so that a filter checks each distinct place only once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tribal.ports import IndexFilter

if TYPE_CHECKING:
    from numpy.typing import NDArray

Place = tuple[str, str | None, str | None]
"""Database, schema and domain of a record."""


_EVERYTHING = IndexFilter()


@dataclass(frozen=True)
class Places:
    """The place of each record, by position."""

    codes: NDArray[Any]
    places: tuple[Place, ...]

    def chosen(self, where: IndexFilter) -> NDArray[Any] | None:
        """Positions of the records that pass the filter; `None` for all."""
        allowed = self.allowed(where)
        return None if allowed is None else np.flatnonzero(allowed)

    def allowed(self, where: IndexFilter) -> NDArray[Any] | None:
        """Whether each record passes the filter; `None` if all do."""
        if where == _EVERYTHING:
            return None
        admitted = np.array([admits(where, place) for place in self.places], dtype=bool)
        return None if admitted.all() else admitted[self.codes]


def admits(where: IndexFilter, place: Place) -> bool:
    """Whether records of a place pass a filter."""
    database, schema, domain = place
    if where.database is not None and database != where.database:
        return False
    if where.domain is not None and domain != where.domain:
        return False
    return where.scope.allows(database, schema)
