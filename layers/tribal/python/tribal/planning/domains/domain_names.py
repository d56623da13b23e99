"""Names of domains: a prefix that somebody chose, else the nearest business domain, else the table at the centre."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set

from tribal.catalog.identity import domain_name
from tribal.naming import singular
from tribal.planning.domains.clustering import CLEAR, Group
from tribal.planning.domains.table_graph import SMALLEST_FAMILY, Links
from tribal.planning.domains.vocabulary import Topic

LEFTOVER_DOMAIN = "general"
TELLING = 0.15
"""From this nearness on a group may bear its topic's name."""
_NEARLY_ALL = 0.75


def name_groups(
    groups: Sequence[Group], links: Links, names: Sequence[Sequence[str]], topics: Sequence[Topic], taken: Set[str]
) -> list[str]:
    """A name for each group, no two alike but for groups that nothing tells apart.

    Of several groups of one topic the largest bears its name.

    Args:
        groups: Of `find_groups`.
        links: Of `find_links`.
        names: Each table's name in words.
        topics: What a group's topic is an index of.
        taken: Names that are other domains already.
    """
    used = {domain_name(name) for name in taken}
    chosen = [LEFTOVER_DOMAIN] * len(groups)
    order = sorted(range(len(groups)), key=lambda n: (-len(groups[n].members), -groups[n].nearness, n))
    for number in order:
        for name in _candidates(groups[number], links, names, topics):
            if name not in used:
                chosen[number] = name
                used.add(name)
                break
    return chosen


def _candidates(group: Group, links: Links, names: Sequence[Sequence[str]], topics: Sequence[Topic]) -> Iterator[str]:
    """Somebody chose the prefix of a module, so it wins over a topic that is not clear."""
    topic = None if group.topic is None else topics[group.topic].name
    module = list(_module(group, names))
    if module and group.nearness < CLEAR:
        yield module[0]
    if topic and group.nearness >= TELLING:
        yield topic
    own = [*module, *_centre(group, links, names)]
    yield from own
    if topic and own:
        yield f"{topic}-{own[0]}"


def _module(group: Group, names: Sequence[Sequence[str]]) -> Iterator[str]:
    """The words that nearly all names of a group begin with, unless they are a table or begin very many others too."""
    first = Counter(names[place][0] for place in group.members if names[place])
    word = min(first, key=lambda word: (-first[word], word), default="")
    if len(group.members) < SMALLEST_FAMILY or first[word] <= len(group.members) * _NEARLY_ALL:
        return
    everywhere = [name for name in names if name and name[0] == word]
    if len(everywhere) > len(names) / 2 or [word] in everywhere:
        return
    sharing = [names[place] for place in group.members if names[place] and names[place][0] == word]
    length, longest = 1, min(len(name) for name in sharing)
    while length < longest and len({name[length] for name in sharing}) == 1:
        length += 1
    yield domain_name("_".join(sharing[0][:length]))


def _centre(group: Group, links: Links, names: Sequence[Sequence[str]]) -> Iterator[str]:
    """The tables that others point at and are named after, most first."""
    inside = set(group.members)
    score = Counter(parent for child, parent in links if child in inside and parent in inside)
    told = Counter(word for place in group.members for word in {singular(word) for word in names[place]})
    for place in list(score):
        score[place] += min((told[singular(word)] for word in _words(names[place])), default=0)
    for place in sorted(score, key=lambda place: (-score[place], len(names[place]), names[place])):
        if words := _words(names[place]):
            yield domain_name("_".join(words))


def _words(name: Sequence[str]) -> list[str]:
    return [word for word in name if not word.isdigit()]
