"""Names domains after a shared prefix, else the topic, else the table at the centre."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set

from tribal.catalog.identity import domain_name
from tribal.naming import singular
from tribal.planning.domains.clustering import CLEAR_SIMILARITY, Cluster
from tribal.planning.domains.table_graph import SMALLEST_PREFIX_GROUP, Links
from tribal.planning.domains.vocabulary import Topic

LEFTOVER_DOMAIN = "general"
NAMING_SIMILARITY = 0.15
"""From this similarity on, a cluster may be named after its topic. By judgement: names are not measured."""
_PREFIX_SHARE = 0.75
"""Share of a cluster's names that must begin with a prefix. By judgement likewise."""


def name_domains(
    clusters: Sequence[Cluster], links: Links, names: Sequence[Sequence[str]], topics: Sequence[Topic], taken: Set[str]
) -> list[str]:
    """A name for each cluster; only clusters with nothing to name them after share one.

    Of several clusters with the same topic, the largest gets its name.

    Args:
        clusters: from `cluster_tables`.
        links: from `find_links`.
        names: each table's name in words.
        topics: the list that a cluster's topic is a position in.
        taken: names that other domains have already.
    """
    used = {domain_name(name) for name in taken}
    chosen = [LEFTOVER_DOMAIN] * len(clusters)
    order = sorted(range(len(clusters)), key=lambda n: (-len(clusters[n].members), -clusters[n].similarity, n))
    for number in order:
        for name in _candidates(clusters[number], links, names, topics):
            if name not in used:
                chosen[number] = name
                used.add(name)
                break
    return chosen


def _candidates(
    cluster: Cluster, links: Links, names: Sequence[Sequence[str]], topics: Sequence[Topic]
) -> Iterator[str]:
    """Names in order of preference. Somebody chose the prefix, so it comes before a topic that is not clear."""
    topic = None if cluster.topic is None else topics[cluster.topic].name
    prefix = list(_shared_prefix(cluster, names))
    if prefix and cluster.similarity < CLEAR_SIMILARITY:
        yield prefix[0]
    if topic and cluster.similarity >= NAMING_SIMILARITY:
        yield topic
    own = [*prefix, *_central_tables(cluster, links, names)]
    yield from own
    if topic and own:
        yield f"{topic}-{own[0]}"


def _shared_prefix(cluster: Cluster, names: Sequence[Sequence[str]]) -> Iterator[str]:
    """The words that nearly all names begin with, unless they name a table or begin most other names too."""
    first = Counter(names[node][0] for node in cluster.members if names[node])
    word = min(first, key=lambda word: (-first[word], word), default="")
    if len(cluster.members) < SMALLEST_PREFIX_GROUP or first[word] <= len(cluster.members) * _PREFIX_SHARE:
        return
    everywhere = [name for name in names if name and name[0] == word]
    if len(everywhere) > len(names) / 2 or [word] in everywhere:
        return
    sharing = [names[node] for node in cluster.members if names[node] and names[node][0] == word]
    length, longest = 1, min(len(name) for name in sharing)
    while length < longest and len({name[length] for name in sharing}) == 1:
        length += 1
    yield domain_name("_".join(sharing[0][:length]))


def _central_tables(cluster: Cluster, links: Links, names: Sequence[Sequence[str]]) -> Iterator[str]:
    """The tables that most others reference and are named after, in that order."""
    inside = set(cluster.members)
    score = Counter(parent for child, parent in links if child in inside and parent in inside)
    occurrences = Counter(word for node in cluster.members for word in {singular(word) for word in names[node]})
    for node in list(score):
        score[node] += min((occurrences[singular(word)] for word in _words(names[node])), default=0)
    for node in sorted(score, key=lambda node: (-score[node], len(names[node]), names[node])):
        if words := _words(names[node]):
            yield domain_name("_".join(words))


def _words(name: Sequence[str]) -> list[str]:
    return [word for word in name if not word.isdigit()]
