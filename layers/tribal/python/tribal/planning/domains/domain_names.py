"""Names domains as the schema itself would: after the word that its tables share, else after its central table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from tribal.identity.table_names import domain_name
from tribal.naming import singular, split_identifier
from tribal.planning.domains.clustering import Cluster
from tribal.planning.domains.table_graph import Links
from tribal.planning.domains.table_names import TableName, TableNames

MOST = 0.5
"""More than half of a domain's tables must carry a word for it to bear their name."""
_FAMILY = 3
"""Tables that a central table's first word must begin to stand for it. By judgement: names are not measured."""

SAY_LITTLE = frozenset(
    "admin app application base common config configuration core data default general internal main misc "
    "miscellaneous other settings shared system temp test".split()
)
"""Schemas whose names say nothing about their tables, so that two of them have nothing to do with each other.

Collected for this project: words for the container, none for a content.
"""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """The domains of the other databases: the tools show those of one name as one domain."""

    tables: Mapping[str, Set[str]]
    """The names of the tables of each domain."""

    def is_free(self, name: str, tables: Set[str]) -> bool:
        """Whether tables may go under this name: it is new, or its tables mostly are the same, as those of a copy."""
        there = self.tables.get(name)
        if not there:
            return True
        return 2 * len(there & tables) >= min(len(there), len(tables))


NOWHERE_ELSE = Elsewhere({})


@dataclass(frozen=True, slots=True)
class NameSources:
    """What the names of a database's domains are taken from, besides its tables."""

    database: str
    vocabulary: Mapping[str, Sequence[str]]
    """A user's own domains and the words that tell them."""
    elsewhere: Elsewhere = NOWHERE_ELSE


def name_domains(
    clusters: Sequence[Cluster], links: Links, names: TableNames, taken: Set[str], sources: NameSources
) -> list[str]:
    """A name for each cluster, no two alike; the largest chooses first.

    Args:
        clusters: from `cluster_tables`.
        links: from `find_links`.
        names: from `read_names`.
        taken: names that other domains of the database have already.
        sources: what else names are taken from.
    """
    used = {domain_name(name) for name in taken}
    chosen = [""] * len(clusters)
    for number in sorted(range(len(clusters)), key=lambda n: (-len(clusters[n].members), n)):
        cluster = clusters[number]
        tables = {names.names[node].whole for node in cluster.members}
        for name, is_meant in _candidates(cluster, links, names, sources):
            if name not in used and (is_meant or sources.elsewhere.is_free(name, tables)):
                chosen[number] = name
                used.add(name)
                break
    return chosen


def _candidates(cluster: Cluster, links: Links, names: TableNames, sources: NameSources) -> Iterator[tuple[str, bool]]:
    """Names in order of preference, and whether somebody gave them on purpose to tables of any database."""
    members = [names.names[node] for node in cluster.members]
    for title in _configured(members, sources.vocabulary):
        yield domain_name(title), True
    own = [] if cluster.is_rest else [*_shared_words(members), *_central_tables(cluster, links, names.names)]
    rest = [names.common, sources.database] if names.common else [sources.database]
    for name in own or rest:
        yield domain_name(name), False
    first = domain_name((own or rest)[0])
    yield domain_name(f"{sources.database}-{first}"), False
    number = 2
    while True:
        yield domain_name(f"{sources.database}-{first}"[:50] + f"-{number}"), True
        number += 1


def _configured(members: Sequence[TableName], vocabulary: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Domains of the user's vocabulary whose words most of the tables carry in their names, the most carried first."""
    carried: list[tuple[int, str]] = []
    for title, words in vocabulary.items():
        known = {singular(word.lower()) for text in (title, *words) for word in split_identifier(text)}
        count = sum(any(singular(word) in known for word in member.words) for member in members)
        if count > len(members) * MOST:
            carried.append((count, title))
    for _, title in sorted(carried, key=lambda pair: (-pair[0], pair[1])):
        yield title


def _shared_words(members: Sequence[TableName]) -> Iterator[str]:
    """The words that most names begin with."""
    families = Counter(member.family for member in members if member.words)
    family = min(families, key=lambda word: (-families[word], word), default="")
    if len(members) < 2 or families[family] <= len(members) * MOST:
        return
    yield _written([member.words for member in members if member.family == family])


def _written(names: Sequence[Sequence[str]]) -> str:
    """The words that a family's names begin with, as many as all share, and the first as most of them write it."""
    length, longest = 1, min(len(words) for words in names)
    while length < longest and len({words[length] for words in names}) == 1:
        length += 1
    first = Counter(words[0] for words in names)
    word = min(first, key=lambda word: (-first[word], len(word), word))
    return "_".join([word, *names[0][1:length]])


def _central_tables(cluster: Cluster, links: Links, names: Sequence[TableName]) -> Iterator[str]:
    """The tables that most others reference and are named after, in that order; a family's word stands for it."""
    inside = set(cluster.members)
    score = Counter(parent for child, parent in links if child in inside and parent in inside)
    carried = Counter(word for node in cluster.members for word in {singular(word) for word in names[node].words})
    families: dict[str, list[Sequence[str]]] = {}
    for node in cluster.members:
        families.setdefault(names[node].family, []).append(names[node].words)
    for node in cluster.members:
        score[node] += min((carried[singular(word)] for word in names[node].words), default=0)
    for node in sorted(score, key=lambda node: (-score[node], len(names[node].words), names[node].words)):
        sharing = families[names[node].family]
        if names[node].words:
            yield _written(sharing) if len(sharing) >= _FAMILY else names[node].whole
