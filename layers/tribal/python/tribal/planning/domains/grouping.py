"""Business domains from pins, the last plan, schemas, words and keys."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tribal.catalog.identity import domain_name
from tribal.errors import EmbeddingFailed
from tribal.naming import humanize
from tribal.planning.catalog.selection import matches_table
from tribal.planning.domains.clustering import find_groups
from tribal.planning.domains.domain_names import name_groups
from tribal.planning.domains.table_graph import find_links, key_graph
from tribal.planning.domains.vocabulary import Topic, topics
from tribal.planning.domains.word_similarity import TableWords, similarities, without_kind
from tribal.ports import Embedder
from tribal_contracts import CatalogTable

DEFAULT_SCHEMAS = frozenset({"public", "dbo", "main"})
LARGEST_SCHEMA = 40
"""A schema of more tables is too much for one domain, whoever named it."""

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Grouping:
    """Every table's domain, and the human form of each domain's name."""

    domains: Mapping[Key, str]
    titles: Mapping[str, str]
    without_words: str | None = None
    """Why words had to be left out of account, where they were needed."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for a domain besides schemas and keys."""

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
    """Give each table exactly one domain: its pin, else the one that it had, else one inferred."""
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
        domains |= _joined(new, inferred, tables, previous)
    usual = {topic.name: topic.title for topic in known}
    for domain in sorted(set(domains.values())):
        titles.setdefault(domain, usual.get(domain) or title(domain))
    return Grouping(domains, titles, failure)


def _joined(
    new: Sequence[Key],
    inferred: Mapping[Key, str],
    tables: Sequence[CatalogTable],
    previous: Mapping[Key, str],
) -> dict[Key, str]:
    """Where tables that the last plan lacks belong: to what it calls the group that they are inferred to be in."""
    names: dict[str, Counter[str]] = defaultdict(Counter)
    for key, group in inferred.items():
        if key in previous:
            names[group][previous[key]] += 1
    if not names:
        return {key: inferred[key] for key in new}
    keys = [(table.schema_name, table.table_name) for table in tables]
    places = {key: place for place, key in enumerate(keys)}
    weights = key_graph(len(keys), find_links(tables))
    domains = {}
    for key in new:
        group = inferred[key]
        votes = {name: count / names[group].total() for name, count in names[group].items()}
        for place, weight in weights[places[key]].items():
            if previous.get(keys[place]) in votes:
                votes[previous[keys[place]]] += weight
        domains[key] = min(votes, key=lambda name: (-round(votes[name], 6), name)) if votes else group
    return domains


def _infer(
    tables: Sequence[CatalogTable], known: Sequence[Topic], evidence: Evidence
) -> tuple[dict[Key, str], str | None]:
    """A schema that somebody named is a domain; what lies in others is grouped by ties and words, or by ties alone."""
    named = _telling_schemas(tables)
    domains = {(t.schema_name, t.table_name): domain_name(t.schema_name) for t in tables if t.schema_name in named}
    rest = sorted(
        (table for table in tables if table.schema_name not in named), key=lambda t: (t.schema_name, t.table_name)
    )
    if not rest:
        return domains, None
    failure = near = None
    words = TableWords(rest, known)
    if evidence.embedder is None:
        failure = "no embedding model is at hand"
    else:
        try:
            near = similarities(rest, known, evidence.embedder, evidence.schema_comments, words)
        except EmbeddingFailed as error:
            failure = error.message
    links = find_links(rest)
    names = [without_kind(words.of(table.table_name)) for table in rest]
    groups = find_groups(links, names, near)
    for group, name in zip(groups, name_groups(groups, links, names, known, taken=named), strict=True):
        domains |= {(rest[place].schema_name, rest[place].table_name): name for place in group.members}
    return domains, failure


def _telling_schemas(tables: Sequence[CatalogTable]) -> set[str]:
    sizes = Counter(table.schema_name for table in tables)
    if len(sizes) < 2:
        return set()
    return {name for name, size in sizes.items() if name.lower() not in DEFAULT_SCHEMAS and size <= LARGEST_SCHEMA}


def title(domain: str) -> str:
    """How a person would write a domain's name."""
    words = humanize(domain, acronyms=True)
    return words[:1].upper() + words[1:]
