"""Joins several tables along keys, as a tree that grows by the cheapest path to the next table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from tribal.joins.costs import NEARLY_EQUAL, STEP
from tribal.joins.graph import HUB, Step
from tribal.joins.paths import Keys, Path, Start, cheapest_paths

MAX_HOPS = 10
"""Upper limit of `max_hops`. Source: specification section 6.3."""
MORE_HOPS = 2
"""How many steps over the limit a better path may have to be mentioned. By judgement."""
COMPARED_PATHS = 12
"""The most paths to a table that are compared. By judgement: enough to include paths through other tables where several
keys join the same two."""


@dataclass(frozen=True, slots=True)
class Branch:
    """The cheapest path to one more table, and the alternatives, cheapest first."""

    best: Path
    others: tuple[Path, ...]
    better_hops: int | None = None
    """Steps of a better path that is longer than allowed."""


@dataclass(frozen=True, slots=True)
class JoinTree:
    """A table, and the paths that join others to it; each begins at a table that is already joined."""

    root: str
    branches: tuple[Branch, ...] = ()
    missing: tuple[str, ...] = ()
    """Tables that no path of the allowed length reaches."""

    @property
    def steps(self) -> tuple[Step, ...]:
        """Every step, each from a table that is joined by then."""
        return tuple(step for branch in self.branches for step in branch.best.steps)

    @property
    def tables(self) -> tuple[str, ...]:
        """The joined tables, in order."""
        return tuple(dict.fromkeys((self.root, *(step.target for step in self.steps))))


def cheapest_tree(keys: Keys, root: str, others: Iterable[str], max_hops: int) -> JoinTree:
    """Join the others to the root, always the one that is cheapest to join to any table of the tree.

    Each path has at most `max_hops`; of equally cheap tables, the first one named is joined first. The result is close
    to the cheapest tree, which no known algorithm finds in bounded time. If the root is among the others, it is joined
    to itself.
    """
    tree = JoinTree(root)
    missing = list(dict.fromkeys(others))
    while missing:
        start = _start(tree)
        found = {table: paths for table in missing if (paths := _paths(keys, start, table, max_hops))}
        if not found:
            break
        table = min(found, key=lambda each: found[each][0].cost)
        best, *dearer = found[table]
        branch = Branch(best, tuple(dearer), _better_hops(keys, start, table, best, max_hops))
        tree = JoinTree(root, (*tree.branches, branch))
        # The root is still missing if it should be joined to itself.
        joined = {table, *tree.tables[1:]}
        missing = [each for each in missing if each not in joined]
    return JoinTree(root, tree.branches, tuple(missing))


def _start(tree: JoinTree) -> Start:
    # A table that already has a joined child would be a shared parent of the next one.
    return Start(tree.tables, with_child={step.key.to_table for step in tree.steps})


def _paths(keys: Keys, start: Start, table: str, max_hops: int) -> list[Path]:
    return list(islice(cheapest_paths(keys, start, table, max_hops), COMPARED_PATHS))


def _better_hops(keys: Keys, start: Start, table: str, best: Path, max_hops: int) -> int | None:
    if best.cost <= STEP * (max_hops + 1):
        return None

    def may_pass(other: str) -> bool:
        is_end = other == table or other in start.tables
        return keys.allowed(other) and (is_end or keys.graph.tied(other).fan_in < HUB)

    # A path through a hub is rarely better, and without hubs few tables are in reach.
    without_hubs = Keys(keys.graph, may_pass)
    better = next(cheapest_paths(without_hubs, start, table, min(max_hops + MORE_HOPS, MAX_HOPS)), best)
    return len(better.steps) if better.cost + NEARLY_EQUAL < best.cost else None
