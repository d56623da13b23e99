"""Foreign keys as a graph, and the shortest way from one table to another along them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from tribal_contracts import KeyEdge


@dataclass(frozen=True, slots=True)
class Hop:
    """One key, walked from the child to the parent (`to_parent`) or the other way."""

    key: KeyEdge
    to_parent: bool

    @property
    def source(self) -> str:
        """The table that the hop leaves."""
        return self.key.from_table if self.to_parent else self.key.to_table

    @property
    def target(self) -> str:
        """The table that the hop reaches."""
        return self.key.to_table if self.to_parent else self.key.from_table

    @property
    def source_columns(self) -> list[str]:
        """Columns of the table that the hop leaves."""
        return self.key.from_columns if self.to_parent else self.key.to_columns

    @property
    def target_columns(self) -> list[str]:
        """Columns of the table that the hop reaches, in pairs with `source_columns`."""
        return self.key.to_columns if self.to_parent else self.key.from_columns

    @property
    def order(self) -> tuple[str, bool, str, tuple[str, ...], tuple[str, ...]]:
        """What decides between hops that are otherwise as good: names, first of the table that is reached."""
        return (
            self.target,
            not self.to_parent,
            self.key.name,
            tuple(self.key.from_columns),
            tuple(self.key.to_columns),
        )


@dataclass(frozen=True, slots=True)
class JoinGraph:
    """Keys by the table that they touch; a key that a table has on itself is walked from child to parent only."""

    hops: Mapping[str, tuple[Hop, ...]] = field(default_factory=dict)
    """Every hop that leaves a table, in a fixed order."""
    adjacent: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Tables one key away, in order of name, without the table itself."""

    @classmethod
    def of(cls, keys: Iterable[KeyEdge]) -> JoinGraph:
        """Build the graph; a key whose columns do not pair up is left out, for nothing can be joined by it."""
        leaving: defaultdict[str, list[Hop]] = defaultdict(list)
        for key in keys:
            if not key.from_columns or len(key.from_columns) != len(key.to_columns):
                continue
            leaving[key.from_table].append(Hop(key, to_parent=True))
            if key.to_table != key.from_table:
                leaving[key.to_table].append(Hop(key, to_parent=False))
        return cls(
            hops={table: tuple(sorted(hops, key=lambda hop: hop.order)) for table, hops in leaving.items()},
            adjacent={table: tuple(sorted({hop.target for hop in hops} - {table})) for table, hops in leaving.items()},
        )


Cost = tuple[int, tuple[tuple[object, ...], ...]]


def shortest_path(
    graph: JoinGraph, source: str, target: str, max_hops: int, allowed: Callable[[str], bool]
) -> list[Hop] | None:
    """The shortest way along keys in either direction; `None` when there is none of at most `max_hops`.

    Of ways that are as short, the one with fewer keys that may be empty wins, then the one whose names come first. From
    a table to itself it is the table's key on itself, or no hop at all. Every table on the way is `allowed`.
    """
    if not allowed(source) or not allowed(target):
        return None
    if source == target:
        own = [hop for hop in graph.hops.get(source, ()) if hop.target == source]
        return [min(own, key=lambda hop: (hop.key.nullable, hop.order))] if own and max_hops >= 1 else []
    visited = {source}
    frontier: dict[str, tuple[Cost, list[Hop]]] = {source: ((0, ()), [])}
    for _ in range(max_hops):
        reached: dict[str, tuple[Cost, list[Hop]]] = {}
        for table, ((nullable, names), path) in frontier.items():
            for hop in graph.hops.get(table, ()):
                if hop.target in visited or not allowed(hop.target):
                    continue
                cost = (nullable + hop.key.nullable, (*names, hop.order))
                if hop.target not in reached or cost < reached[hop.target][0]:
                    reached[hop.target] = (cost, [*path, hop])
        if target in reached:
            return reached[target][1]
        visited.update(reached)
        frontier = reached
    return None
