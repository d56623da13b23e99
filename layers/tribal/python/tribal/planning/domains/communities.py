"""Clusters of a graph: tables that are tied to each other more than chance would have it.

Source: modularity, Newman and Girvan 2004; its greedy search by moving one and merging many, Blondel et al. 2008.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from tribal.planning.domains.table_graph import Graph

_ROUNDS = 20
_LEVELS = 20
_GAIN = 1e-9
_STARTS = 10
_VISITS = 5_000
"""About how many tables may be visited by all starts together."""
_SPREAD = 2_654_435_761
"""Multiplied by this, neighbouring numbers lie far apart (Knuth's multiplicative hash)."""


def find_communities(graph: Graph) -> list[int]:
    """Each table's community, numbered from 0 in the order of their first members; who is tied to nobody is alone.

    The greedy search depends on who moves first, so small graphs are searched several times, each time in another
    order, and the best communities are kept.
    """
    total = sum(sum(row.values()) for row in graph)
    if not total:
        return list(range(len(graph)))
    starts = max(1, min(_STARTS, _VISITS // len(graph)))
    found = [_search(graph, total, start) for start in range(starts)]
    return max(found, key=lambda labels: round(_modularity(graph, total, labels), 9))


def _search(graph: Graph, total: float, start: int) -> list[int]:
    order = sorted(range(len(graph)), key=lambda place: (place * start * _SPREAD % 2**32, place))
    degrees = [sum(row.values()) for row in graph]
    labels = list(range(len(graph)))
    _move(graph, degrees, total, labels, order)
    labels = _numbered(labels)
    for _ in range(_LEVELS):
        condensed, condensed_degrees = _condense(graph, degrees, labels)
        merged = list(range(len(condensed)))
        _move(condensed, condensed_degrees, total, merged, merged.copy())
        moved = [merged[label] for label in labels]
        _move(graph, degrees, total, moved, order)
        moved = _numbered(moved)
        if moved == labels:
            break
        labels = moved
    return labels


def _modularity(graph: Graph, total: float, labels: Sequence[int]) -> float:
    degree: dict[int, float] = defaultdict(float)
    inside = 0.0
    for place, row in enumerate(graph):
        for other, weight in row.items():
            degree[labels[place]] += weight
            if labels[other] == labels[place]:
                inside += weight
    return inside / total - sum(weight * weight for weight in degree.values()) / total**2


def strengths(graph: Graph, labels: Sequence[int]) -> list[float]:
    """Of each community, the share of its ties that stay inside, corrected for chance: 0 as by chance, 1 all of them.

    A community that holds all ties there are has nothing to compare with, and one without ties nothing to show: 0.
    """
    count = max(labels, default=-1) + 1
    inside, degree = [0.0] * count, [0.0] * count
    for place, row in enumerate(graph):
        label = labels[place]
        for other, weight in row.items():
            degree[label] += weight
            if labels[other] == label:
                inside[label] += weight
    total = sum(degree)
    found = []
    for label in range(count):
        chance = degree[label] / total if total else 0.0
        found.append((inside[label] / degree[label] - chance) / (1 - chance) if 0 < chance < 1 else 0.0)
    return found


def _move(graph: Graph, degrees: Sequence[float], total: float, labels: list[int], order: Sequence[int]) -> None:
    """Move one after the other to where modularity rises most, until none wants to."""
    weight_of: dict[int, float] = defaultdict(float)
    for place, label in enumerate(labels):
        weight_of[label] += degrees[place]
    unused = max(labels) + 1
    for _ in range(_ROUNDS):
        moved = False
        for place in order:
            row = graph[place]
            here, degree = labels[place], degrees[place]
            if not degree:
                continue
            ties: dict[int, float] = {here: 0.0}
            for other, weight in row.items():
                if other != place:
                    ties[labels[other]] = ties.get(labels[other], 0.0) + weight
            weight_of[here] -= degree
            best, most = here, ties[here] - degree * weight_of[here] / total + _GAIN
            for label in sorted(ties):
                gain = ties[label] - degree * weight_of[label] / total
                if gain > most:
                    best, most = label, gain + _GAIN
            if most < 0:
                best, unused = unused, unused + 1
            weight_of[best] += degree
            if best != here:
                labels[place], moved = best, True
        if not moved:
            break


def _condense(
    graph: Graph, degrees: Sequence[float], labels: Sequence[int]
) -> tuple[list[dict[int, float]], list[float]]:
    """The graph of the communities; what lies inside one does not matter to where it belongs."""
    count = max(labels) + 1
    condensed: list[dict[int, float]] = [{} for _ in range(count)]
    condensed_degrees = [0.0] * count
    for place, row in enumerate(graph):
        label = labels[place]
        condensed_degrees[label] += degrees[place]
        ties = condensed[label]
        for other, weight in row.items():
            if labels[other] != label:
                ties[labels[other]] = ties.get(labels[other], 0.0) + weight
    return condensed, condensed_degrees


def _numbered(labels: Sequence[int]) -> list[int]:
    numbers: dict[int, int] = {}
    return [numbers.setdefault(label, len(numbers)) for label in labels]
