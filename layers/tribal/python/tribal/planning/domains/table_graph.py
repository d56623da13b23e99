"""Graphs of tables: edges are foreign keys, what views read, and first words that names share."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import sqrt

from tribal_contracts import CatalogTable

Graph = Sequence[Mapping[int, float]]
"""Weighted adjacency by table, each table being its position in a list; symmetric."""
Links = Sequence[tuple[int, int]]
"""Pairs of positions, child first, each pair once, in order."""

LARGEST_PREFIX_GROUP = 40
"""A first word that more tables share identifies no domain. By judgement (docs/adr/0007): 20 and 80 change nothing."""
SMALLEST_PREFIX_GROUP = 3
"""Names that must share a first word. With 2, adventureworks_flat .54 (see `clustering`); 6 changes nothing."""
PREFIX_WEIGHT = 0.5
"""Weight of a shared first word that is not itself a table (`crm_`); an average table's keys weigh 1 together.

Doubled, pools .79 (see `clustering`); halved, nothing changes.
"""
TABLE_PREFIX_WEIGHT = 0.2
"""The same for a first word that is itself a table, which may mean something else in each name.

Halved, adventureworks_flat .53; doubled, .59 and pools .78 (see `clustering`).
"""
_VIEW_CHARS = 20_000
_SOURCE = re.compile(r"\b(?:FROM|JOIN)\s+\(*(?:\w+\.)?(\w+)", re.IGNORECASE)


def find_links(tables: Sequence[CatalogTable]) -> Links:
    """Foreign keys, and views with the tables they read; links to itself or to tables not listed are left out."""
    nodes = {(table.schema_name, table.table_name): node for node, table in enumerate(tables)}
    found = set()
    for child, table in enumerate(tables):
        for name in _referenced(table):
            parent = nodes.get(name)
            if parent is not None and parent != child:
                found.add((child, parent))
    return sorted(found)


def _referenced(table: CatalogTable) -> Iterator[tuple[str, str]]:
    for key in table.foreign_keys:
        yield key.references_schema, key.references_table
    for word in _SOURCE.findall((table.view_definition or "")[:_VIEW_CHARS]):
        yield table.schema_name, word


def cohesion_graph(count: int, links: Links, names: Sequence[Sequence[str]]) -> Graph:
    """The graph that cohesion is measured on: each link weighs 1, and so does a shared prefix (`crm_`)."""
    graph = _graph(count, links, [1.0] * count)
    _add_prefix_groups(
        graph, [members for members, weight in _prefix_groups(links, names) if weight == PREFIX_WEIGHT], 1.0
    )
    return graph


def key_graph(count: int, links: Links) -> Graph:
    """Links, those to one table weighing 1 together: a key to a table that everything references says little."""
    incoming = Counter(parent for _, parent in links)
    return _graph(count, links, [1 / max(1, incoming[node]) for node in range(count)])


def affinity_graph(count: int, links: Links, names: Sequence[Sequence[str]]) -> Graph:
    """The graph that is clustered: links and shared first words; a link to a table with n children weighs 1/sqrt(n).

    Args:
        count: number of tables.
        links: from `find_links`.
        names: each table's name in words.
    """
    incoming = Counter(parent for _, parent in links)
    keys = _graph(count, links, [1 / sqrt(max(1, incoming[node])) for node in range(count)])
    degrees = [sum(neighbours.values()) for neighbours in keys if neighbours]
    mean_degree = sum(degrees) / len(degrees) if degrees else 1.0
    graph = [{node: weight / mean_degree for node, weight in neighbours.items()} for neighbours in keys]
    for members, weight in _prefix_groups(links, names):
        _add_prefix_groups(graph, [members], weight)
    return graph


def _add_prefix_groups(graph: list[dict[int, float]], groups: Sequence[Sequence[int]], weight: float) -> None:
    for members in groups:
        share = weight / (len(members) - 1)
        for one in members:
            neighbours = graph[one]
            for other in members:
                if other != one:
                    neighbours[other] = neighbours.get(other, 0.0) + share


def _graph(count: int, links: Links, weights: Sequence[float]) -> list[dict[int, float]]:
    graph: list[dict[int, float]] = [{} for _ in range(count)]
    for child, parent in links:
        weight = weights[parent]
        graph[child][parent] = graph[child].get(parent, 0.0) + weight
        graph[parent][child] = graph[parent].get(child, 0.0) + weight
    return graph


def _prefix_groups(links: Links, names: Sequence[Sequence[str]]) -> Iterator[tuple[list[int], float]]:
    """Tables that share a first word, and its weight; if the word is itself a table, only those that keys connect."""
    sharing: dict[str, list[int]] = defaultdict(list)
    for node, words in enumerate(names):
        if words:
            sharing[words[0]].append(node)
    whole = {" ".join(words) for words in names}
    component = _components(len(names), links)
    linked = {node for link in links for node in link}
    for word, members in sharing.items():
        if not 2 <= len(members) <= min(LARGEST_PREFIX_GROUP, len(names) / 2):
            continue
        if word not in whole and len(members) >= SMALLEST_PREFIX_GROUP:
            yield members, PREFIX_WEIGHT
            continue
        apart: dict[int, list[int]] = defaultdict(list)
        for node in members:
            if node in linked:
                apart[component[node]].append(node)
        for group in apart.values() if len(apart) > 1 else (members,):
            if len(group) > 1:
                yield group, TABLE_PREFIX_WEIGHT


def _components(count: int, links: Links) -> list[int]:
    root = list(range(count))

    def find(node: int) -> int:
        while root[node] != node:
            root[node] = root[root[node]]
            node = root[node]
        return node

    for child, parent in links:
        root[find(child)] = find(parent)
    return [find(node) for node in range(count)]
