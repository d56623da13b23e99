"""Where records belong, as numbers: a filter looks at each place once and not at each record."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tribal.ports import Candidate, IndexFilter

if TYPE_CHECKING:
    from numpy.typing import NDArray

Place = tuple[str, str | None, str | None]
"""Database, schema and domain of a record."""


_EVERYTHING = IndexFilter()


@dataclass(frozen=True)
class Places:
    """The place of each record, by its position."""

    codes: NDArray[Any]
    places: tuple[Place, ...]

    def chosen(self, where: IndexFilter) -> NDArray[Any] | None:
        """Positions of the records that the filter lets through; `None` for all."""
        allowed = self.allowed(where)
        return None if allowed is None else np.flatnonzero(allowed)

    def allowed(self, where: IndexFilter) -> NDArray[Any] | None:
        """Whether the filter lets each record through; `None` for all."""
        if where == _EVERYTHING:
            return None
        admitted = np.array([admits(where, place) for place in self.places], dtype=bool)
        return None if admitted.all() else admitted[self.codes]


def admits(where: IndexFilter, place: Place) -> bool:
    """Whether a filter lets the records of a place through."""
    database, schema, domain = place
    if where.database is not None and database != where.database:
        return False
    if where.domain is not None and domain != where.domain:
        return False
    return where.scope.allows(database, schema)


# Past the constructor, which is Python code: a question makes thousands of candidates.
_candidate = partial(tuple.__new__, Candidate)


def candidates(
    ids: NDArray[Any], scores: NDArray[Any], table_ids: NDArray[Any], matched: Iterable[frozenset[str]]
) -> list[Candidate]:
    """A candidate for each of the rows; a table's id of 0 stands for none."""
    tables = [table or None for table in table_ids.tolist()]
    return list(map(_candidate, zip(ids.tolist(), scores.tolist(), tables, matched, strict=False)))
