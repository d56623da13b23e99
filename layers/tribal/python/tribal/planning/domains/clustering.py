"""Clusters tables into business domains: communities of the table graph, matched to topics by their words.

The constants were chosen on the pools that `bench/domains.py` reports as chosen on (docs/adr/0007). What a constant's
docstring says of other values was measured in November 2026 with the code of that report, one constant changed at a
time: adjusted Rand index of adventureworks_flat, of omop_cdm54, and the mean of those pools. As they stand it is .66,
.64 and .80. Where nothing changes, none of the three does, to two digits.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from math import sqrt
from typing import TYPE_CHECKING, Any

from tribal.planning.domains.communities import cohesion, find_communities
from tribal.planning.domains.table_graph import Graph, Links, affinity_graph, cohesion_graph, key_graph

if TYPE_CHECKING:
    from numpy.typing import NDArray

MINIMUM_DOMAIN_SIZE = 3
"""Tables. With 2, omop .61 and pools .81; with 6, adventureworks_flat .68, omop .43, pools .45."""
COHESIVE = 0.5
"""A community of at least this cohesion gets one topic as a whole; in a weaker one each table gets its own.

At .25, omop .27; at .75, pools .79.
"""
SHARPNESS = 9.0
"""How strongly the most similar topic is preferred: likelihoods are `exp(SHARPNESS * similarity)`, normalised.

Doubled, omop .58; halved, nothing changes.
"""
KEY_WEIGHT = 1.5
"""Weight of a table's only incoming key when likelihoods are smoothed; the table's own words weigh 1.

Doubled, omop .48; halved, nothing changes.
"""
FAINT_SIMILARITY = 0.1
"""Below this similarity to every topic, a table's words are no evidence.

Halved, pools .77; doubled, adventureworks_flat .62 and omop .48.
"""
CLEAR_SIMILARITY = 0.35
"""From this similarity on, two communities with the same topic are one domain even if no edge connects them.

Halved, pools .71; doubled, .79.
"""
LINKED_SHARE = 0.1
"""Two communities with the same topic are one domain if this share of the smaller one's edges leads to the other.

Doubled, adventureworks_flat .49; halved, nothing changes.
"""
EDGE_WEIGHT = 0.5
"""Weight of all of a table's edges together when it is reassigned; its similarity to a topic weighs 1.

Doubled, adventureworks_flat .61; halved, nothing changes.
"""
_SMOOTHING_ROUNDS = 10
"""By judgement; with 5 and with 20 nothing changes."""
_REASSIGNMENT_ROUNDS = 5
"""By judgement; with 2 and with 10 nothing changes."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Tables that belong together."""

    members: list[int]
    """Positions in the list of tables: the nodes of the graph."""
    topic: int | None = None
    """Position of the most similar topic; none where nothing tells."""
    similarity: float = 0.0
    """Mean similarity of its tables to that topic."""


def minimum_domain_size(count: int) -> int:
    """The fewest tables that make up a domain: it grows with the database, where many tiny domains would not help.

    The divisor is chosen by judgement, and not measured: 876 tables give domains of 5 tables or more.
    """
    return max(MINIMUM_DOMAIN_SIZE, round(sqrt(count) / 6))


def cluster_tables(links: Links, names: Sequence[Sequence[str]], similarities: NDArray[Any] | None) -> list[Cluster]:
    """Put each table into exactly one cluster; a cluster without a topic holds tables that nothing identifies.

    Args:
        links: from `find_links`.
        names: each table's name in words.
        similarities: N x K, of each table to each topic; without them the graph alone decides.
    """
    count = len(names)
    graph = affinity_graph(count, links, names)
    labels = find_communities(graph)
    if similarities is None:
        clusters = [Cluster(members) for members in _members(labels)]
    else:
        cohesion_of = cohesion(cohesion_graph(count, links, names), labels)
        cohesive = [cohesion_of[label] >= COHESIVE for label in labels]
        topics = _topics(similarities, labels, cohesive, key_graph(count, links))
        clusters = _merge(_split_by_topic(similarities, labels, cohesive, topics), graph, count)
        clusters = _reassign(clusters, similarities, graph, cohesive)
    return _dissolve_small(clusters, similarities, graph, minimum_domain_size(count))


def _members(labels: Sequence[int]) -> list[list[int]]:
    members: dict[int, list[int]] = defaultdict(list)
    for node, label in enumerate(labels):
        members[label].append(node)
    return list(members.values())


