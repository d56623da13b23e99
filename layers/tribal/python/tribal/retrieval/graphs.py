"""Keys and tables, ready to walk and to rank: built once for each generation and each part of it asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tribal.catalog.graph import JoinGraph
from tribal.catalog.identity import TableIdentity
from tribal.naming import split_identifier, stem
from tribal.ports import IndexedTable, IndexFilter
from tribal.ranking.signals import Neighbourhood
from tribal.retrieval.names import name_of
from tribal.retrieval.toolbox import OpenIndex, Toolbox
from tribal_contracts import KeyEdge

if TYPE_CHECKING:
    from numpy.typing import NDArray

_KEY_WORDS = frozenset(stem(word) for word in "id key code no nr num number ref fk uid uuid guid name".split())
"""Words by which columns say that they are keys."""


class Positions:
    """Looks up ids, each of which stands once and in any order.

    Args:
        ids: N int64.
    """

    def __init__(self, ids: NDArray[Any]) -> None:
        self._order = np.argsort(ids)
        self._ordered = ids[self._order]

    def of(self, wanted: NDArray[Any]) -> NDArray[Any]:
        """The position of each wanted id, -1 for one that is not there."""
        if not len(self._ordered):
            return np.full(len(wanted), -1)
        places = np.minimum(np.searchsorted(self._ordered, wanted), len(self._ordered) - 1)
        found: NDArray[Any] = np.where(self._ordered[places] == wanted, self._order[places], -1)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class TableMap:
    """Tables numbered in the order of their names, and the keys between them."""

    neighbourhood: Neighbourhood
    positions: Positions
    record_ids: NDArray[Any]
    """Ids of the tables' records by their numbers."""
    domains: frozenset[str]
    """Domains that the tables are of."""

    @classmethod
    def of(cls, entries: Sequence[IndexedTable], graph: JoinGraph) -> TableMap:
        """Number the tables and find the keys between them."""
        numbers = {name_of(entry): number for number, entry in enumerate(entries)}
        schemas: dict[tuple[str, str], int] = {}
        codes = [schemas.setdefault((entry.database, entry.schema), len(schemas)) for entry in entries]
        joined = [
            (number, numbers[other])
            for name, number in numbers.items()
            for other in graph.adjacent.get(name, ())
            if other in numbers
        ]
        ids = np.array([entry.record_id for entry in entries], dtype=np.int64)
        domains = frozenset(entry.domain for entry in entries)
        return cls(Neighbourhood.of(codes, joined), Positions(ids), ids, domains)

    def numbers(self, ids: NDArray[Any]) -> NDArray[Any]:
        """The number of each table, -1 for one that is not among these."""
        return self.positions.of(ids)


def table_map(where: IndexFilter, opened: OpenIndex, toolbox: Toolbox) -> TableMap:
    """The tables that a filter lets through, numbered, with the keys between them."""

    def number() -> TableMap:
        return TableMap.of(_admitted(opened.tables, where), join_graph(opened, toolbox))

    return toolbox.derived.get(opened.generation, ("table map", where), number)


def _admitted(tables: Sequence[IndexedTable], where: IndexFilter) -> Sequence[IndexedTable]:
    """Of tables that are in scope, those of the filter's database and domain."""
    if where.database is None and where.domain is None:
        return tables
    return [
        entry for entry in tables if where.database in (None, entry.database) and where.domain in (None, entry.domain)
    ]


def join_graph(opened: OpenIndex, toolbox: Toolbox) -> JoinGraph:
    """Every key of the index, whatever the caller may see: whoever walks it says which tables are allowed."""

    def build() -> JoinGraph:
        keys = toolbox.index.key_graph()
        return JoinGraph() if keys is None else JoinGraph.of(keys.edges, role_words)

    return toolbox.derived.get(opened.generation, "join graph", build)


def role_words(key: KeyEdge) -> int:
    """How many words of a key's columns are neither of the table and columns that it references nor say that it is one.

    `user_id` that references `users` has none, `creator_user_id` one: where two keys lead to one table, the first is
    meant when nobody says which.
    """
    try:
        parent = TableIdentity.parse(key.to_table).table
    except ValueError:
        return 0
    known = _stems([parent, *key.to_columns]) | _KEY_WORDS
    return len(_stems(key.from_columns) - known)


def _stems(names: Iterable[str]) -> frozenset[str]:
    return frozenset(stem(token) for name in names for token in split_identifier(name))
