"""Assign each table a business domain: pinned, kept from the last plan, or inferred from schemas, names and keys."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from tribal.identity.table_names import domain_name
from tribal.naming import domain_title
from tribal.planning.catalog.selection import matches_table
from tribal.planning.domains.clustering import Cluster, cluster_tables
from tribal.planning.domains.domain_names import (
    GENERIC_WORDS,
    NO_OTHER_DOMAINS,
    NameSources,
    OtherDomains,
    name_domains,
)
from tribal.planning.domains.table_graph import find_links, key_graph
from tribal.planning.domains.table_names import KIND_WORDS, read_names
from tribal_contracts import CatalogTable

DOMAIN_RULES = 4
"""The version of the rules that infer domains, recorded in the plan. Version 1 is not recorded."""
DEFAULT_SCHEMAS = frozenset({"public", "dbo", "main"})
SMALL_SCHEMA = 40
"""A named schema with at most this many tables is one domain; a judgement (docs/adr/0037)."""
LARGEST_SCHEMA = 150
"""A larger one is also one domain up to this size, unless it has most of the tables; a judgement."""

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Grouping:
    """Every table's domain, and the title of each domain."""

    domains: Mapping[Key, str]
    titles: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What domains are inferred from and named after, besides the tables."""

    vocabulary: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """A user's own domains, and the words that identify them."""
    other_domains: OtherDomains = NO_OTHER_DOMAINS
    kind_words: Set[str] = KIND_WORDS
    generic_words: Set[str] = GENERIC_WORDS


DEFAULT_EVIDENCE = Evidence()


def group_tables(
    tables: Sequence[CatalogTable],
    *,
    database: str,
    pins: Mapping[str, Sequence[str]],
    previous: Mapping[Key, str],
    by_hand: Mapping[Key, str] = MappingProxyType({}),
    evidence: Evidence = DEFAULT_EVIDENCE,
) -> Grouping:
    """Assign each table exactly one domain: the pinned, the previous, or an inferred one, in that order.

    Args:
        tables: all of the database.
        database: its name.
        pins: globs by domain title.
        previous: domains that tables keep and that new tables of their groups get.
        by_hand: domains that tables keep, without effect on other tables.
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
    """Domains of new tables: the name that the last plan gave to most of their cluster."""
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
    """A schema with a meaningful name is a domain; others are divided by the names and keys of their tables."""
    sources = NameSources(database, evidence.vocabulary, evidence.other_domains)
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
            # A schema with a generic name is still one domain, but not named after the schema.
            is_one = _is_named(name, members, schemas)
            clusters = [Cluster([*range(len(members))])] if is_one else cluster_tables(links, names.names)
            named = replace(sources, schema=name if len(schemas) > 1 and name.lower() not in DEFAULT_SCHEMAS else "")
            for cluster, domain in zip(clusters, name_domains(clusters, links, names, taken, named), strict=True):
                domains |= {(name, members[node].table_name): domain for node in cluster.members}
                taken.add(domain)
    return domains


def _is_named(name: str, members: Sequence[CatalogTable], schemas: Mapping[str, Sequence[CatalogTable]]) -> bool:
    if len(schemas) == 1 or name.lower() in DEFAULT_SCHEMAS or len(members) > LARGEST_SCHEMA:
        return False
    return len(members) <= SMALL_SCHEMA or 2 * len(members) <= sum(map(len, schemas.values()))


def _is_domain(
    name: str, members: Sequence[CatalogTable], schemas: Mapping[str, Sequence[CatalogTable]], evidence: Evidence
) -> bool:
    """Whether a schema also names its domain: not if the name is generic and another database has such a domain."""
    if not _is_named(name, members, schemas):
        return False
    tables = {table.table_name.lower() for table in members}
    return name.lower() not in evidence.generic_words or evidence.other_domains.is_available(domain_name(name), tables)
