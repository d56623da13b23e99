"""Business domains from pins, the last plan, schemas and keys."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tribal.catalog.identity import domain_name
from tribal.naming import expand_tokens, humanize, split_identifier
from tribal.planning.selection import matches_table
from tribal_contracts import CatalogTable

Key = tuple[str, str]
"""Schema and table."""

DEFAULT_SCHEMAS = frozenset({"public", "dbo", "main"})
LEFTOVER_DOMAIN = "general"
SMALLEST_DOMAIN = 3
_SWEEPS = 20


@dataclass(frozen=True, slots=True)
class Grouping:
    """Every table's domain, and the human form of each domain's name."""

    domains: Mapping[Key, str]
    titles: Mapping[str, str]


def group_tables(
    tables: Sequence[CatalogTable],
    *,
    pins: Mapping[str, Sequence[str]],
    previous: Mapping[Key, str],
) -> Grouping:
    """Give each table exactly one domain: its pin, else the one that it had, else one inferred from schema and keys."""
    inferred = _infer(tables)
    titles: dict[str, str] = {}
    domains: dict[Key, str] = {}
    for table in tables:
        key = (table.schema_name, table.table_name)
        pinned = next((title for title, globs in pins.items() if matches_table(globs, *key)), None)
        if pinned is not None:
            domains[key] = domain_name(pinned)
            titles[domains[key]] = pinned
        else:
            domains[key] = previous.get(key) or inferred[key]
    for domain in set(domains.values()):
        titles.setdefault(domain, title(domain))
    return Grouping(domains, titles)


def _infer(tables: Sequence[CatalogTable]) -> dict[Key, str]:
    """A schema that somebody named is a domain; tables of a default or only schema are grouped by their keys."""
    schemas = {table.schema_name for table in tables}
    named = {schema for schema in schemas if schema.lower() not in DEFAULT_SCHEMAS} if len(schemas) > 1 else set()
    domains = {(t.schema_name, t.table_name): domain_name(t.schema_name) for t in tables if t.schema_name in named}
    rest = [table for table in tables if table.schema_name not in named]
    for members in _communities(rest):
        domains |= dict.fromkeys((member for member in members), _community_name(members, rest))
    return domains


def _communities(tables: Sequence[CatalogTable]) -> list[list[Key]]:
    """Label propagation over keys; a key to a table that everybody references says little, so it weighs little."""
    members = [(table.schema_name, table.table_name) for table in tables]
    weights = _key_weights(tables)
    label = {member: index for index, member in enumerate(members)}
    for _ in range(_SWEEPS):
        changed = False
        for member in members:
            votes: dict[int, float] = defaultdict(float)
            for neighbour, weight in weights[member].items():
                votes[label[neighbour]] += weight
            if not votes:
                continue
            best = max(votes, key=lambda candidate: (votes[candidate], candidate == label[member], -candidate))
            if best != label[member]:
                label[member], changed = best, True
        if not changed:
            break
    groups: dict[int, list[Key]] = defaultdict(list)
    for member in members:
        groups[label[member]].append(member)
    return _dissolve_small(list(groups.values()), weights)


def _key_weights(tables: Sequence[CatalogTable]) -> dict[Key, dict[Key, float]]:
    known = {(table.schema_name, table.table_name) for table in tables}
    pairs = [
        ((table.schema_name, table.table_name), (key.references_schema, key.references_table))
        for table in tables
        for key in table.foreign_keys
    ]
    pairs = [(child, parent) for child, parent in pairs if parent in known and parent != child]
    incoming = Counter(parent for _, parent in pairs)
    weights: dict[Key, dict[Key, float]] = {key: defaultdict(float) for key in known}
    for child, parent in pairs:
        weights[child][parent] += 1 / incoming[parent]
        weights[parent][child] += 1 / incoming[parent]
    return weights


def _dissolve_small(groups: list[list[Key]], weights: Mapping[Key, Mapping[Key, float]]) -> list[list[Key]]:
    """Give the tables of a small group to the large group that they are tied to most; the others stay together."""
    large = [sorted(group) for group in groups if len(group) >= SMALLEST_DOMAIN]
    home = {member: index for index, group in enumerate(large) for member in group}
    leftover: list[Key] = []
    for group in sorted(sorted(group) for group in groups if len(group) < SMALLEST_DOMAIN):
        ties: dict[int, float] = defaultdict(float)
        for member in group:
            for neighbour, weight in weights[member].items():
                if neighbour in home:
                    ties[home[neighbour]] += weight
        if ties:
            large[max(ties, key=lambda index: (ties[index], -index))].extend(group)
        else:
            leftover.extend(group)
    return large + ([leftover] if leftover else [])


def _community_name(members: Sequence[Key], tables: Sequence[CatalogTable]) -> str:
    """The name of the table that the others point at most; unrelated tables share one name for leftovers."""
    inside = set(members)
    incoming: Counter[Key] = Counter()
    for table in tables:
        child = (table.schema_name, table.table_name)
        for key in table.foreign_keys:
            parent = (key.references_schema, key.references_table)
            if child in inside and parent in inside and child != parent:
                incoming[parent] += 1
    if not incoming:
        return LEFTOVER_DOMAIN
    hub = min(members, key=lambda member: (-incoming[member], len(member[1]), member))
    return domain_name("_".join(expand_tokens(split_identifier(hub[1]), ())))


def title(domain: str) -> str:
    """How a person would write a domain's name."""
    words = humanize(domain, acronyms=True)
    return words[:1].upper() + words[1:]
