"""Which tables make up a business domain, and which: communities of ties, recognised by their words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from math import sqrt
from typing import TYPE_CHECKING, Any

from tribal.planning.domains.communities import find_communities, strengths
from tribal.planning.domains.table_graph import Graph, Links, bond_graph, key_graph, tie_graph

if TYPE_CHECKING:
    from numpy.typing import NDArray

SMALLEST_DOMAIN = 3
BOUND = 0.5
"""A community of this strength speaks with one voice; in a weaker one each table speaks for itself."""
SHARPNESS = 9.0
"""How much more a nearer topic counts: likelihoods are `exp(SHARPNESS * similarity)`."""
KEY_WEIGHT = 1.5
"""What the only key to a table counts, where the table's own words count 1."""
FAINT = 0.1
"""Below this similarity to every topic, words are no evidence."""
CLEAR = 0.35
"""From this similarity on, two communities of one topic are one domain though nothing ties them."""
LINKED = 0.1
"""Share of the smaller one's ties from which two communities of one topic are one domain."""
TIE_WEIGHT = 0.5
"""What all ties of a table count together, where its similarity to a topic counts 1."""
_SWEEPS = 10
_MOVES = 5


@dataclass(frozen=True, slots=True)
class Group:
    """Tables that belong together, by place."""

    members: list[int]
    topic: int | None = None
    """The topic that it is nearest to."""
    nearness: float = 0.0
    """How near, as the mean of its tables."""


def smallest_domain(count: int) -> int:
    """How many tables a domain has at least: many tiny ones are no help in a large database."""
    return max(SMALLEST_DOMAIN, round(sqrt(count) / 6))


def find_groups(links: Links, names: Sequence[Sequence[str]], near: NDArray[Any] | None) -> list[Group]:
    """Groups of tables, each table in one; a group without a topic is of tables that nothing tells.

    Args:
        links: Of `find_links`.
        names: Each table's name in words.
        near: N x K, how near each table is to each topic; without it, ties alone decide.
    """
    count = len(names)
    ties = tie_graph(count, links, names)
    labels = find_communities(ties)
    if near is None:
        groups = [Group(members) for members in _members(labels)]
    else:
        strength = strengths(bond_graph(count, links, names), labels)
        bound = [strength[label] >= BOUND for label in labels]
        topics = _topics(near, labels, bound, key_graph(count, links))
        groups = _merge(_pieces(near, labels, bound, topics), ties, count)
        groups = _settle(groups, near, ties, bound)
    return _dissolve(groups, near, ties, smallest_domain(count))


def _members(labels: Sequence[int]) -> list[list[int]]:
    members: dict[int, list[int]] = defaultdict(list)
    for place, label in enumerate(labels):
        members[label].append(place)
    return list(members.values())


def _topics(near: NDArray[Any], labels: Sequence[int], bound: Sequence[bool], keys: Graph) -> list[int | None]:
    """Each table's topic: its community's where that is bound, else its own and its neighbours', if these tell one.

    Topics that loose tables would make a tiny domain of are given up, the smallest first.
    """
    import numpy as np

    voices = near.copy()
    for members in _members(labels):
        if bound[members[0]]:
            voices[members] = near[members].mean(axis=0)
    loose = ~np.array(bound)
    silent = loose & (near.max(axis=1) < FAINT)
    neighbours = _Neighbours(keys)
    alive = np.arange(near.shape[1])
    while True:
        own = _likelihoods(voices[:, alive], silent)
        scores = np.where(loose[:, None], neighbours.smooth(own), np.round(own, 6))
        found = scores.argmax(axis=1)
        sizes = np.bincount(found, minlength=len(alive))
        held = set(found[loose].tolist())
        small = [topic for topic in held if sizes[topic] < SMALLEST_DOMAIN]
        if not small or (sizes > 0).sum() < 2:
            sure = ~loose | (
                scores.max(axis=1) > 1 / len(alive) + 1e-4 if len(alive) > 1 else ~silent | neighbours.tied
            )
            return [int(alive[topic]) if told else None for topic, told in zip(found, sure, strict=True)]
        mass = np.round(scores.sum(axis=0), 4)
        present = sizes > 0
        present[min(small, key=lambda topic: (sizes[topic], mass[topic], topic))] = False
        alive = alive[present]


def _likelihoods(near: NDArray[Any], silent: NDArray[Any]) -> NDArray[Any]:
    """N x K, rows adding up to 1; a table whose words tell nothing finds all as likely."""
    import numpy as np

    powers = np.exp(SHARPNESS * (near - near.max(axis=1, keepdims=True)))
    powers[silent] = 1.0
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


class _Neighbours:
    """Keys between tables as arrays, sorted by the table that listens."""

    def __init__(self, keys: Graph) -> None:
        import numpy as np

        edges = [(place, other, row[other]) for place, row in enumerate(keys) for other in sorted(row)]
        self._from = np.array([edge[1] for edge in edges], dtype=np.intp)
        self._weight = KEY_WEIGHT * np.array([edge[2] for edge in edges])[:, None]
        listeners = np.array([edge[0] for edge in edges], dtype=np.intp)
        self._listeners, self._starts = np.unique(listeners, return_index=True)
        self.tied = np.zeros(len(keys), dtype=bool)
        self.tied[self._listeners] = True

    def smooth(self, own: NDArray[Any]) -> NDArray[Any]:
        """Mean of each table's own likelihoods and its neighbours', again and again, rounded."""
        import numpy as np

        scores = own
        if len(self._listeners):
            total = 1 + np.add.reduceat(self._weight, self._starts)
            for _ in range(_SWEEPS):
                heard = np.add.reduceat(self._weight * scores[self._from], self._starts)
                scores = own.copy()
                scores[self._listeners] = (own[self._listeners] + heard) / total
        # Sums differ in their last digits from machine to machine; what is equal has to stay equal.
        return np.asarray(np.round(scores, 6))