def _topics(
    similarities: NDArray[Any], labels: Sequence[int], cohesive: Sequence[bool], keys: Graph
) -> list[int | None]:
    """Each table's topic: that of its community if it is cohesive, else the one that it and its neighbours suggest.

    Topics that would give only a tiny domain are dropped, the smallest first, and their tables decide again.
    """
    import numpy as np

    own_similarities = similarities.copy()
    for members in _members(labels):
        if cohesive[members[0]]:
            own_similarities[members] = similarities[members].mean(axis=0)
    loose = ~np.array(cohesive)
    uninformative = loose & (similarities.max(axis=1) < FAINT_SIMILARITY)
    neighbours = _Neighbours(keys)
    candidates = np.arange(similarities.shape[1])
    while True:
        likelihoods = _likelihoods(own_similarities[:, candidates], uninformative)
        scores = np.where(loose[:, None], neighbours.smooth(likelihoods), np.round(likelihoods, 6))
        found = scores.argmax(axis=1)
        sizes = np.bincount(found, minlength=len(candidates))
        remaining = set(found[loose].tolist())
        small = [topic for topic in remaining if sizes[topic] < MINIMUM_DOMAIN_SIZE]
        if not small or (sizes > 0).sum() < 2:
            # A table that finds all topics equally likely has decided for none.
            decided = ~loose | (
                scores.max(axis=1) > 1 / len(candidates) + 1e-4
                if len(candidates) > 1
                else ~uninformative | neighbours.has_neighbours
            )
            return [int(candidates[topic]) if known else None for topic, known in zip(found, decided, strict=True)]
        likelihood = np.round(scores.sum(axis=0), 4)
        present = sizes > 0
        present[min(small, key=lambda topic: (sizes[topic], likelihood[topic], topic))] = False
        candidates = candidates[present]


def _likelihoods(similarities: NDArray[Any], uninformative: NDArray[Any]) -> NDArray[Any]:
    """N x K, rows adding up to 1; to a table whose words are no evidence all topics are equally likely."""
    import numpy as np

    powers = np.exp(SHARPNESS * (similarities - similarities.max(axis=1, keepdims=True)))
    powers[uninformative] = 1.0
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


class _Neighbours:
    """Keys between tables as arrays, sorted by the table whose neighbours they lead to."""

    def __init__(self, keys: Graph) -> None:
        import numpy as np

        edges = [
            (node, other, neighbours[other]) for node, neighbours in enumerate(keys) for other in sorted(neighbours)
        ]
        self._from = np.array([edge[1] for edge in edges], dtype=np.intp)
        self._weight = KEY_WEIGHT * np.array([edge[2] for edge in edges])[:, None]
        receivers = np.array([edge[0] for edge in edges], dtype=np.intp)
        self._receivers, self._starts = np.unique(receivers, return_index=True)
        self.has_neighbours = np.zeros(len(keys), dtype=bool)
        self.has_neighbours[self._receivers] = True

    def smooth(self, likelihoods: NDArray[Any]) -> NDArray[Any]:
        """Average each table's likelihoods with its neighbours', repeatedly; rounded."""
        import numpy as np

        scores = likelihoods
        if len(self._receivers):
            total = 1 + np.add.reduceat(self._weight, self._starts)
            for _ in range(_SMOOTHING_ROUNDS):
                received = np.add.reduceat(self._weight * scores[self._from], self._starts)
                scores = likelihoods.copy()
                scores[self._receivers] = (likelihoods[self._receivers] + received) / total
        # Sums differ in their last digits between machines; equal scores must stay equal.
        return np.asarray(np.round(scores, 6))


def _split_by_topic(
    similarities: NDArray[Any], labels: Sequence[int], cohesive: Sequence[bool], topics: Sequence[int | None]
) -> list[Cluster]:
    """Cohesive communities, loose tables by topic, and what is left of loose communities, without a topic."""
    members: dict[tuple[int, int | None], list[int]] = defaultdict(list)
    for node, topic in enumerate(topics):
        members[labels[node] if cohesive[node] or topic is None else -1, topic].append(node)
    return [
        Cluster(nodes, topic, 0.0 if topic is None else round(float(similarities[nodes, topic].mean()), 4))
        for (_, topic), nodes in members.items()
    ]


def _merge(pieces: Sequence[Cluster], graph: Graph, count: int) -> list[Cluster]:
    """Merge pieces of the same topic that are connected, or that are both clearly about it."""
    cluster_of = [0] * count
    for number, piece in enumerate(pieces):
        for node in piece.members:
            cluster_of[node] = number
    cut: list[dict[int, float]] = [defaultdict(float) for _ in pieces]
    for node, neighbours in enumerate(graph):
        for other, weight in neighbours.items():
            cut[cluster_of[node]][cluster_of[other]] += weight
    degrees = [sum(neighbours.values()) for neighbours in cut]
    root = list(range(len(pieces)))

    def find(number: int) -> int:
        while root[number] != number:
            number = root[number]
        return number

    sharing: dict[int | None, list[int]] = defaultdict(list)
    for number, piece in enumerate(pieces):
        sharing[piece.topic].append(number)
    sharing.pop(None, None)
    for numbers in sharing.values():
        for at, one in enumerate(numbers):
            for other in numbers[:at]:
                least = min(degrees[one], degrees[other])
                linked = least > 0 and cut[one].get(other, 0.0) >= LINKED_SHARE * least
                if min(pieces[one].similarity, pieces[other].similarity) >= (
                    FAINT_SIMILARITY if linked else CLEAR_SIMILARITY
                ):
                    root[find(one)] = find(other)
    merged: dict[int, list[int]] = defaultdict(list)
    for number in range(len(pieces)):
        merged[find(number)].append(number)
    return [_union([pieces[number] for number in numbers]) for numbers in merged.values()]


