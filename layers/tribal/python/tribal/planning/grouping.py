"""Business domains from pins, the last plan, schemas, words and keys."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tribal.catalog.identity import domain_name
from tribal.errors import EmbeddingFailed
from tribal.naming import expand_tokens, humanize, split_identifier
from tribal.planning.grouping_words import SMALLEST_DOMAIN, Key, group_by_words
from tribal.planning.selection import matches_table
from tribal.planning.vocabulary import Topic, topics
from tribal.ports import Embedder
from tribal_contracts import CatalogTable

DEFAULT_SCHEMAS = frozenset({"public", "dbo", "main"})
LARGEST_SCHEMA = 40
"""A schema of more tables is too much for one domain, whoever named it."""
LEFTOVER_DOMAIN = "general"
_SWEEPS = 20
_VIEW_CHARS = 20_000
_SOURCE = re.compile(r"\b(?:FROM|JOIN)\s+\(*(?:\w+\.)?(\w+)", re.IGNORECASE)


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
        weights = _key_weights(tables)
        inferred, failure = _infer(tables, weights, known, evidence)
        domains |= _joined(new, inferred, weights, previous)
    usual = {topic.name: topic.title for topic in known}
    for domain in sorted(set(domains.values())):
        titles.setdefault(domain, usual.get(domain) or title(domain))
    return Grouping(domains, titles, failure)


def _joined(
    new: Sequence[Key],
    inferred: Mapping[Key, str],
    weights: Mapping[Key, Mapping[Key, float]],
    previous: Mapping[Key, str],
) -> dict[Key, str]:
    """Where tables that the last plan lacks belong: to what it calls the group that they are inferred to be in."""
    names: dict[str, Counter[str]] = defaultdict(Counter)
    for key, group in inferred.items():
        if key in previous:
            names[group][previous[key]] += 1
    domains = {}
    for key in new:
        group = inferred[key]
        votes = {name: count / names[group].total() for name, count in names[group].items()}
        for neighbour, weight in weights[key].items():
            if previous.get(neighbour) in votes:
                votes[previous[neighbour]] += weight
        domains[key] = min(votes, key=lambda name: (-round(votes[name], 6), name)) if votes else group
    return domains


def _infer(
    tables: Sequence[CatalogTable],
    weights: Mapping[Key, Mapping[Key, float]],
    known: Sequence[Topic],
    evidence: Evidence,
) -> tuple[dict[Key, str], str | None]:
    """A schema that somebody named is a domain; what lies in others is grouped by words and keys, or by keys alone."""
    named = _telling_schemas(tables)
    domains = {(t.schema_name, t.table_name): domain_name(t.schema_name) for t in tables if t.schema_name in named}
    rest = sorted(
        (table for table in tables if table.schema_name not in named), key=lambda t: (t.schema_name, t.table_name)
    )
    failure = None
    if rest and evidence.embedder is None:
        failure = "no embedding model is at hand"
    elif rest and evidence.embedder is not None:
        try:
            domains |= group_by_words(rest, weights, known, evidence.embedder, evidence.schema_comments)
        except EmbeddingFailed as error:
            failure = error.message
    rest = [table for table in rest if (table.schema_name, table.table_name) not in domains]
    for members in _communities(rest):
        domains |= dict.fromkeys(members, _community_name(members, rest))
    return domains, failure


def _telling_schemas(tables: Sequence[CatalogTable]) -> set[str]:
    sizes = Counter(table.schema_name for table in tables)
    if len(sizes) < 2:
        return set()
    return {name for name, size in sizes.items() if name.lower() not in DEFAULT_SCHEMAS and size <= LARGEST_SCHEMA}


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
    pairs += [pair for table in tables if table.view_definition for pair in _read_by_view(table)]
    pairs = [(child, parent) for child, parent in pairs if parent in known and parent != child]
    incoming = Counter(parent for _, parent in pairs)
    weights: dict[Key, dict[Key, float]] = {key: defaultdict(float) for key in known}
    for child, parent in pairs:
        weights[child][parent] += 1 / incoming[parent]
        weights[parent][child] += 1 / incoming[parent]
    return weights


def _read_by_view(view: CatalogTable) -> list[tuple[Key, Key]]:
    """A view is tied to the tables of its schema that its text names, as if it had keys to them."""
    text = (view.view_definition or "")[:_VIEW_CHARS]
    words = sorted(set(_SOURCE.findall(text)))
    return [((view.schema_name, view.table_name), (view.schema_name, word)) for word in words]


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
