"""Finds bridge tables: tables that join the top tables of an answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

from tribal.joins.graph import JoinGraph

JOINED = 3
"""How many of the top tables to join."""
MOST_BRIDGES = 2
# Both by judgement. With 3 and 2, answers of five tables contain every needed table in 8 more cases on bird_mini and 13
# on beaver, and in 1 and 2 fewer. With 5 and 2, it is 18 and 13 more, and 10 and 7 fewer.


def bridges(
    best: Sequence[str], shown: Sequence[str], graph: JoinGraph, allowed: Callable[[str], bool]
) -> dict[str, tuple[str, str]]:
    """Tables between two of the best that no key joins: names of bridge tables with the two that each joins.

    Args:
        best: names of the tables to join, most likely first.
        shown: names of all tables of the answer.
        graph: the keys.
        allowed: whether the caller may see a table.
    """
    found: dict[str, tuple[str, str]] = {}
    for one, other in combinations(best, 2):
        between = _between(one, other, graph, allowed)
        if between is not None and between not in shown:
            found.setdefault(between, (one, other))
    return dict(list(found.items())[:MOST_BRIDGES])


def _between(one: str, other: str, graph: JoinGraph, allowed: Callable[[str], bool]) -> str | None:
    """The table with the fewest neighbours that joins two others; `None` if they are joined already or cannot be.

    A parent of both is not a bridge: it joins every row to every other one.
    """
    if other in graph.adjacent.get(one, ()):
        return None
    upward = {step.target: step.to_parent for step in graph.steps.get(one, ())}
    between = {
        step.target
        for step in graph.steps.get(other, ())
        if step.target in upward and not (step.to_parent and upward[step.target])
    }
    likely = sorted((len(graph.adjacent.get(table, ())), table) for table in between if allowed(table))
    return likely[0][1] if likely else None
