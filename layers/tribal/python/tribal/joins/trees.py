"""Several tables joined along keys, as a tree that grows by the cheapest path to one more of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from tribal.joins.costs import HOP, NEARLY_EQUAL
from tribal.joins.graph import HUB, Hop
from tribal.joins.paths import Keys, Path, Start, cheapest_paths

MAX_HOPS = 10
"""The most hops that can be asked for. Source: specification section 6.3."""
MORE_HOPS = 2
"""How many more than the allowed hops a path may have to be mentioned as the better one. By judgement."""
_COMPARED = 12
"""The most paths to a table that are compared. By judgement: it leaves some of other tables where several keys join the
same two."""


@dataclass(frozen=True, slots=True)
class Branch:
    """The cheapest path to one more table, and others that it could be joined by, the cheapest first."""

    best: Path
    others: tuple[Path, ...]
    better_hops: int | None = None
    """Hops of a path that is better, but longer than allowed."""


@dataclass(frozen=True, slots=True)
class JoinTree:
    """A table, and the paths along which others are joined to it; each begins at a table that is joined already."""

    root: str
    branches: tuple[Branch, ...] = ()
    missing: tuple[str, ...] = ()
    """Tables that no path of the allowed length leads to."""

    @property
    def hops(self) -> tuple[Hop, ...]:
        """Every hop, each from a table that is joined by then."""
        return tuple(hop for branch in self.branches for hop in branch.best.hops)

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables that are joined, in order."""
        return tuple(dict.fromkeys((self.root, *(hop.target for hop in self.hops))))


def cheapest_tree(keys: Keys, root: str, others: Iterable[str], max_hops: int) -> JoinTree:
    """Join the others to the root, always the one next that is cheapest to join to any table of the tree.

    Each is joined by at most `max_hops`; of equally cheap ones the first named is joined first. That is near the
    cheapest tree, which nobody knows how to find in a bounded time. If the root is among the others, it is joined to
    itself.
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
        # The root is still missing if it is to be joined to itself.
        joined = {table, *tree.tables[1:]}
        missing = [each for each in missing if each not in joined]
    return JoinTree(root, tree.branches, tuple(missing))


def _start(tree: JoinTree) -> Start:
    # A table that a child is joined to already would be the shared parent of one more.
    return Start(tree.tables, with_child={hop.key.to_table for hop in tree.hops})


def _paths(keys: Keys, start: Start, table: str, max_hops: int) -> list[Path]:
    return list(islice(cheapest_paths(keys, start, table, max_hops), _COMPARED))


def _better_hops(keys: Keys, start: Start, table: str, best: Path, max_hops: int) -> int | None:
    if best.cost <= HOP * (max_hops + 1):
        return None

    def is_passed(other: str) -> bool:
        is_end = other == table or other in start.tables
        return keys.allowed(other) and (is_end or keys.graph.tied(other).hubness < HUB)

    # A path that passes a hub is hardly better, and without hubs few tables are within reach.
    without_hubs = Keys(keys.graph, is_passed)
    better = next(cheapest_paths(without_hubs, start, table, min(max_hops + MORE_HOPS, MAX_HOPS)), best)
    return len(better.hops) if better.cost + NEARLY_EQUAL < best.cost else None
