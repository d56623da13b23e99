"""Cluster tables into business domains: by first words if they divide the schema, otherwise by keys.

No dictionary is used: names are only compared with each other. docs/adr/0037 has the measurements, the data for
choosing the constants, and the effect of halving and doubling each.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from math import sqrt

from tribal.planning.domains.communities import find_communities
from tribal.planning.domains.table_graph import Graph, Links, components, tie_graph
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
    if _families_divide(names):
        return _dissolve_small(_whole_families(names), graph, minimum_domain_size(len(names), MINIMUM_FAMILY_SIZE))
    families = _tied_families(names, links)
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


_LARGE_FAMILY = 0.5
"""A family is large if its size is at least this many times the square root of the number of tables: 6 of 150.

A judgement; docs/adr/0037 shows the effect of halving and doubling it.
"""
_FEWEST_LARGE = 3
_DIVIDED_SHARE = 0.5
"""More than half of the tables must be in large families."""


def _families_divide(names: Sequence[TableName]) -> bool:
    """Whether first words divide the schema: most tables are in families large enough for a domain."""
    families = _members(names)
    fewest = max(_FEWEST_LARGE, _LARGE_FAMILY * sqrt(len(names)))
    large = [len(nodes) for nodes in families.values() if len(nodes) >= fewest]
    return len(large) > 1 and sum(large) > _DIVIDED_SHARE * len(names)


def _whole_families(names: Sequence[TableName]) -> list[int]:
    """A number per table: one per family, and one per table whose name has no word."""
    return _numbered([list(nodes) for nodes in _members(names).values()], len(names))


def _tied_families(names: Sequence[TableName], links: Links) -> list[int]:
    """A number per table, shared by tables of a family that keys confirm or do not contradict.

    A first word that is not a table (`crm_`) holds its tables together if more keys connect them than expected by
    chance. Otherwise, as with `gear_rental` and `gear_price`, only directly connected tables stay together.
    """
    degree = Counter(node for link in links for node in link)
    inside: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for child, parent in links:
        if names[child].family == names[parent].family:
            inside[names[child].family].append((child, parent))
    tables = {name.family for name in names if len(name.words) == 1}
    groups: list[list[int]] = []
    for family, nodes in _members(names).items():
        ends = sum(degree[node] for node in nodes)
        by_chance = ends * ends / (4 * len(links)) if links else 0.0
        if not ends or (family not in tables and len(inside[family]) > by_chance):
            groups.append(nodes)
        else:
            groups.extend(_connected(nodes, inside[family], degree))
    return _numbered(groups, len(names))


def _connected(nodes: Sequence[int], links: Links, degree: Counter[int]) -> list[list[int]]:
    """The connected parts of a family; tables without links join the only part, or form their own."""
    place = {node: at for at, node in enumerate(nodes)}
    part = components(len(nodes), [(place[child], place[parent]) for child, parent in links])
    parts: dict[int, list[int]] = defaultdict(list)
    free = [node for node in nodes if not degree[node]]
    for node in nodes:
        if degree[node]:
            parts[part[place[node]]].append(node)
    found = list(parts.values())
    if len(found) == 1:
        return [sorted([*found[0], *free])]
    return [*found, free] if free else found


def _members(names: Sequence[TableName]) -> dict[str, list[int]]:
    members: dict[str, list[int]] = defaultdict(list)
    for node, name in enumerate(names):
        members[name.family or f"\0{node}"].append(node)
    return members


def _numbered(groups: Sequence[Sequence[int]], count: int) -> list[int]:
    """Groups numbered from 0 in order of their first tables."""
    label = [0] * count
    for number, nodes in enumerate(sorted(groups, key=min)):
        for node in nodes:
            label[node] = number
    return label
