"""Keys and tables, ready to walk and to rank: built once for each state of the index and each part of it asked for."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tribal.catalog.graph import JoinGraph
from tribal.ports import SearchIndex, TableEntry
from tribal.ranking.signals import Surroundings
from tribal.retrieval.key_words import role_words
from tribal.retrieval.names import name_of
from tribal.retrieval.positions import Positions
from tribal_contracts import KeyGraph

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MAPS_KEPT = 8
"""Parts of an index, each the tables that a caller sees through one filter, that are kept ready."""

_lock = threading.Lock()
_built: tuple[KeyGraph, JoinGraph] | None = None
_maps: list[TableMap] = []


@dataclass(frozen=True, slots=True, eq=False)
class TableMap:
    """Tables numbered in the order of their names, and what stands around each of them among these."""

    entries: tuple[TableEntry, ...]
    graph: JoinGraph
    surroundings: Surroundings
    positions: Positions
    record_ids: NDArray[Any]
    """Ids of the tables' records by their numbers."""
    domains: frozenset[str]
    """Domains that the tables are of."""

    @classmethod
    def of(cls, entries: tuple[TableEntry, ...], graph: JoinGraph) -> TableMap:
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
        return cls(entries, graph, Surroundings.of(codes, joined), Positions(ids), ids, domains)

    def numbers(self, ids: NDArray[Any]) -> NDArray[Any]:
        """The number of each table, -1 for one that is not among these."""
        return self.positions.of(ids)


def join_graph(index: SearchIndex) -> JoinGraph:
    """Every key of the index, whatever the caller may see: whoever walks it says which tables are allowed."""
    global _built
    keys = index.key_graph()
    if keys is None:
        return JoinGraph()
    with _lock:
        # An index hands out the same object until it changes, so identity tells whether there is anything to build.
        if _built is None or _built[0] is not keys:
            _built = (keys, JoinGraph.of(keys.edges, role_words))
        return _built[1]


def table_map(entries: Sequence[TableEntry], index: SearchIndex) -> TableMap:
    """These tables, numbered, with the keys between them."""
    graph, wanted = join_graph(index), tuple(entries)
    with _lock:
        # Comparing is quick: as long as an index does not change, it hands out the same entries.
        for place, kept in enumerate(_maps):
            if kept.graph is graph and kept.entries == wanted:
                _maps.insert(0, _maps.pop(place))
                return kept
    made = TableMap.of(wanted, graph)
    with _lock:
        _maps.insert(0, made)
        del _maps[_MAPS_KEPT:]
    return made
