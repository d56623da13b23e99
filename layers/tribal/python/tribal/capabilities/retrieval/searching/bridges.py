"""Tables that the first tables of an answer are joined through."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

from tribal.joins.graph import JoinGraph

JOINED = 3
"""How many tables of an answer, from the first, are to be joined."""
MOST_BRIDGES = 2
# Both by judgement: with 3 and 2, eight more answers of five tables hold every table needed on bird_mini and 13 on
# beaver, and one and two fewer; with 5 and 2, 18 and 13 more, and ten and seven fewer.


def bridges(
    best: Sequence[str], shown: Sequence[str], graph: JoinGraph, allowed: Callable[[str], bool]
) -> dict[str, tuple[str, str]]:
    """Tables between two of the best that no key joins, each with these two, by name.

    Args:
        best: names of the tables to be joined, most likely first.
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
    """The table with the fewest neighbours that joins two others; `None` if they are joined, or nothing does.

    A parent of both joins every row to every other one, and is no bridge.
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
