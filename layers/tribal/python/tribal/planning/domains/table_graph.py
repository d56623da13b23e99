"""What ties tables together: keys, what views read, and first words that names share."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import sqrt

from tribal_contracts import CatalogTable

Graph = Sequence[Mapping[int, float]]
"""How strongly each table, by its place, is tied to which others; the same in both directions."""
Links = Sequence[tuple[int, int]]
"""(child, parent) by place, each pair once, in order."""

LARGEST_FAMILY = 40
"""A first word that more tables share is too much for one domain."""
SMALLEST_FAMILY = 3
FAMILY_WEIGHT = 0.5
"""What a first word that stands for no table (`crm_`) counts, where an average table's keys count 1 together."""
KIN_WEIGHT = 0.2
"""The same for a first word that is itself a table: it may be the same word for something else."""
_VIEW_CHARS = 20_000
_SOURCE = re.compile(r"\b(?:FROM|JOIN)\s+\(*(?:\w+\.)?(\w+)", re.IGNORECASE)


def find_links(tables: Sequence[CatalogTable]) -> Links:
    """Keys, and views to the tables that they read, among these tables; a table's link to itself is left out."""
    places = {(table.schema_name, table.table_name): place for place, table in enumerate(tables)}
    found = set()
    for child, table in enumerate(tables):
        for name in _pointed_at(table):
            parent = places.get(name)
            if parent is not None and parent != child:
                found.add((child, parent))
    return sorted(found)


def _pointed_at(table: CatalogTable) -> Iterator[tuple[str, str]]:
    for key in table.foreign_keys:
        yield key.references_schema, key.references_table
    for word in _SOURCE.findall((table.view_definition or "")[:_VIEW_CHARS]):
        yield table.schema_name, word


def bond_graph(count: int, links: Links, names: Sequence[Sequence[str]]) -> Graph:
    """What is evidence by itself: every link counts 1, and so does a first word that stands for no table (`crm_`)."""
    graph = _graph(count, links, [1.0] * count)
    _add_families(graph, [members for members, weight in _families(links, names) if weight == FAMILY_WEIGHT], 1.0)
    return graph


def key_graph(count: int, links: Links) -> Graph:
    """The links to one table count 1 together: a key to a table that everybody references says little."""
    incoming = Counter(parent for _, parent in links)
    return _graph(count, links, [1 / max(1, incoming[place]) for place in range(count)])


def tie_graph(count: int, links: Links, names: Sequence[Sequence[str]]) -> Graph:
    """Links and shared first words together; a link to one of n children counts 1/sqrt(n), half way to `key_graph`.

    Args:
        count: Number of tables.
        links: Of `find_links`.
        names: Each table's name in words.
    """
    incoming = Counter(parent for _, parent in links)
    keys = _graph(count, links, [1 / sqrt(max(1, incoming[place])) for place in range(count)])
    degrees = [sum(row.values()) for row in keys if row]
    usual = sum(degrees) / len(degrees) if degrees else 1.0
    graph = [{place: weight / usual for place, weight in row.items()} for row in keys]
    for members, weight in _families(links, names):
        _add_families(graph, [members], weight)
    return graph


def _add_families(graph: list[dict[int, float]], families: Sequence[Sequence[int]], weight: float) -> None:
    for members in families:
        share = weight / (len(members) - 1)
        for one in members:
            row = graph[one]
            for other in members:
                if other != one:
                    row[other] = row.get(other, 0.0) + share


def _graph(count: int, links: Links, weights: Sequence[float]) -> list[dict[int, float]]:
    graph: list[dict[int, float]] = [{} for _ in range(count)]
    for child, parent in links:
        weight = weights[parent]
        graph[child][parent] = graph[child].get(parent, 0.0) + weight
        graph[parent][child] = graph[parent].get(child, 0.0) + weight
    return graph


def _families(links: Links, names: Sequence[Sequence[str]]) -> Iterator[tuple[list[int], float]]:
    """Tables that share a first word; where the word is itself a table, only among those that keys connect."""
    sharing: dict[str, list[int]] = defaultdict(list)
    for place, words in enumerate(names):
        if words:
            sharing[words[0]].append(place)
    whole = {" ".join(words) for words in names}
    component = _components(len(names), links)
    linked = {place for link in links for place in link}
    for word, members in sharing.items():
        if not 2 <= len(members) <= min(LARGEST_FAMILY, len(names) / 2):
            continue
        if word not in whole and len(members) >= SMALLEST_FAMILY:
            yield members, FAMILY_WEIGHT
            continue
        apart: dict[int, list[int]] = defaultdict(list)
        for place in members:
            if place in linked:
                apart[component[place]].append(place)
        for group in apart.values() if len(apart) > 1 else (members,):
            if len(group) > 1:
                yield group, KIN_WEIGHT


def _components(count: int, links: Links) -> list[int]:
    root = list(range(count))

    def find(place: int) -> int:
        while root[place] != place:
            root[place] = root[root[place]]
            place = root[place]
        return place

    for child, parent in links:
        root[find(child)] = find(parent)
    return [find(place) for place in range(count)]
