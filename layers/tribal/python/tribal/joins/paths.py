"""The cheapest paths between tables, of a bounded number of steps, best first."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count

from tribal.joins.costs import ACROSS, STEP, confidence_of, key_cost, transit_cost
from tribal.joins.graph import WAYS, JoinGraph, Step, Way
from tribal_contracts import KeyEdge

MAX_EXTENDED = 20_000
"""The most partial paths that a search extends. By judgement: a search in a graph full of hubs then takes a few tenths
of a second."""
MAX_EXTRA_COST = 2 * STEP
"""How much more than the best path another one may cost. By judgement: a path two steps more expensive is not meant."""


@dataclass(frozen=True, slots=True)
class Path:
    """Steps from one table to another, and their cost."""

    steps: tuple[Step, ...]
    cost: int

    @property
    def tables(self) -> tuple[str, ...]:
        """Its tables in order; empty for a path without steps."""
        return (self.steps[0].source, *(step.target for step in self.steps)) if self.steps else ()


@dataclass(frozen=True, slots=True)
class Start:
    """The tables where a path may begin. A path does not visit any of them again."""

    tables: Collection[str]
    with_child: Collection[str] = ()
    """The ones that are already joined to a child; a second child makes them a shared parent."""


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys that a path may follow, and the tables that it may visit."""

    graph: JoinGraph
    allowed: Callable[[str], bool]

    def distance(self, start: Collection[str], target: str, max_hops: int) -> int | None:
        """The fewest steps from any of some tables to another; `None` if more than `max_hops` are needed."""
        distances = self.distances([target], max_hops)
        return min((distances[table] for table in start if table in distances), default=None)

    def distances(self, start: Collection[str], max_hops: int) -> dict[str, int]:
        """Steps from the nearest start table, for every table within `max_hops`."""
        distances = {table: 0 for table in start if self.allowed(table)}
        frontier: Collection[str] = list(distances)
        for distance in range(1, max_hops + 1):
            frontier = self.around(frontier) - distances.keys()
            distances.update(dict.fromkeys(frontier, distance))
        return distances

    def around(self, tables: Collection[str]) -> set[str]:
        """Tables one step from any of some tables."""
        reached = {other for table in tables for other in self.graph.adjacent.get(table, ())}
        return set(filter(self.allowed, reached))


