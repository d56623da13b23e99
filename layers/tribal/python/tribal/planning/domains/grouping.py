"""Assigns each table a business domain: pinned, kept from the last plan, or inferred from schemas, names and keys."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from types import MappingProxyType

from tribal.identity.table_names import domain_name
from tribal.naming import domain_title
from tribal.planning.catalog.selection import matches_table
from tribal.planning.domains.clustering import Cluster, cluster_tables
from tribal.planning.domains.domain_names import (
    NOWHERE_ELSE,
    SAY_LITTLE,
    Elsewhere,
    NameSources,
    name_domains,
)
from tribal.planning.domains.table_graph import find_links, key_graph
from tribal.planning.domains.table_names import KIND_WORDS, read_names
from tribal_contracts import CatalogTable

DOMAIN_RULES = 2
"""The version of the rules by which domains are inferred, recorded in the plan. Those of version 1 are not recorded."""
DEFAULT_SCHEMAS = frozenset({"public", "dbo", "main"})
LARGEST_SCHEMA = 40
"""A schema with more tables is not taken for one domain, even if its name is meaningful.

By judgement (docs/adr/0037): no measured database has several named schemas of that size.
"""

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Grouping:
    """Every table's domain, and the title of each domain."""

    domains: Mapping[Key, str]
    titles: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What domains are inferred from and named after, besides the tables themselves."""

    vocabulary: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """A user's own domains, and the words that tell them."""
    elsewhere: Elsewhere = NOWHERE_ELSE
    kind_words: Set[str] = KIND_WORDS
    little_words: Set[str] = SAY_LITTLE


NOTHING_ELSE = Evidence()


def group_tables(
    tables: Sequence[CatalogTable],
    *,
    database: str,
    pins: Mapping[str, Sequence[str]],
    previous: Mapping[Key, str],
    by_hand: Mapping[Key, str] = MappingProxyType({}),
    evidence: Evidence = NOTHING_ELSE,
) -> Grouping:
    """Assign each table exactly one domain: the pinned one, else the one it had, else an inferred one.

    Args:
        tables: all of the database.
        database: its name.
        pins: globs by the title of the domain that their tables have.
        previous: the domains that tables keep, and new tables of their groups take.
        by_hand: the domains that tables keep, and that say nothing about other tables.
        evidence: what else domains are inferred from.
    """
    domains: dict[Key, str] = {}
    titles = {domain_name(name): name for name in evidence.vocabulary}
    new: list[Key] = []
    for table in tables:
        key = (table.schema_name, table.table_name)
        pinned = next((title for title, globs in pins.items() if matches_table(globs, *key)), None)
        if pinned is not None:
            domains[key] = domain_name(pinned)
            titles[domains[key]] = pinned
        elif kept := by_hand.get(key) or previous.get(key):
            domains[key] = kept
        else:
            new.append(key)
    if new:
        inferred = _infer(tables, database, evidence)
        domains |= _assign_new(new, inferred, tables, previous)
    found = sorted(set(domains.values()))
    return Grouping(domains, {domain: titles.get(domain) or domain_title(domain) for domain in found})


def _assign_new(
    new: Sequence[Key],
    inferred: Mapping[Key, str],
    tables: Sequence[CatalogTable],
    previous: Mapping[Key, str],
) -> dict[Key, str]:
    """Domains of tables that the last plan lacks: the name it gave to most of the cluster that they fall into."""
    names: dict[str, Counter[str]] = defaultdict(Counter)
    for key, group in inferred.items():
        if key in previous:
            names[group][previous[key]] += 1
    if not names:
        return {key: inferred[key] for key in new}
    keys = [(table.schema_name, table.table_name) for table in tables]
    nodes = {key: node for node, key in enumerate(keys)}
    weights = key_graph(len(keys), find_links(tables))
    domains = {}
    for key in new:
        group = inferred[key]
        votes = {name: count / names[group].total() for name, count in names[group].items()}
        for node, weight in weights[nodes[key]].items():
            if previous.get(keys[node]) in votes:
                votes[previous[keys[node]]] += weight
        domains[key] = min(votes, key=lambda name: (-round(votes[name], 6), name)) if votes else group
    return domains


def _infer(tables: Sequence[CatalogTable], database: str, evidence: Evidence) -> dict[Key, str]:
    """A schema with a meaningful name is a domain; another one is divided by the names and keys of its tables."""
    sources = NameSources(database, evidence.vocabulary, evidence.elsewhere)
    schemas: dict[str, list[CatalogTable]] = defaultdict(list)
    for table in sorted(tables, key=lambda table: (table.schema_name, table.table_name)):
        schemas[table.schema_name].append(table)
    whole = {name: members for name, members in schemas.items() if _is_domain(name, members, schemas, evidence)}
    domains = {
        (table.schema_name, table.table_name): domain_name(name) for name, members in whole.items() for table in members
    }
    taken = {domain_name(name) for name in whole}
    for name, members in schemas.items():
        if name not in whole:
            names = read_names([table.table_name for table in members], evidence.kind_words)
            links = find_links(members)
            # A schema whose name says little is one domain all the same; only its name is not.
            is_one = _is_named(name, members, schemas)
            clusters = [Cluster([*range(len(members))])] if is_one else cluster_tables(links, names.names)
            for cluster, domain in zip(clusters, name_domains(clusters, links, names, taken, sources), strict=True):
                domains |= {(name, members[node].table_name): domain for node in cluster.members}
                taken.add(domain)
    return domains


def _is_named(name: str, members: Sequence[CatalogTable], schemas: Mapping[str, Sequence[CatalogTable]]) -> bool:
    return len(schemas) > 1 and name.lower() not in DEFAULT_SCHEMAS and len(members) <= LARGEST_SCHEMA


def _is_domain(
    name: str, members: Sequence[CatalogTable], schemas: Mapping[str, Sequence[CatalogTable]], evidence: Evidence
) -> bool:
    """Whether a schema gives its domain the name too: not if it says little, and another database has such a domain."""
    if not _is_named(name, members, schemas):
        return False
    tables = {table.table_name.lower() for table in members}
    return name.lower() not in evidence.little_words or evidence.elsewhere.is_free(domain_name(name), tables)
