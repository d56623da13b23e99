"""Foreign keys as a graph, and the shortest path from one table to another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from tribal_contracts import InferredKey, KeyEdge


def inferred_edge(key: InferredKey) -> KeyEdge:
    """An inferred key as an edge to walk along; nothing says that its columns are never null."""
    return KeyEdge(
        name=f"{', '.join(key.from_columns)} = {', '.join(key.to_columns)}",
        from_table=key.from_table,
        from_columns=key.from_columns,
        to_table=key.to_table,
        to_columns=key.to_columns,
        nullable=True,
        source="inferred",
        confidence=key.confidence,
        evidence=key.evidence,
    )


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
        """Sort key for hops of equal cost: names, beginning with the table that is reached."""
        return (
            self.target,
            not self.to_parent,
            self.key.name,
            tuple(self.key.from_columns),
            tuple(self.key.to_columns),
        )


def _no_roles(_: KeyEdge) -> int:
    return 0


@dataclass(frozen=True, slots=True)
class JoinGraph:
    """Foreign keys by the tables at either end; a self-reference is walked from child to parent only."""

    hops: Mapping[str, tuple[Hop, ...]] = field(default_factory=dict)
    """Every hop that leaves a table, in the order of the keys."""
    adjacent: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Tables one key away, in order of name, without the table itself."""
    role_words: Callable[[KeyEdge], int] = _no_roles
    """How many words of a key's columns name a role and not what is referenced."""

    @classmethod
    def of(cls, keys: Iterable[KeyEdge], role_words: Callable[[KeyEdge], int] = _no_roles) -> JoinGraph:
        """Build the graph; a key whose columns do not pair up is left out, since nothing can be joined on it.

        Args:
            keys: in any order.
            role_words: counts the words of a key's columns that name a role; of several keys between two tables, one
                without any is preferred.
        """
        leaving: defaultdict[str, list[Hop]] = defaultdict(list)
        for key in keys:
            if not key.from_columns or len(key.from_columns) != len(key.to_columns):
                continue
            leaving[key.from_table].append(Hop(key, True))
            if key.to_table != key.from_table:
                leaving[key.to_table].append(Hop(key, False))
        return cls(
            hops={table: tuple(hops) for table, hops in leaving.items()},
            adjacent={table: tuple(sorted({hop.target for hop in hops} - {table})) for table, hops in leaving.items()},
            role_words=role_words,
        )


@dataclass(frozen=True, slots=True, order=True)
class Cost:
    """Why a path is worse than another of the same length, compared field by field; the lowest cost wins.

    docs/adr/0012 decides the order of the fields.
    """

    inferred: int = 0
    """Keys that are not declared."""
    fans: int = 0
    """Shared parents on the path: joined through one, every row of a child meets every row of the other."""
    nullable: int = 0
    """Keys that may be null."""
    roles: int = 0
    """Words of the keys' columns that name a role, such as `creator` in `creator_user_id`."""
    names: tuple[tuple[object, ...], ...] = ()
    """Names of the hops, so that the choice is always the same."""

    def after(self, last: Hop | None, hop: Hop, role_words: int) -> Cost:
        """The cost with one more hop, whose columns have that many words for a role."""
        fan = last is not None and last.to_parent and not hop.to_parent
        return Cost(
            self.inferred + (hop.key.source == "inferred"),
            self.fans + fan,
            self.nullable + hop.key.nullable,
            self.roles + role_words,
            (*self.names, hop.order),
        )


def shortest_path(
    graph: JoinGraph, source: str, target: str, max_hops: int, allowed: Callable[[str], bool]
) -> list[Hop] | None:
    """The shortest path along keys in either direction; `None` if there is none of at most `max_hops`.

    Of equally short paths the one of lowest `Cost` wins. From a table to itself it is the self-reference, or no hop at
    all. Every table on the path is `allowed`.
    """
    if not allowed(source) or not allowed(target):
        return None
    if source == target:
        own = [hop for hop in graph.hops.get(source, ()) if hop.target == source]
        own.sort(key=lambda hop: Cost().after(None, hop, graph.role_words(hop.key)))
        return own[:1] if max_hops >= 1 else []
    visited = {source}
    # The cost of a hop depends on the direction of the one before, so the best path in either direction is kept.
    frontier: dict[tuple[str, bool], tuple[Cost, list[Hop]]] = {(source, False): (Cost(), [])}
    for _ in range(max_hops):
        reached: dict[tuple[str, bool], tuple[Cost, list[Hop]]] = {}
        for (table, _), (cost, path) in frontier.items():
            for hop in graph.hops.get(table, ()):
                if hop.target in visited or not allowed(hop.target):
                    continue
                longer = cost.after(path[-1] if path else None, hop, graph.role_words(hop.key))
                place = (hop.target, hop.to_parent)
                if place not in reached or longer < reached[place][0]:
                    reached[place] = (longer, [*path, hop])
        paths = [reached[place] for place in ((target, False), (target, True)) if place in reached]
        if paths:
            return min(paths, key=lambda path: path[0])[1]
        visited.update(table for table, _ in reached)
        frontier = reached
    return None
