"""The cheapest paths between tables, of a bounded number of hops, best first."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count

from tribal.joins.costs import HOP, key_cost, passing_cost
from tribal.joins.graph import Hop, JoinGraph

MAX_EXTENDED = 20_000
"""The most partial paths that a search extends. By judgement: it bounds a search in a graph that is all hubs to some
tenths of a second."""
_BOTH = (True, False)
MAX_DEARER = 2 * HOP
"""How much more than the best path another one may cost. By judgement: nobody means what is two hops dearer."""


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
        distances = self.distances([target], max_hops)
        return min((distances[table] for table in start if table in distances), default=None)

    def distances(self, start: Collection[str], max_hops: int) -> dict[str, int]:
        """Hops from the nearest of some tables, of every table where they are at most `max_hops`."""
        distances = {table: 0 for table in start if self.allowed(table)}
        frontier: Collection[str] = list(distances)
        for distance in range(1, max_hops + 1):
            frontier = self.around(frontier) - distances.keys()
            distances.update(dict.fromkeys(frontier, distance))
        return distances

    def around(self, tables: Collection[str]) -> set[str]:
        """Tables one hop from any of some tables."""
        reached = {other for table in tables for other in self.graph.adjacent.get(table, ())}
        return set(filter(self.allowed, reached))


def cheapest_paths(keys: Keys, start: Start, target: str, max_hops: int) -> Iterator[Path]:
    """The paths of at most `max_hops` that touch no table twice, the cheapest first, ties in order of names.

    From a table to itself these are its self-references, or else no hop at all. They end with those that cost
    `MAX_DEARER` more than the first one, or once `MAX_EXTENDED` partial paths were extended.
    """
    if target in start.tables:
        yield from _to_itself(keys, target, max_hops)
        return
    distances = _corridor(keys, start.tables, target, max_hops)
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


def _corridor(keys: Keys, start: Collection[str], target: str, max_hops: int) -> dict[str, int]:
    """Hops to the target, of the tables that a path of at most `max_hops` may touch, and of some others.

    Half of the way is measured from either end: past a hub, all of the graph is two hops from anywhere.
    """
    half = max_hops // 2
    from_start = keys.distances(start, half)
    distances = {target: 0} if keys.allowed(target) else {}
    frontier: Collection[str] = list(distances)
    for distance in range(1, max_hops + 1):
        left = max_hops - distance
        frontier = keys.around(frontier) - distances.keys()
        if left <= half:
            frontier = [table for table in frontier if from_start.get(table, max_hops) <= left]
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
    limit: int | None = None
    """What remains from any other table costs more than this; `None` if no other table leads to the target."""

    def look_back(self, starts: Collection[str]) -> None:
        """Find what remains from the starts, and from whatever costs no more."""
        limit = HOP * (1 + min(self.distances[table] for table in starts if table in self.distances))
        # Doubling the limit costs little more than to know it, and hubs past it are never spread out.
        while self._is_cut_off(limit) and not any((table, up) in self.remaining for table in starts for up in _BOTH):
            limit *= 2

    def _is_cut_off(self, limit: int) -> bool:
        """Find what remains within the limit; returns whether there may be more beyond it."""
        self.remaining = {}
        heap: list[tuple[int, str, bool]] = []
        is_cut_off = self._reach_back(heap, self.target, None, 0, limit)
        while heap:
            cost, table, up = heappop(heap)
            if (table, up) not in self.remaining:
                self.remaining[table, up] = cost
                is_cut_off |= self._reach_back(heap, table, up, cost, limit)
        self.limit = limit if is_cut_off else None
        return is_cut_off

    def _reach_back(
        self, heap: list[tuple[int, str, bool]], table: str, then_up: bool | None, cost: int, limit: int
    ) -> bool:
        """Add the tables before this one; returns whether any was left out because of the limit."""
        before = {up: cost if then_up is None else cost + self._passing(table, up, then_up) for up in _BOTH}
        is_cut_off = False
        for hop in self.graph.hops.get(table, ()):
            up = not hop.to_parent
            if before[up] + HOP > limit:
                is_cut_off = True
                continue
            other = hop.target
            if other == table or other not in self.distances or (other, up) in self.remaining:
                continue
            total = before[up] + self._key(hop)
            if total > limit:
                is_cut_off = True
            else:
                heappush(heap, (total, other, up))
        return is_cut_off

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
            if (remaining := self.remaining.get((hop.target, up), self.limit)) is not None
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