def cheapest_paths(keys: Keys, start: Start, target: str, max_hops: int) -> Iterator[Path]:
    """The paths of at most `max_hops` that visit no table twice, cheapest first, ties in order of names.

    From a table to itself, they are its self-references, or an empty path if it has none. The search ends at paths that
    cost `MAX_EXTRA_COST` more than the first one, or after extending `MAX_EXTENDED` partial paths.
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
    own = [step for step in keys.graph.steps.get(table, ()) if step.target == table] if max_hops else []
    paths = [Path((step,), key_cost(step.key, keys.graph)) for step in own]
    return sorted(paths, key=lambda path: (path.cost, path.steps[0].order)) or [Path((), 0)]


def _corridor(keys: Keys, start: Collection[str], target: str, max_hops: int) -> dict[str, int]:
    """Steps to the target, for the tables that a path of at most `max_hops` may visit, and for some others.

    Each half is measured from its own end: beyond a hub, the whole graph is two steps from anywhere.
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
    """A search back from the target for the remaining cost of each table, and one forward that it guides.

    The cost of passing a table depends on the directions before and after it, so costs are stored by direction.
    """

    graph: JoinGraph
    target: str
    distances: dict[str, int]
    keys: dict[int, int] = field(default_factory=dict)
    """Cost of a key, by its identity."""
    transit_costs: dict[tuple[str, Way, Way], int] = field(default_factory=dict)
    remaining: dict[tuple[str, Way], int] = field(default_factory=dict)
    """Least cost from a table to the target by the way of the next step, for any number of steps."""
    limit: int | None = None
    """The remaining cost of any other table is higher than this; `None` if no other table leads to the target."""

    def look_back(self, starts: Collection[str]) -> None:
        """Find the remaining cost of the start tables, and of tables that cost no more."""
        limit = STEP * (1 + min(self.distances[table] for table in starts if table in self.distances))
        # Doubling the limit costs little more than knowing it, and hubs beyond it are never expanded.
        while self._is_cut_off(limit) and not any((table, way) in self.remaining for table in starts for way in WAYS):
            limit *= 2

    def _is_cut_off(self, limit: int) -> bool:
        """Find the remaining costs within the limit; returns whether there may be more beyond it."""
        self.remaining = {}
        heap: list[tuple[int, str, Way]] = []
        is_cut_off = self._reach_back(heap, self.target, None, 0, limit)
        while heap:
            cost, table, way = heappop(heap)
            if (table, way) not in self.remaining:
                self.remaining[table, way] = cost
                is_cut_off |= self._reach_back(heap, table, way, cost, limit)
        self.limit = limit if is_cut_off else None
        return is_cut_off

    def _reach_back(
        self, heap: list[tuple[int, str, Way]], table: str, then: Way | None, cost: int, limit: int
    ) -> bool:
        """Add the tables before this one; returns whether the limit left any out."""
        before = {way: cost if then is None else cost + self._transit(table, way, then) for way in WAYS}
        is_cut_off = False
        for step in self.graph.steps.get(table, ()):
            way = step.way_back
            if before[way] + ACROSS > limit:
                is_cut_off = True
                continue
            other = step.target
            if other == table or other not in self.distances or (other, way) in self.remaining:
                continue
            total = before[way] + self._key_cost(step)
            if total > limit:
                is_cut_off = True
            else:
                heappush(heap, (total, other, way))
        return is_cut_off

    def look_forward(self, start: Start, max_hops: int) -> Iterator[Path]:
        """Yield the paths, always extending the one with the lowest total of cost and remaining cost."""
        numbers = count()
        heap: list[tuple[int, tuple[object, ...], int, Path]] = []

        def extend(path: Path, table: str, names: tuple[object, ...]) -> None:
            left = max_hops - len(path.steps) - 1
            seen = {*path.tables, *start.tables}
            for step in self.graph.steps.get(table, ()):
                if step.target in seen or self.distances.get(step.target, max_hops) > left:
                    continue
                longer = Path((*path.steps, step), path.cost + self._step_cost(path, step, start))
                remains = self._remaining(step)
                if remains is not None:
                    heappush(heap, (longer.cost + remains, (*names, step.order), next(numbers), longer))

        for table in start.tables:
            extend(Path((), 0), table, ())
        dearest = None
        for _ in range(MAX_EXTENDED):
            if not heap or (dearest is not None and heap[0][0] > dearest):
                return
            _, names, _, path = heappop(heap)
            table = path.steps[-1].target
            if table == self.target:
                dearest = path.cost + MAX_EXTRA_COST if dearest is None else dearest
                yield path
            else:
                extend(path, table, names)

    def _step_cost(self, path: Path, step: Step, start: Start) -> int:
        """The cost of one more step, including passing the table before it."""
        if path.steps:
            return self._key_cost(step) + self._transit(step.source, way_along(path.steps), step.way)
        shares = step.way == "down" and step.source in start.with_child
        return self._key_cost(step) + (self._transit(step.source, "up", "down") if shares else 0)

    def _remaining(self, step: Step) -> int | None:
        """The lowest remaining cost after a step; `None` if it leads nowhere."""
        if step.target == self.target:
            return 0
        costs = (
            self._transit(step.target, step.way, way) + remaining
            for way in WAYS
            if (remaining := self.remaining.get((step.target, way), self.limit)) is not None
        )
        return min(costs, default=None)

    def _key_cost(self, step: Step) -> int:
        found = self.keys.get(id(step.key))
        if found is None:
            found = self.keys[id(step.key)] = key_cost(step.key, self.graph)
        return found

    def _transit(self, table: str, way: Way, then: Way) -> int:
        place = table, way, then
        if place not in self.transit_costs:
            self.transit_costs[place] = transit_cost(table, way, then, self.graph)
        return self.transit_costs[place]


def way_along(steps: Sequence[Step]) -> Way:
    """The way of the last step that is not across, since a row stays the same row across; else across."""
    return next((step.way for step in reversed(steps) if step.way != "across"), "across")


def without_pass_through(steps: Sequence[Step]) -> list[Step]:
    """The steps of a path, with two merged into one where an inferred key only passes a value through a table.

    `a.x = p.k` and `p.k = b.y` make `a.x` equal to `b.y`. If both keys hold, joining without `p` gives the same rows.
    If an inferred key does not hold for every row, joining `p` loses rows. Declared keys lose none, so two declared
    keys stay. A child of both tables stays too, because it says which of their rows belong together.
    """
    found: list[Step] = []
    for step in steps:
        shorter = _across(found[-1], step) if found else None
        if shorter is None:
            found.append(step)
        else:
            found[-1] = shorter
    return found


def _across(before: Step, after: Step) -> Step | None:
    """One step in place of two, if it joins the same rows."""
    keys = before.key, after.key
    is_child_of_both = not before.to_parent and after.to_parent
    if is_child_of_both or all(key.source == "declared" for key in keys):
        return None
    left = dict(zip(after.source_columns, after.target_columns, strict=True))
    if left.keys() != set(before.target_columns) or len(left) < len(before.target_columns):
        return None
    columns = [left[column] for column in before.target_columns]
    key = KeyEdge(
        name=f"{', '.join(before.source_columns)} = {', '.join(columns)}",
        from_table=before.source,
        from_columns=before.source_columns,
        to_table=after.target,
        to_columns=columns,
        nullable=True,
        source="inferred",
        confidence=min(map(confidence_of, keys)),
        evidence=list(dict.fromkeys(one for key in keys for one in key.evidence or ())) or None,
    )
    return Step(key, to_parent=True)
