"""Name domains in the schema's own words: after a word that its tables share, or after its central table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import count

from tribal.identity.table_names import domain_name
from tribal.naming import reads_like_a_word, singular, split_identifier
from tribal.planning.domains.clustering import Cluster
from tribal.planning.domains.table_graph import Links
from tribal.planning.domains.table_names import TableName, TableNames

MOST = 0.5
"""More than half of a domain's tables must have a word for the domain to be named after it."""
_FAMILY = 3
"""The fewest tables that must share a central table's first word to name the domain after that word; a judgement."""

_CENTRAL = 0.5
"""The lowest score of a table that may name a domain, relative to the highest; a judgement."""
_HUB = 0.5
"""A table that more than this share of all tables references says nothing of a domain with few of them; a judgement."""
_LEFTOVERS = "other"
_SHORT = 3
"""The most letters of a shared first word that is only used if the central table has it too; a judgement."""
_PREFIXES = frozenset("anti co inter intra multi non post pre re semi sub un".split())

GENERIC_WORDS = frozenset(
    "admin app application base common config configuration core data default general internal main misc "
    "miscellaneous other settings shared system temp test".split()
)
"""Schema names that say nothing about their tables, so two such schemas are unrelated.

Collected for this project: words for containers, not for content.
"""


@dataclass(frozen=True, slots=True)
class OtherDomains:
    """The domains of the other databases; tools show domains of the same name as one."""

    tables: Mapping[str, Set[str]]
    """The names of the tables of each domain."""

    def is_available(self, name: str, tables: Set[str]) -> bool:
        """Whether tables may use this name: it is new, or most of its tables are the same, as in a copy."""
        there = self.tables.get(name)
        if not there:
            return True
        return 2 * len(there & tables) >= max(len(there), len(tables))


NO_OTHER_DOMAINS = OtherDomains({})


@dataclass(frozen=True, slots=True)
class NameSources:
    """Sources for the names of a database's domains, besides its tables."""

    database: str
    vocabulary: Mapping[str, Sequence[str]]
    """A user's own domains and the words that identify them."""
    other_domains: OtherDomains = NO_OTHER_DOMAINS
    schema: str = ""
    """The schema that is divided, if the database has several."""


def name_domains(
    clusters: Sequence[Cluster], links: Links, names: TableNames, taken: Set[str], sources: NameSources
) -> list[str]:
    """A unique name for each cluster; the largest chooses first.

    Args:
        clusters: from `cluster_tables`.
        links: from `find_links`.
        names: from `read_names`.
        taken: names that the database's other domains already have.
        sources: what else to take names from.
    """
    used = {domain_name(name) for name in taken}
    chosen = [""] * len(clusters)
    for number in sorted(range(len(clusters)), key=lambda n: (-len(clusters[n].members), n)):
        cluster = clusters[number]
        tables = {names.names[node].whole for node in cluster.members}
        for candidate, is_explicit in _candidates(cluster, links, names, sources):
            is_free = is_explicit or sources.other_domains.is_available(candidate, tables)
            name = candidate if is_free else domain_name(f"{sources.database}-{candidate}")
            if name not in used:
                chosen[number] = name
                used.add(name)
                break
    return chosen


def _candidates(cluster: Cluster, links: Links, names: TableNames, sources: NameSources) -> Iterator[tuple[str, bool]]:
    """Names in order of preference, and whether someone set them explicitly, for tables of any database."""
    members = [names.names[node] for node in cluster.members]
    for title in _configured(members, sources.vocabulary):
        yield domain_name(title), True
    own = [] if cluster.is_rest else _own_names(cluster, links, names.names)
    # Of a database that has other domains, the database's name says nothing.
    last = _LEFTOVERS if len(cluster.members) < len(names.names) else sources.database
    rest = [name for name in (names.common, sources.schema, last) if name]
    for name in own or rest:
        yield domain_name(name), False
    first = domain_name((own or rest)[0])
    if not own and first != _LEFTOVERS:
        yield domain_name(f"{first}-other"), False
    for number in count(2):
        yield domain_name(f"{first[:50]}-{number}"), False


