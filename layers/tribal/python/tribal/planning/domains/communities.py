"""Communities of a graph: nodes with more edges between them than expected by chance.

Source: modularity, Newman and Girvan 2004; greedy search, Blondel et al. 2008.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from tribal.planning.domains.table_graph import Graph

_ROUNDS = 20
"""A bound, not a tuned value: moving stops as soon as there is no gain."""
_LEVELS = 20
"""Also a bound."""
_GAIN = 1e-9
"""Smaller gains are rounding."""
_STARTS = 10
"""The number of searches of a small graph; a judgement."""
_VISITS = 5_000
"""About how many nodes all searches may visit together; bounds the time, not measured."""
_SPREAD = 2_654_435_761
"""Knuth's multiplicative hash: consecutive numbers end up far apart."""


def find_communities(graph: Graph) -> list[int]:
    """Each node's community, numbered from 0 in order of first members; a node without edges is its own community.

    The greedy search depends on the order of nodes, so small graphs are searched several times in different orders, and
    the result with the greatest modularity wins.
    """
    total = sum(sum(neighbours.values()) for neighbours in graph)
    if not total:
        return list(range(len(graph)))
    starts = max(1, min(_STARTS, _VISITS // len(graph)))
    found = [_search(graph, total, start) for start in range(starts)]
    return max(found, key=lambda labels: round(_modularity(graph, total, labels), 9))


def _search(graph: Graph, total: float, start: int) -> list[int]:
    order = sorted(range(len(graph)), key=lambda node: (node * start * _SPREAD % 2**32, node))
    degrees = [sum(neighbours.values()) for neighbours in graph]
    labels = list(range(len(graph)))
    _move(graph, degrees, total, labels, order)
    labels = _renumbered(labels)
    for _ in range(_LEVELS):
        condensed, condensed_degrees = _condense(graph, degrees, labels)
        merged = list(range(len(condensed)))
        _move(condensed, condensed_degrees, total, merged, merged.copy())
        moved = [merged[label] for label in labels]
        _move(graph, degrees, total, moved, order)
        moved = _renumbered(moved)
        if moved == labels:
            break
        labels = moved
    return labels


def _modularity(graph: Graph, total: float, labels: Sequence[int]) -> float:
    degree: dict[int, float] = defaultdict(float)
    inside = 0.0
    for node, neighbours in enumerate(graph):
        for other, weight in neighbours.items():
            degree[labels[node]] += weight
            if labels[other] == labels[node]:
                inside += weight
    return inside / total - sum(weight * weight for weight in degree.values()) / total**2


def _move(graph: Graph, degrees: Sequence[float], total: float, labels: list[int], order: Sequence[int]) -> None:
    """Move nodes one by one to the community with the greatest gain, until no move gains."""
    weight_of: dict[int, float] = defaultdict(float)
    for node, label in enumerate(labels):
        weight_of[label] += degrees[node]
    unused = max(labels) + 1
    for _ in range(_ROUNDS):
        moved = False
        for node in order:
            neighbours = graph[node]
            here, degree = labels[node], degrees[node]
            if not degree:
                continue
            weight_to: dict[int, float] = {here: 0.0}
            for other, weight in neighbours.items():
                if other != node:
                    weight_to[labels[other]] = weight_to.get(labels[other], 0.0) + weight
            weight_of[here] -= degree
            best, most = here, weight_to[here] - degree * weight_of[here] / total + _GAIN
            for label in sorted(weight_to):
                gain = weight_to[label] - degree * weight_of[label] / total
                if gain > most:
                    best, most = label, gain + _GAIN
            if most < 0:
                best, unused = unused, unused + 1
            weight_of[best] += degree
            if best != here:
                labels[node], moved = best, True
        if not moved:
            break


def _condense(
    graph: Graph, degrees: Sequence[float], labels: Sequence[int]
) -> tuple[list[dict[int, float]], list[float]]:
    """The graph of communities, without edges inside one, since no move changes them."""
    count = max(labels) + 1
    condensed: list[dict[int, float]] = [{} for _ in range(count)]
    condensed_degrees = [0.0] * count
    for node, neighbours in enumerate(graph):
        label = labels[node]
        condensed_degrees[label] += degrees[node]
        weight_to = condensed[label]
        for other, weight in neighbours.items():
            if labels[other] != label:
                weight_to[labels[other]] = weight_to.get(labels[other], 0.0) + weight
    return condensed, condensed_degrees


def _renumbered(labels: Sequence[int]) -> list[int]:
    numbers: dict[int, int] = {}
    return [numbers.setdefault(label, len(numbers)) for label in labels]
