"""Graphs of tables: an edge weighs how related two tables are by their references."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import log, sqrt

from tribal.naming import singular, split_identifier
from tribal_contracts import CatalogTable

Graph = Sequence[Mapping[int, float]]
"""Weighted adjacency by table, each table being its position in a list; symmetric."""
Links = Sequence[tuple[int, int]]
"""Pairs of positions, child first, each pair once, in order."""

SHARED_WEIGHT = 0.5
"""Weight of shared references, relative to an average table's own references, which weigh 1 together.

A judgement: a reference means more than a shared reference (docs/adr/0037 shows the effect of halving and doubling it).
"""
LARGEST_AUDIENCE = 100
"""A table with more references does not make its children alike and would cost too many pairs; a judgement."""
_VIEW_CHARS = 20_000
_SOURCE = re.compile(r"\b(?:FROM|JOIN)\s+\(*(?:\w+\.)?(\w+)", re.IGNORECASE)
_SHORTEST_NOUN = 3
"""The fewest letters of a table's noun that a column's name must contain to refer to it."""
_TENANT_SHARE = 0.5
_DIGITS = 9
"""Weights are rounded to this: sums differ in their last digits between machines."""


def find_links(tables: Sequence[CatalogTable]) -> Links:
    """References between tables: foreign keys, columns named like another table's key, and tables that views read.

    References of a table to itself and to unlisted tables are left out.
    """
    nodes = {(table.schema_name, table.table_name): node for node, table in enumerate(tables)}
    found = {
        (child, parent)
        for child, table in enumerate(tables)
        for name in _referenced(table)
        if (parent := nodes.get(name)) is not None and parent != child
    }
    return sorted(found | _carried_keys(tables))


def _carried_keys(tables: Sequence[CatalogTable]) -> set[tuple[int, int]]:
    """Links by columns named like another table's key, except keys that most tables have, such as a tenant id."""
    owners = _key_owners(tables)
    found: set[tuple[int, int]] = set()
    for child, table in enumerate(tables):
        declared = {column for key in table.foreign_keys for column in key.columns}
        parents = (owners.get(_plain(column.name)) for column in table.columns if column.name not in declared)
        found.update((child, parent) for parent in parents if parent is not None and parent != child)
    audience = Counter(parent for _, parent in found)
    return {(child, parent) for child, parent in found if audience[parent] <= _TENANT_SHARE * len(tables)}


def _referenced(table: CatalogTable) -> Iterator[tuple[str, str]]:
    for key in table.foreign_keys:
        yield key.references_schema, key.references_table
    for word in _SOURCE.findall((table.view_query or table.view_definition or "")[:_VIEW_CHARS]):
        yield table.schema_name, word


def _key_owners(tables: Sequence[CatalogTable]) -> dict[str, int]:
    """The table that a column name refers to: `letter_id` is the key of only one table and contains its noun.

    Good enough for grouping tables, but not for documenting them.
    """
    owning: dict[str, set[int]] = defaultdict(set)
    nouns: dict[int, str] = {}
    for node, table in enumerate(tables):
        words = split_identifier(table.table_name)
        if table.primary_key is None or len(table.primary_key.columns) != 1 or not words:
            continue
        key, nouns[node] = _plain(table.primary_key.columns[0]), singular(words[-1])
        owning[key].add(node)
        owning["".join([*words[:-1], nouns[node], key])].add(node)
    only = {name: next(iter(nodes)) for name, nodes in owning.items() if len(nodes) == 1}
    return {name: node for name, node in only.items() if len(nouns[node]) >= _SHORTEST_NOUN and nouns[node] in name}


def _plain(column: str) -> str:
    return column.lower().replace("_", "")


def key_graph(count: int, links: Links) -> Graph:
    """The graph of links; all links to one table weigh 1 together, since a key to a hub says little."""
    incoming = Counter(parent for _, parent in links)
    return _graph(count, links, [1 / max(1, incoming[node]) for node in range(count)])


def tie_graph(count: int, links: Links) -> Graph:
    """The graph to divide into domains: references and shared references.

    A reference to a table with n children weighs 1/sqrt(n), and those of an average table 1 together. Two tables with
    one shared reference are tied through it already, so only further shared references count.
    """
    incoming = Counter(parent for _, parent in links)
    references = _graph(count, links, [1 / sqrt(max(1, incoming[node])) for node in range(count)])
    degrees = [sum(neighbours.values()) for neighbours in references if neighbours]
    mean_degree = sum(degrees) / len(degrees) if degrees else 1.0
    graph = [
        {node: round(weight / mean_degree, _DIGITS) for node, weight in neighbours.items()} for neighbours in references
    ]
    for (one, other), likeness in _likenesses(count, links, incoming).items():
        weight = round(SHARED_WEIGHT * likeness, _DIGITS)
        graph[one][other] = graph[one].get(other, 0.0) + weight
        graph[other][one] = graph[other].get(one, 0.0) + weight
    return graph


def _likenesses(count: int, links: Links, incoming: Mapping[int, int]) -> dict[tuple[int, int], float]:
    """The likeness of two tables' references: cosine similarity, weighted by rarity, without the rarest shared one."""
    parents: dict[int, list[int]] = defaultdict(list)
    for child, parent in links:
        parents[child].append(parent)
    weight = {parent: log(1 + count / children) ** 2 for parent, children in incoming.items()}
    audiences: dict[int, list[int]] = defaultdict(list)
    for child, referenced in parents.items():
        for parent in referenced if len(referenced) > 1 else ():
            audiences[parent].append(child)
    shared: dict[tuple[int, int], list[float]] = defaultdict(list)
    for parent, children in audiences.items():
        for at, one in enumerate(children if len(children) <= LARGEST_AUDIENCE else ()):
            for other in children[:at]:
                shared[other, one].append(weight[parent])
    length = {child: sqrt(sum(weight[parent] for parent in referenced)) for child, referenced in parents.items()}
    return {
        (one, other): (sum(weights) - max(weights)) / (length[one] * length[other])
        for (one, other), weights in shared.items()
        if len(weights) > 1
    }


def _graph(count: int, links: Links, weights: Sequence[float]) -> list[dict[int, float]]:
    graph: list[dict[int, float]] = [{} for _ in range(count)]
    for child, parent in links:
        weight = weights[parent]
        graph[child][parent] = graph[child].get(parent, 0.0) + weight
        graph[parent][child] = graph[parent].get(child, 0.0) + weight
    return graph


def components(count: int, links: Links) -> list[int]:
    """The number of each table's connected component."""
    root = list(range(count))

    def find(node: int) -> int:
        while root[node] != node:
            root[node] = root[root[node]]
            node = root[node]
        return node

    for child, parent in links:
        root[find(child)] = find(parent)
    return [find(node) for node in range(count)]