def _pieces(
    near: NDArray[Any], labels: Sequence[int], bound: Sequence[bool], topics: Sequence[int | None]
) -> list[Group]:
    """Bound communities, and loose tables of one topic; what remains of loose communities has no topic."""
    members: dict[tuple[int, int | None], list[int]] = defaultdict(list)
    for place, topic in enumerate(topics):
        members[labels[place] if bound[place] or topic is None else -1, topic].append(place)
    return [
        Group(places, topic, 0.0 if topic is None else round(float(near[places, topic].mean()), 4))
        for (_, topic), places in members.items()
    ]


def _merge(pieces: Sequence[Group], ties: Graph, count: int) -> list[Group]:
    """Make one group of pieces that share a topic and are tied, or that share it clearly."""
    home = [0] * count
    for number, piece in enumerate(pieces):
        for place in piece.members:
            home[place] = number
    cut: list[dict[int, float]] = [defaultdict(float) for _ in pieces]
    for place, row in enumerate(ties):
        for other, weight in row.items():
            cut[home[place]][home[other]] += weight
    degrees = [sum(row.values()) for row in cut]
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
                linked = least > 0 and cut[one].get(other, 0.0) >= LINKED * least
                if min(pieces[one].nearness, pieces[other].nearness) >= (FAINT if linked else CLEAR):
                    root[find(one)] = find(other)
    merged: dict[int, list[int]] = defaultdict(list)
    for number in range(len(pieces)):
        merged[find(number)].append(number)
    return [_joined([pieces[number] for number in numbers]) for numbers in merged.values()]


def _joined(pieces: Sequence[Group]) -> Group:
    members = [place for piece in pieces for place in piece.members]
    nearness = sum(piece.nearness * len(piece.members) for piece in pieces) / len(members)
    return Group(sorted(members), pieces[0].topic, round(nearness, 4))


def _settle(groups: Sequence[Group], near: NDArray[Any], ties: Graph, bound: Sequence[bool]) -> list[Group]:
    """Let each table of a bound community go to a group that it is tied to, where ties and words say so."""
    home = {place: number for number, group in enumerate(groups) for place in group.members}
    for _ in range(_MOVES):
        moved = False
        for place, row in enumerate(ties):
            if not row or not bound[place]:
                continue
            votes: dict[int, float] = {home[place]: 0.0}
            for other, weight in row.items():
                votes[home[other]] = votes.get(home[other], 0.0) + weight
            degree = sum(row.values())
            score = {
                number: round(TIE_WEIGHT * vote / degree + _nearness(near, place, groups[number]), 6)
                for number, vote in votes.items()
            }
            best = min(score, key=lambda number: (-score[number], number != home[place], number))
            if best != home[place]:
                home[place], moved = best, True
        if not moved:
            break
    places: dict[int, list[int]] = defaultdict(list)
    for place in range(len(ties)):
        places[home[place]].append(place)
    return [Group(places[number], group.topic, group.nearness) for number, group in enumerate(groups) if places[number]]


def _nearness(near: NDArray[Any], place: int, group: Group) -> float:
    return 0.0 if group.topic is None else float(near[place, group.topic])


def _dissolve(groups: Sequence[Group], near: NDArray[Any] | None, ties: Graph, smallest: int) -> list[Group]:
    """Give the tables of small groups to the group that they are tied to most, else to one of their topic."""
    home = {place: number for number, group in enumerate(groups) for place in group.members}
    members = {number: list(group.members) for number, group in enumerate(groups)}
    queue = [(len(places), number) for number, places in members.items() if len(places) < smallest]
    heapify(queue)
    stuck: set[int] = set()
    while queue:
        size, number = heappop(queue)
        if number not in members or size != len(members[number]):
            continue
        target = _tied_most(members[number], home, ties)
        if target is None and near is not None:
            large = [n for n, places in members.items() if len(places) >= smallest and n != number]
            target = _nearest(members[number], {n: (groups[n].topic, len(members[n])) for n in large}, near)
        if target is None:
            stuck.add(number)
            continue
        for place in members[number]:
            home[place] = target
        members[target].extend(members.pop(number))
        stuck.discard(target)
        if len(members[target]) < smallest:
            heappush(queue, (len(members[target]), target))
    left = sorted(place for number in stuck for place in members[number])
    found = [
        Group(sorted(places), groups[number].topic, groups[number].nearness)
        for number, places in members.items()
        if number not in stuck
    ]
    return found + ([Group(left)] if left else [])


def _tied_most(places: Sequence[int], home: Mapping[int, int], ties: Graph) -> int | None:
    votes: dict[int, float] = defaultdict(float)
    for place in places:
        for other, weight in ties[place].items():
            if home[other] != home[place]:
                votes[home[other]] += weight
    return min(votes, key=lambda number: (-round(votes[number], 6), number)) if votes else None


def _nearest(places: Sequence[int], groups: Mapping[int, tuple[int | None, int]], near: NDArray[Any]) -> int | None:
    """Of groups with their topics and sizes the one whose topic is nearest; the largest of several."""
    voice = near[list(places)].mean(axis=0)
    told = [
        (-round(float(voice[topic]), 4), -size, number) for number, (topic, size) in groups.items() if topic is not None
    ]
    return min(told)[2] if told and -min(told)[0] >= FAINT else None
