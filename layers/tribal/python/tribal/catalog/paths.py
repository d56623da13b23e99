"""The cheapest paths between tables, of a bounded number of hops, best first."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count

from tribal.catalog.costs import HOP, key_cost, passing_cost
from tribal.catalog.graph import Hop, JoinGraph

MAX_EXTENDED = 20_000
"""The most partial paths that a search extends. By judgement: it bounds a search in a graph that is all hubs to some
tenths of a second."""
MAX_DEARER = 3 * HOP
"""How much more than the best path another one may cost. By judgement: nobody means what is three hops dearer."""


@dataclass(frozen=True, slots=True)
class Path:
    """Hops from one table to another, and their cost."""

    hops: tuple[Hop, ...]
    cost: int

    @property
    def tables(self) -> tuple[str, ...]:
        """Its tables in order; none if there is no hop."""
        return (self.hops[0].source, *(hop.target for hop in self.hops)) if self.hops else ()


@dataclass(frozen=True, slots=True)
class Start:
    """Where a path may begin, which it does not touch again: at any of these tables."""

    tables: Collection[str]
    with_child: Collection[str] = ()
    """Those that a child is joined to already: with another one they are a shared parent."""


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys that a path may follow, between the tables that it may touch."""

    graph: JoinGraph
    allowed: Callable[[str], bool]

    def hops(self, start: Collection[str], target: str, max_hops: int) -> int | None:
        """The fewest hops from any of some tables to another; `None` if more than `max_hops` are needed."""
        distances = _distances(self, target, max_hops)
        return min((distances[table] for table in start if table in distances), default=None)


def cheapest_paths(keys: Keys, start: Start, target: str, max_hops: int) -> Iterator[Path]:
    """The paths of at most `max_hops` that touch no table twice, the cheapest first, ties in order of names.

    From a table to itself these are its self-references, or else no hop at all. They end with those that cost
    `MAX_DEARER` more than the first one, or once `MAX_EXTENDED` partial paths were extended.
    """
    if target in start.tables:
        yield from _to_itself(keys, target, max_hops)
        return
    distances = _distances(keys, target, max_hops)
    if not distances.keys().isdisjoint(start.tables):
        search = _Search(keys.graph, target, distances)
        search.look_back(start.tables)
        yield from search.look_forward(start, max_hops)


def _to_itself(keys: Keys, table: str, max_hops: int) -> list[Path]:
    if not keys.allowed(table):
        return []
    own = [hop for hop in keys.graph.hops.get(table, ()) if hop.target == table] if max_hops else []
    paths = [Path((hop,), key_cost(hop.key, keys.graph)) for hop in own]
    return sorted(paths, key=lambda path: (path.cost, path.hops[0].order)) or [Path((), 0)]


def _distances(keys: Keys, target: str, max_hops: int) -> dict[str, int]:
    """Hops to the target, of every table from which that is at most `max_hops`."""
    distances = {target: 0} if keys.allowed(target) else {}
    frontier = list(distances)
    for distance in range(1, max_hops + 1):
        reached = {other for table in frontier for other in keys.graph.adjacent.get(table, ())} - distances.keys()
        frontier = [table for table in reached if keys.allowed(table)]
        distances.update(dict.fromkeys(frontier, distance))
    return distances


@dataclass(slots=True)
class _Search:
    """A search back from the target for what remains to be paid at each table, and one forward that is led by it.

    What a table costs to pass depends on the directions before and after, so costs are kept by direction.
    """

    graph: JoinGraph
    target: str
    distances: dict[str, int]
    keys: dict[int, int] = field(default_factory=dict)
    """Cost of a key, by its identity."""
    passed: dict[tuple[str, bool, bool], int] = field(default_factory=dict)
    remaining: dict[tuple[str, bool], int] = field(default_factory=dict)
    """Cost from a table to the target if it is left upward or downward, in however many hops."""
    beyond: int | None = None
    """The least that any other table costs; `None` if no other one leads to the target."""

    def look_back(self, starts: Collection[str]) -> None:
        """Find what remains from the starts and from whatever costs little more."""
        heap: list[tuple[int, str, bool]] = []
        self._reach_back(heap, self.target, None, 0)
        limit = None
        while heap:
            cost, table, up = heappop(heap)
            if limit is not None and cost > limit:
                self.beyond = cost
                return
            if (table, up) in self.remaining:
                continue
            self.remaining[table, up] = cost
            if limit is None and table in starts:
                limit = cost + MAX_DEARER
            self._reach_back(heap, table, up, cost)

    def _reach_back(self, heap: list[tuple[int, str, bool]], table: str, then_up: bool | None, cost: int) -> None:
        for hop in self.graph.hops.get(table, ()):
            before, up = hop.target, not hop.to_parent
            if before == table or before not in self.distances or (before, up) in self.remaining:
                continue
            passing = 0 if then_up is None else self._passing(table, up, then_up)
            heappush(heap, (cost + passing + self._key(hop), before, up))

    def look_forward(self, start: Start, max_hops: int) -> Iterator[Path]:
        """Yield the paths, extending first what costs least with what remains."""
        numbers = count()
        heap: list[tuple[int, tuple[object, ...], int, Path]] = []

        def extend(path: Path, table: str, names: tuple[object, ...]) -> None:
            left = max_hops - len(path.hops) - 1
            seen = {*path.tables, *start.tables}
            for hop in self.graph.hops.get(table, ()):
                if hop.target in seen or self.distances.get(hop.target, max_hops) > left:
                    continue
                longer = Path((*path.hops, hop), path.cost + self._step(path, hop, start))
                remains = self._remaining(hop)
                if remains is not None:
                    heappush(heap, (longer.cost + remains, (*names, hop.order), next(numbers), longer))

        for table in start.tables:
            extend(Path((), 0), table, ())
        dearest = None
        for _ in range(MAX_EXTENDED):
            if not heap or (dearest is not None and heap[0][0] > dearest):
                return
            _, names, _, path = heappop(heap)
            table = path.hops[-1].target
            if table == self.target:
                dearest = path.cost + MAX_DEARER if dearest is None else dearest
                yield path
            else:
                extend(path, table, names)

    def _step(self, path: Path, hop: Hop, start: Start) -> int:
        """What one more hop costs, with the table before it."""
        if path.hops:
            return self._key(hop) + self._passing(hop.source, path.hops[-1].to_parent, hop.to_parent)
        shares = not hop.to_parent and hop.source in start.with_child
        return self._key(hop) + (self._passing(hop.source, True, False) if shares else 0)

    def _remaining(self, hop: Hop) -> int | None:
        """The least that remains to be paid after a hop; `None` if it leads nowhere."""
        if hop.target == self.target:
            return 0
        costs = (
            self._passing(hop.target, hop.to_parent, up) + remaining
            for up in (True, False)
            if (remaining := self.remaining.get((hop.target, up), self.beyond)) is not None
        )
        return min(costs, default=None)

    def _key(self, hop: Hop) -> int:
        found = self.keys.get(id(hop.key))
        if found is None:
            found = self.keys[id(hop.key)] = key_cost(hop.key, self.graph)
        return found

    def _passing(self, table: str, up: bool, then_up: bool) -> int:
        place = table, up, then_up
        if place not in self.passed:
            self.passed[place] = passing_cost(table, up, then_up, self.graph)
        return self.passed[place]