def _own_names(cluster: Cluster, links: Links, names: Sequence[TableName]) -> list[str]:
    """What a cluster may be named after, best first: the word that its tables share, and its central tables."""
    members = [names[node] for node in cluster.members]
    central = _central_tables(cluster, links, names)
    shared = [word for word in _shared_words(members) if not _may_be_a_fragment(word, members, central)]
    return list(dict.fromkeys((*shared, *(name for name, _ in central))))


def _may_be_a_fragment(word: str, members: Sequence[TableName], central: Sequence[tuple[str, TableName]]) -> bool:
    """Whether a shared first word is a prefix, ends inside a word, or is too short to name tables around another."""
    first = word.split("_")[0]
    is_marginal = len(first) <= _SHORT and central != [] and central[0][1].family != singular(first)
    return is_marginal or not _may_name(first, any(member.is_cut for member in members))


def _may_name(first: str, is_cut: bool) -> bool:
    """Whether a first word is no mere prefix and, where names were cut, reads like a word."""
    return first not in _PREFIXES and (not is_cut or reads_like_a_word(first))


def _configured(members: Sequence[TableName], vocabulary: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Domains of the user's vocabulary whose words occur in most table names, most frequent first."""
    carried: list[tuple[int, str]] = []
    for title, words in vocabulary.items():
        known = {singular(word.lower()) for text in (title, *words) for word in split_identifier(text)}
        count = sum(any(singular(word) in known for word in member.words) for member in members)
        if count > len(members) * MOST:
            carried.append((count, title))
    for _, title in sorted(carried, key=lambda pair: (-pair[0], pair[1])):
        yield title


def _shared_words(members: Sequence[TableName]) -> Iterator[str]:
    """The words that most names start with."""
    families = Counter(member.family for member in members if member.words)
    family = min(families, key=lambda word: (-families[word], word), default="")
    if len(members) < 2 or families[family] <= len(members) * MOST:
        return
    yield _family_name([member.words for member in members if member.family == family])


def _family_name(names: Sequence[Sequence[str]]) -> str:
    """The first words that all names of a family share, with the first word in its most common spelling."""
    length, longest = 1, min(len(words) for words in names)
    while length < longest and len({words[length] for words in names}) == 1:
        length += 1
    first = Counter(words[0] for words in names)
    word = min(first, key=lambda word: (-first[word], len(word), word))
    return "_".join([word, *names[0][1:length]])


def _central_tables(cluster: Cluster, links: Links, names: Sequence[TableName]) -> list[tuple[str, TableName]]:
    """Names after the tables that most others reference and are named after, in that order, with these tables.

    Large families are named by their word. Tables that are much less central than the first one are left out: a domain
    named after one of them would be taken for something else. References to a hub that most tables of other domains
    reference too do not count.
    """
    inside = set(cluster.members)
    score = Counter(parent for child, parent in links if child in inside and parent in inside)
    audience = Counter(parent for _, parent in links)
    hubs = [node for node, size in score.items() if audience[node] > max(_HUB * len(names), 2 * size)]
    for hub in hubs:
        del score[hub]
    carried = Counter(word for node in cluster.members for word in {singular(word) for word in names[node].words})
    families: dict[str, list[Sequence[str]]] = {}
    for node in cluster.members:
        families.setdefault(names[node].family, []).append(names[node].words)
    for node in cluster.members:
        score[node] += min((carried[singular(word)] for word in names[node].words), default=0)
    if hubs and max(score.values()) <= 1:
        # Without the hub, no table stands out.
        return []
    found = []
    least = _CENTRAL * max(score.values(), default=0)
    for node in sorted(score, key=lambda node: (-score[node], len(names[node].words), names[node].words)):
        sharing = families[names[node].family]
        if names[node].words and score[node] >= least:
            is_family = len(sharing) >= _FAMILY and _may_name(sharing[0][0], names[node].is_cut)
            found.append((_family_name(sharing) if is_family else names[node].whole, names[node]))
    return found
