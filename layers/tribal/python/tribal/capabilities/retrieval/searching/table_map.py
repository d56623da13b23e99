"""Tables numbered for ranking, with the keys between them; built once per generation and filter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tribal.capabilities.retrieval.graphs import join_graph
from tribal.capabilities.retrieval.names import name_of
from tribal.capabilities.retrieval.searching.repeated_tables import RepeatedTables
from tribal.capabilities.retrieval.toolbox import OpenIndex, Toolbox
from tribal.joins.graph import JoinGraph
from tribal.naming import segment_all, singular, split_identifier, stem
from tribal.ports import IndexedTable, IndexFilter
from tribal.ranking.signals import Neighbourhood

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Positions:
    """Looks up ids, which are unique and unordered.

    Args:
        ids: N int64.
    """

    def __init__(self, ids: NDArray[Any]) -> None:
        self._order = np.argsort(ids)
        self._ordered = ids[self._order]

    def of(self, wanted: NDArray[Any]) -> NDArray[Any]:
        """The position of each wanted id; -1 if it is missing."""
        if not len(self._ordered):
            return np.full(len(wanted), -1)
        places = np.minimum(np.searchsorted(self._ordered, wanted), len(self._ordered) - 1)
        found: NDArray[Any] = np.where(self._ordered[places] == wanted, self._order[places], -1)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class TableMap:
    """Tables numbered in order of name, and the keys between them."""

    neighbourhood: Neighbourhood
    positions: Positions
    record_ids: NDArray[Any]
    """Record ids by table number."""
    by_name: Mapping[str, int]
    """Table numbers by name, in order."""
    names: Sequence[str]
    """Names by table number."""
    tables: Sequence[str]
    """Table names without database and schema, by number."""
    name_words: frozenset[str]
    """The words of the table names, in the singular."""
    name_terms: frozenset[str]
    """The stems of these words."""
    domains: frozenset[str]
    """The domains of the tables."""
    repeated: RepeatedTables
    views: frozenset[int]
    """Numbers of the views among them."""
    related: Mapping[int, frozenset[int]]
    """By number of a junction table, the tables that it relates."""
    joined: Mapping[int, int]
    """How many other tables declared keys join to each, by record id; tables without any are left out."""

    @classmethod
    def of(cls, entries: Sequence[IndexedTable], graph: JoinGraph) -> TableMap:
        """Number the tables and find the keys between them."""
        numbers = {name_of(entry): number for number, entry in enumerate(entries)}
        schemas: dict[tuple[str, str], int] = {}
        codes = [schemas.setdefault((entry.database, entry.schema), len(schemas)) for entry in entries]
        steps = [step for name in numbers for step in graph.steps.get(name, ()) if step.target in numbers]
        keyed = {end for step in steps if step.key.source == "declared" for end in (step.source, step.target)}
        # What is inferred between visible tables depends on hidden ones.
        declared = {(step.source, step.target) for step in steps if step.key.source == "declared"}
        declared = {ends for ends in declared if ends[0] != ends[1]}
        # Follow an inferred key only if neither table has a declared one.
        followed = (
            step for step in steps if step.key.source == "declared" or keyed.isdisjoint((step.source, step.target))
        )
        joined = [(numbers[step.source], numbers[step.target]) for step in followed]
        ids = np.array([entry.record_id for entry in entries], dtype=np.int64)
        words = {word for entry in entries for word in segment_all(split_identifier(entry.table))}
        domains = frozenset(entry.domain for entry in entries)
        views = frozenset(number for number, entry in enumerate(entries) if "view" in entry.kind)
        repeated = RepeatedTables.of(entries)
        related = {
            numbers[name_of(entry)]: frozenset(
                numbers[step.target]
                for step in graph.steps.get(name_of(entry), ())
                if step.to_parent and step.key.source == "declared" and step.target in numbers
            )
            for entry in entries
            if entry.is_junction
        }
        neighbourhood = Neighbourhood.of(codes, joined)
        return cls(
            neighbourhood,
            Positions(ids),
            ids,
            by_name=numbers,
            names=tuple(numbers),
            tables=tuple(entry.table for entry in entries),
            name_words=frozenset(map(singular, words)),
            name_terms=frozenset(map(stem, words)),
            domains=domains,
            repeated=repeated,
            views=views,
            related=related,
            joined=Counter(int(ids[numbers[source]]) for source, _ in declared),
        )

    def numbers(self, ids: NDArray[Any]) -> NDArray[Any]:
        """The number of each table; -1 if it is not in the map."""
        return self.positions.of(ids)


def table_map(where: IndexFilter, opened: OpenIndex, toolbox: Toolbox) -> TableMap:
    """The map of the tables that pass a filter."""

    def number() -> TableMap:
        return TableMap.of(_admitted(opened.tables, where), join_graph(opened, toolbox))

    return toolbox.derived.get(opened.generation, ("table map", where), number)


def _admitted(tables: Sequence[IndexedTable], where: IndexFilter) -> Sequence[IndexedTable]:
    """The tables of the filter's database and domain; the scope has been applied before."""
    if where.database is None and where.domain is None:
        return tables
    return [entry for entry in tables if where.admits(entry)]
