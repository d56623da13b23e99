"""Reads the names of tables as words, by the names alone: what they share tells where a word ends.

No dictionary is asked. What people call their tables is in the catalog, and a list of words would fit some schemas
better than others.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise

from tribal.naming import singular, split_identifier

SHORTEST_PART = 4
"""Letters of each part of a name whose words run together. With 3, `car` and `cargo` would share a word.

By judgement (docs/adr/0037, which says what other values do).
"""
BRANCHES = 3
"""Different letters that must follow where names that run together share a beginning: `garden|tool`, `garden|plot`,
`garden|season`. By judgement."""
COMMON_SHARE = 0.9
"""A first word of at least this share of the names is the product's own (`icinga_`): it divides nothing.

By judgement: with less, a module that most tables belong to would be taken for it.
"""
_FEWEST_NAMES = 4
"""Names that must be there for one word to be called common; by judgement."""

KIND_WORDS = frozenset(
    "tbl table dim dimension fact fct ref reference lkp lookup lu stg staging tmp temp temporary vw view mv".split()
)
"""Words at the front of a name for the kind of a table, which tell nothing of what it is about."""


@dataclass(frozen=True, slots=True)
class TableName:
    """A table's name as words, as written but in lower case, without those at its front that tell nothing."""

    words: tuple[str, ...]

    @property
    def family(self) -> str:
        """What it shares with the names that begin like it; empty where the name has no word."""
        return singular(self.words[0]) if self.words else ""

    @property
    def whole(self) -> str:
        """The name without what was left out."""
        return "_".join(self.words)


@dataclass(frozen=True, slots=True)
class TableNames:
    """The names of the tables of one schema, in their order, and the first word that nearly all of them bear."""

    names: tuple[TableName, ...]
    common: str = ""


def read_names(tables: Sequence[str], kind_words: Set[str] = KIND_WORDS) -> TableNames:
    """Split the names into words, and leave out what tells nothing: `dim_`, and a word that nearly all begin with."""
    rows = [_without_kind(_split(name), kind_words) for name in tables]
    common: list[str] = []
    while (word := _common_word(rows)) is not None:
        rows = [row[1:] if len(row) > 1 and row[0] == word else row for row in rows]
        common.append(word)
    beginnings = _beginnings([row[0] for row in rows if row])
    return TableNames(tuple(TableName(tuple(_cut(row, beginnings))) for row in rows), "_".join(common))


def _split(name: str) -> list[str]:
    """The words between separators; a number belongs to the word that it is written against: `dhcp4`."""
    words: list[str] = []
    for token in split_identifier(name):
        if words and token.isdigit() and words[-1] + token in name.lower():
            words[-1] += token
        else:
            words.append(token)
    return words


def _without_kind(words: Sequence[str], kind_words: Set[str]) -> list[str]:
    start = next((n for n, word in enumerate(words) if len(word) > 1 and word not in kind_words), 0)
    return list(words[start:])


def _beginnings(firsts: Sequence[str]) -> frozenset[str]:
    """What names that run together may begin with: another name's first word, or where several branch off."""
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
    """A name of one word cut after the shortest beginning that it shares; names with separators say where words end."""
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
