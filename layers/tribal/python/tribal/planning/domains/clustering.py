"""Cluster tables into business domains: by first words if they divide the schema, otherwise by keys.

No dictionary is used: names are only compared with each other. docs/adr/0037 has the measurements, the data for
choosing the constants, and the effect of halving and doubling each.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from math import sqrt

from tribal.planning.domains.communities import find_communities
from tribal.planning.domains.families import families_divide, tied_families, whole_families
from tribal.planning.domains.table_graph import Graph, Links, tie_graph
from tribal.planning.domains.table_names import TableName

MINIMUM_DOMAIN_SIZE = 3
"""The fewest tables of a domain formed by keys; a judgement."""
MINIMUM_FAMILY_SIZE = 2
"""The fewest tables of a domain if first words divide the schema, since someone chose its name; a judgement."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Tables that belong together."""

    members: list[int]
    """Positions in the list of tables: the nodes of the graph."""
    is_rest: bool = False
    """Whether its tables have no ties to others or to each other."""


def minimum_domain_size(count: int, smallest: int) -> int:
    """The fewest tables of a domain; grows with the database, since many tiny domains would not help.

    The divisor is a judgement, not measured: 876 tables give domains of 5 tables or more.
    """
    return max(smallest, round(sqrt(count) / 6))


def cluster_tables(links: Links, names: Sequence[TableName]) -> list[Cluster]:
    """Put each table into exactly one cluster; at most one holds the rest, which have no ties.

    Args:
        links: from `find_links`.
        names: from `read_names`.
    """
    graph = tie_graph(len(names), links)
    if families_divide(names):
        return _dissolve_small(whole_families(names), graph, minimum_domain_size(len(names), MINIMUM_FAMILY_SIZE))
    families = tied_families(names, links)
    communities = find_communities(_condensed(graph, families))
    labels = [communities[family] for family in families]
    return _dissolve_small(labels, graph, minimum_domain_size(len(names), MINIMUM_DOMAIN_SIZE))


def _condensed(graph: Graph, families: Sequence[int]) -> Graph:
    """The graph of families; ties inside a family become a tie to itself."""
    condensed: list[dict[int, float]] = [{} for _ in range(max(families, default=-1) + 1)]
    for node, neighbours in enumerate(graph):
        weights = condensed[families[node]]
        for other, weight in neighbours.items():
            weights[families[other]] = weights.get(families[other], 0.0) + weight
    return condensed


def _dissolve_small(labels: Sequence[int], graph: Graph, smallest: int) -> list[Cluster]:
    """Merge small clusters into the most related ones, and collect the rest."""
    label_of = list(labels)
    degree = [sum(neighbours.values()) for neighbours in graph]
    members: dict[int, list[int]] = defaultdict(list)
    for node, label in enumerate(label_of):
        members[label].append(node)
    weight = {label: sum(degree[node] for node in nodes) for label, nodes in members.items()}
    queue = [(len(nodes), label) for label, nodes in members.items() if len(nodes) < smallest]
    heapify(queue)
    stuck: set[int] = set()
    while queue:
        size, label = heappop(queue)
        if label not in members or size != len(members[label]):
            continue
        target = _nearest(members[label], label_of, graph, weight)
        if target is None:
            stuck.add(label)
            continue
        for node in members[label]:
            label_of[node] = target
        members[target].extend(members.pop(label))
        weight[target] += weight.pop(label)
        if len(members[target]) < smallest:
            heappush(queue, (len(members[target]), target))
    rest = sorted(node for label in stuck for node in members[label])
    found = [Cluster(sorted(nodes)) for label, nodes in members.items() if label not in stuck]
    return [*found, Cluster(rest, is_rest=True)] if rest else found


def _nearest(nodes: Sequence[int], label_of: Sequence[int], graph: Graph, weight: Mapping[int, float]) -> int | None:
    """The cluster with the strongest ties to these nodes beyond chance (gain in modularity)."""
    own = label_of[nodes[0]]
    votes: dict[int, float] = defaultdict(float)
    for node in nodes:
        for other, tie in graph[node].items():
            if label_of[other] != own:
                votes[label_of[other]] += tie
    total = sum(weight.values())
    gain = {label: round(vote - weight[own] * weight[label] / total, 6) for label, vote in votes.items()}
    return min(gain, key=lambda label: (-gain[label], label)) if gain else None
