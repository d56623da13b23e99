"""Families: tables whose names start with the same word, and how well they divide a schema."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from math import sqrt

from tribal.planning.domains.table_graph import Links, components
from tribal.planning.domains.table_names import TableName

LARGE_FAMILY = 0.5
"""A family is large if its size is at least this many times the square root of the number of tables: 6 of 150.

A judgement; docs/adr/0037 shows the effect of halving and doubling it.
"""
_FEWEST_LARGE = 3
_DIVIDED_SHARE = 0.5
"""More than half of the tables must be in large families."""


def families_divide(names: Sequence[TableName]) -> bool:
    """Whether first words divide the schema: most tables are in families large enough for a domain."""
    families = _members(names)
    fewest = max(_FEWEST_LARGE, LARGE_FAMILY * sqrt(len(names)))
    large = [len(nodes) for nodes in families.values() if len(nodes) >= fewest]
    return len(large) > 1 and sum(large) > _DIVIDED_SHARE * len(names)


def whole_families(names: Sequence[TableName]) -> list[int]:
    """A number per table: one per family, and one per table whose name has no word."""
    return _numbered([list(nodes) for nodes in _members(names).values()], len(names))


def tied_families(names: Sequence[TableName], links: Links) -> list[int]:
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
