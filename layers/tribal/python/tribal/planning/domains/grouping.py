"""Assigns each table a business domain: pinned, kept from the last plan, or inferred from schemas, keys and words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tribal.catalog.identity import domain_name
from tribal.errors import EmbeddingFailed
from tribal.naming import humanize
from tribal.planning.catalog.selection import matches_table
from tribal.planning.domains.clustering import cluster_tables
from tribal.planning.domains.domain_names import name_domains
from tribal.planning.domains.table_graph import find_links, key_graph
from tribal.planning.domains.vocabulary import Topic, topics
from tribal.planning.domains.word_similarity import TableWords, topic_similarities, without_kind_words
from tribal.ports import Embedder
from tribal_contracts import CatalogTable

DEFAULT_SCHEMAS = frozenset({"public", "dbo", "main"})
LARGEST_SCHEMA = 40
"""A schema with more tables is not taken for one domain, even if its name is meaningful.

By judgement (docs/adr/0007): no measured database has several named schemas of that size.
"""

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Grouping:
    """Every table's domain, and the title of each domain."""

    domains: Mapping[Key, str]
    titles: Mapping[str, str]
    without_words: str | None = None
    """Why words could not be used, if they were needed and could not."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What domains are inferred from, besides schemas and keys."""

    embedder: Embedder | None = None
    vocabulary: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """A user's own domains and their words, on top of the general ones."""
    schema_comments: Mapping[str, str] = field(default_factory=dict)


NOTHING_ELSE = Evidence()


def group_tables(
    tables: Sequence[CatalogTable],
    *,
    pins: Mapping[str, Sequence[str]],
    previous: Mapping[Key, str],
    evidence: Evidence = NOTHING_ELSE,
) -> Grouping:
    """Assign each table exactly one domain: the pinned one, else the one it had, else an inferred one."""
    domains: dict[Key, str] = {}
    titles: dict[str, str] = {}
    new: list[Key] = []
    for table in tables:
        key = (table.schema_name, table.table_name)
        pinned = next((title for title, globs in pins.items() if matches_table(globs, *key)), None)
        if pinned is not None:
            domains[key] = domain_name(pinned)
            titles[domains[key]] = pinned
        elif previous.get(key):
            domains[key] = previous[key]
        else:
            new.append(key)
    known = topics(evidence.vocabulary)
    failure = None
    if new:
        inferred, failure = _infer(tables, known, evidence)
        domains |= _assign_new(new, inferred, tables, previous)
    usual = {topic.name: topic.title for topic in known}
    for domain in sorted(set(domains.values())):
        titles.setdefault(domain, usual.get(domain) or title(domain))
    return Grouping(domains, titles, failure)


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


def _infer(
    tables: Sequence[CatalogTable], known: Sequence[Topic], evidence: Evidence
) -> tuple[dict[Key, str], str | None]:
    """A schema with a meaningful name is a domain; tables elsewhere are clustered by keys and words, or keys alone."""
    named = _named_schemas(tables)
    domains = {(t.schema_name, t.table_name): domain_name(t.schema_name) for t in tables if t.schema_name in named}
    rest = sorted(
        (table for table in tables if table.schema_name not in named), key=lambda t: (t.schema_name, t.table_name)
    )
    if not rest:
        return domains, None
    failure = similarities = None
    words = TableWords(rest, known)
    if evidence.embedder is None:
        failure = "no embedding model is at hand"
    else:
        try:
            similarities = topic_similarities(rest, known, evidence.embedder, evidence.schema_comments, words)
        except EmbeddingFailed as error:
            failure = error.message
    links = find_links(rest)
    names = [without_kind_words(words.of(table.table_name)) for table in rest]
    groups = cluster_tables(links, names, similarities)
    for group, name in zip(groups, name_domains(groups, links, names, known, taken=named), strict=True):
        domains |= {(rest[node].schema_name, rest[node].table_name): name for node in group.members}
    return domains, failure


def _named_schemas(tables: Sequence[CatalogTable]) -> set[str]:
    sizes = Counter(table.schema_name for table in tables)
    if len(sizes) < 2:
        return set()
    return {name for name, size in sizes.items() if name.lower() not in DEFAULT_SCHEMAS and size <= LARGEST_SCHEMA}


def title(domain: str) -> str:
    """A domain's name as people would write it."""
    words = humanize(domain, acronyms=True)
    return words[:1].upper() + words[1:]