def _union(pieces: Sequence[Cluster]) -> Cluster:
    members = [node for piece in pieces for node in piece.members]
    similarity = sum(piece.similarity * len(piece.members) for piece in pieces) / len(members)
    return Cluster(sorted(members), pieces[0].topic, round(similarity, 4))


def _reassign(
    clusters: Sequence[Cluster], similarities: NDArray[Any], graph: Graph, cohesive: Sequence[bool]
) -> list[Cluster]:
    """Move tables of cohesive communities to connected clusters that suit them better, by edges and words together."""
    cluster_of = {node: number for number, cluster in enumerate(clusters) for node in cluster.members}
    for _ in range(_REASSIGNMENT_ROUNDS):
        moved = False
        for node, neighbours in enumerate(graph):
            if not neighbours or not cohesive[node]:
                continue
            votes: dict[int, float] = {cluster_of[node]: 0.0}
            for other, weight in neighbours.items():
                votes[cluster_of[other]] = votes.get(cluster_of[other], 0.0) + weight
            degree = sum(neighbours.values())
            score = {
                number: round(EDGE_WEIGHT * vote / degree + _topic_similarity(similarities, node, clusters[number]), 6)
                for number, vote in votes.items()
            }
            best = min(score, key=lambda number: (-score[number], number != cluster_of[node], number))
            if best != cluster_of[node]:
                cluster_of[node], moved = best, True
        if not moved:
            break
    nodes: dict[int, list[int]] = defaultdict(list)
    for node in range(len(graph)):
        nodes[cluster_of[node]].append(node)
    return [
        Cluster(nodes[number], cluster.topic, cluster.similarity)
        for number, cluster in enumerate(clusters)
        if nodes[number]
    ]


def _topic_similarity(similarities: NDArray[Any], node: int, cluster: Cluster) -> float:
    return 0.0 if cluster.topic is None else float(similarities[node, cluster.topic])


def _dissolve_small(
    clusters: Sequence[Cluster], similarities: NDArray[Any] | None, graph: Graph, smallest: int
) -> list[Cluster]:
    """Hand the tables of small clusters to the cluster that they share most edges with, else to the most similar."""
    cluster_of = {node: number for number, cluster in enumerate(clusters) for node in cluster.members}
    members = {number: list(cluster.members) for number, cluster in enumerate(clusters)}
    queue = [(len(nodes), number) for number, nodes in members.items() if len(nodes) < smallest]
    heapify(queue)
    stuck: set[int] = set()
    while queue:
        size, number = heappop(queue)
        if number not in members or size != len(members[number]):
            continue
        target = _most_connected(members[number], cluster_of, graph)
        if target is None and similarities is not None:
            large = [n for n, nodes in members.items() if len(nodes) >= smallest and n != number]
            target = _most_similar(
                members[number], {n: (clusters[n].topic, len(members[n])) for n in large}, similarities
            )
        if target is None:
            stuck.add(number)
            continue
        for node in members[number]:
            cluster_of[node] = target
        members[target].extend(members.pop(number))
        stuck.discard(target)
        if len(members[target]) < smallest:
            heappush(queue, (len(members[target]), target))
    left = sorted(node for number in stuck for node in members[number])
    found = [
        Cluster(sorted(nodes), clusters[number].topic, clusters[number].similarity)
        for number, nodes in members.items()
        if number not in stuck
    ]
    return found + ([Cluster(left)] if left else [])


def _most_connected(nodes: Sequence[int], cluster_of: Mapping[int, int], graph: Graph) -> int | None:
    votes: dict[int, float] = defaultdict(float)
    for node in nodes:
        for other, weight in graph[node].items():
            if cluster_of[other] != cluster_of[node]:
                votes[cluster_of[other]] += weight
    return min(votes, key=lambda number: (-round(votes[number], 6), number)) if votes else None


def _most_similar(
    nodes: Sequence[int], clusters: Mapping[int, tuple[int | None, int]], similarities: NDArray[Any]
) -> int | None:
    """The cluster with the most similar topic, the largest of several; clusters come as topic and size."""
    mean = similarities[list(nodes)].mean(axis=0)
    ranked = [
        (-round(float(mean[topic]), 4), -size, number)
        for number, (topic, size) in clusters.items()
        if topic is not None
    ]
    return min(ranked)[2] if ranked and -min(ranked)[0] >= FAINT_SIMILARITY else None
