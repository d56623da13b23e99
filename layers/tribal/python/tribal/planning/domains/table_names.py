"""Split table names into words by comparing the names with each other.

No dictionary is used: a list of words would fit some schemas better than others.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise

from tribal.naming import glued_prefixes, singular, split_identifier

SHORTEST_PART = 4
"""The fewest letters of each part when splitting joined words. With 3, `car` and `cargo` would share a word.

A judgement; docs/adr/0037 shows the effect of other values.
"""
BRANCHES = 3
"""The fewest different letters that must follow a shared beginning: `garden|tool`, `garden|plot`,
`garden|season`. A judgement."""
COMMON_SHARE = 0.9
"""A first word of at least this share of the names is the product's prefix (`icinga_`) and ignored.

A judgement: with less, a module with most of the tables would be taken for it.
"""
_PREFIX_SHARE = 0.5
"""A prefix without a separator is the product's if more than this share of the names have it; a judgement."""
_FEWEST_NAMES = 4
"""The fewest names for a common word; a judgement."""

KIND_WORDS = frozenset(
    "tbl table dim dimension fact fct ref reference lkp lookup lu stg staging tmp temp temporary vw view mv".split()
)
"""Words at the start of a name for the kind of table, which say nothing about its subject."""


@dataclass(frozen=True, slots=True)
class TableName:
    """A table's name as lower-case words, without meaningless ones at the start."""

    words: tuple[str, ...]
    is_cut: bool = False
    """Whether it has no separator and was split by comparing it with other names, which may end inside a word."""

    @property
    def family(self) -> str:
        """The first word, shared by related names; empty if the name has no word."""
        return singular(self.words[0]) if self.words else ""

    @property
    def whole(self) -> str:
        """The words joined again."""
        return "_".join(self.words)


@dataclass(frozen=True, slots=True)
class TableNames:
    """The table names of one schema, in order, and the first word that nearly all of them have."""

    names: tuple[TableName, ...]
    common: str = ""


def read_names(tables: Sequence[str], kind_words: Set[str] = KIND_WORDS) -> TableNames:
    """Split names into words, without meaningless first words: `dim_`, and a word that nearly all names start with."""
    rows = [_without_kind(_split(name), kind_words) for name in tables]
    common: list[str] = []
    while (word := _common_word(rows)) is not None:
        rows = [row[1:] if len(row) > 1 and row[0] == word else row for row in rows]
        common.append(word)
    if prefix := _common_prefix(rows):
        rows = [[row[0].removeprefix(prefix) or row[0], *row[1:]] if row else row for row in rows]
        common.append(prefix)
    beginnings = _beginnings([row[0] for row in rows if row])
    cut = [(row, _cut(row, beginnings)) for row in rows]
    return TableNames(tuple(TableName(tuple(words), words != row) for row, words in cut), "_".join(common))


def _common_prefix(rows: Sequence[Sequence[str]]) -> str:
    """A prefix without a separator that most names have, such as `rhn` in `rhnserver`."""
    firsts = [row[0] for row in rows if row]
    shares = {prefix: sum(first.startswith(prefix) for first in firsts) for prefix in glued_prefixes(firsts)}
    return next((prefix for prefix, count in shares.items() if count > _PREFIX_SHARE * len(firsts)), "")


def _split(name: str) -> list[str]:
    """The words between separators; a number without a separator belongs to its word: `dhcp4`, `i18n`."""
    words: list[str] = []
    lower = name.lower()
    for token in split_identifier(name):
        if words and (token.isdigit() or _is_numeronym(words[-1], token)) and words[-1] + token in lower:
            words[-1] += token
        else:
            words.append(token)
    return words


def _is_numeronym(start: str, end: str) -> bool:
    return len(end) == 1 and start[1:].isdigit()


def _without_kind(words: Sequence[str], kind_words: Set[str]) -> list[str]:
    start = next((n for n, word in enumerate(words) if len(word) > 1 and word not in kind_words), 0)
    return list(words[start:])


def _beginnings(firsts: Sequence[str]) -> frozenset[str]:
    """Possible first parts of joined names: other names' first words, and prefixes with several continuations."""
    ordered = sorted(set(firsts))
    found = {first for first in ordered if len(first) >= SHORTEST_PART}
    found.update(prefix for prefix in _shared(ordered) if _branches(prefix, ordered) >= BRANCHES)
    return frozenset(found)


def _shared(ordered: Sequence[str]) -> Iterator[str]:
    for one, other in pairwise(ordered):
        length = next(
            (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
        )
        if length >= SHORTEST_PART:
            yield one[:length]


def _branches(prefix: str, ordered: Sequence[str]) -> int:
    following = set()
    for at in range(bisect_left(ordered, prefix), len(ordered)):
        if not ordered[at].startswith(prefix):
            break
        following.add(ordered[at][len(prefix) : len(prefix) + 1])
    return len(following)


def _cut(words: list[str], beginnings: Set[str]) -> list[str]:
    """Split a one-word name after the shortest known beginning; names with separators need no split."""
    if len(words) != 1:
        return words
    (word,) = words
    for end in range(SHORTEST_PART, len(word) - SHORTEST_PART + 1):
        if word[:end] in beginnings:
            return [word[:end], word[end:]]
    return words


def _common_word(rows: Sequence[Sequence[str]]) -> str | None:
    firsts = Counter(row[0] for row in rows if len(row) > 1)
    if not firsts or len(rows) < _FEWEST_NAMES:
        return None
    word, count = firsts.most_common(1)[0]
    return word if count >= COMMON_SHARE * len(rows) else None
