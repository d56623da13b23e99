"""Finds tables that a question names: exactly, glued, split, in another order or number, shortened or misspelt."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tribal.naming import STOP_WORDS, segment_all, singular, split_identifier, stem, tokenize_text

if TYPE_CHECKING:
    from numpy.typing import NDArray


# Certainty that a table is meant; only the order matters, the distances are by judgement.
EXACT = 1.0
SAME_LETTERS = 0.99
"""The same name, ignoring case."""
GLUED = 0.98
"""The same letters, ignoring separators."""
COLUMN_NAMED = 0.97
"""A column of the table is named, exactly."""
SAME_WORDS = 0.95
"""The same words in any order, singular or plural."""
MISSPELT = 0.9
"""A letter or two are wrong."""
DEFINED = 0.85
"""A metric or a term that uses the table is named."""
SHORTENED = 0.8
"""Without the first word of its family, divided by the number of tables with that name."""

_FAMILY = 3
"""Minimum number of tables in a schema that begin with the same word before people leave it out. By judgement."""

_LONGEST_SPOKEN = 3
"""The most words of a sentence that are looked up as one name. By judgement."""
_LONGEST_NAME = 200
"""Characters beyond which a question is not a name."""
_AROUND = " \t\r\n.,;:!?`'\"()[]"
_TABLE_WORDS = frozenset(stem(word) for word in ("table", "tables", "view"))
_IDENTIFIER = re.compile(r"`[^`]+`|\"[^\"]+\"(?:\.\"[^\"]+\")*|\w+(?:[._$]\w+)+|\w*[a-z]\w*[A-Z]\w*")


def written_names(question: str) -> frozenset[str]:
    """Texts of a question that may be names as they are written, in lower case: identifiers, or all of it."""
    names = {part.strip(_AROUND).rpartition(".")[2].strip(_AROUND) for part in _IDENTIFIER.findall(question)}
    whole = question.strip(_AROUND)
    if len(whole) <= _LONGEST_NAME and not any(map(str.isspace, whole)):
        names.add(whole.rpartition(".")[2])
    return frozenset(name.casefold() for name in names if name)


class NamedTables:
    """Names of tables by the ways in which people write them.

    Args:
        names: each table's database, schema and bare name.
    """

    def __init__(self, names: Sequence[tuple[str, str, str]]) -> None:
        self._names = names
        self._exact: defaultdict[str, list[int]] = defaultdict(list)
        self._glued: defaultdict[str, list[int]] = defaultdict(list)
        self._words: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
        self._shortened: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
        split = [split_identifier(table) for _, _, table in names]
        families = Counter(_family(name, tokens) for name, tokens in zip(names, split, strict=True))
        for number, (name, tokens) in enumerate(zip(names, split, strict=True)):
            database, schema, table = name
            for written in (table, f"{schema}.{table}", f"{database}.{schema}.{table}"):
                self._exact[written.casefold()].append(number)
            self._glued["".join(tokens)].append(number)
            self._words[_bag(tokens)].append(number)
            if len(tokens) > 1 and families[_family(name, tokens)] >= _FAMILY:
                self._shortened[_bag(tokens[1:])].append(number)

    def named(
        self, question: str, is_known: Callable[[str], bool], is_searched: Callable[[int], bool] = lambda _: True
    ) -> dict[int, float]:
        """How certainly each table is named by the question; tables that are not are left out.

        Args:
            question: as it was asked.
            is_known: whether a word is one that occurs in the index, which is then not misspelt.
            is_searched: whether a table is one of those that may be found, by number.
        """
        found = self._whole(question.strip(_AROUND), is_known, is_searched) if len(question) <= _LONGEST_NAME else {}
        for quoted in _IDENTIFIER.findall(question):
            for number, certainty in self._written(quoted.strip(_AROUND).replace('"', "")):
                if is_searched(number):
                    found[number] = max(certainty, found.get(number, 0.0))
        return found

    def spoken(self, words: Sequence[Sequence[str]]) -> list[list[int]]:
        """The tables named by each run of words that is a name, with or without its family's word; the longest first.

        Args:
            words: of a question, in order, each with the other words that it may mean.
        """
        found: list[list[int]] = []
        free = [True] * len(words)
        for length in range(min(_LONGEST_SPOKEN, len(words)), 0, -1):
            for start in range(len(words) - length + 1):
                run = slice(start, start + length)
                if all(free[run]) and (tables := self._called(words[run])):
                    found.append(tables)
                    free[run] = [False] * length
        return found

    def _called(self, run: Sequence[Sequence[str]]) -> list[int]:
        """The tables that one word is the name of, whichever it means, or several in their own spelling."""
        readings = [[word] for word in run[0]] if len(run) == 1 else [[word[0] for word in run]]
        bags = map(_bag, readings)
        return next((tables for bag in bags if (tables := self._words.get(bag) or self._shortened.get(bag))), [])

    def _whole(
        self, text: str, is_known: Callable[[str], bool], is_searched: Callable[[int], bool]
    ) -> dict[int, float]:
        """Tables whose name is the whole question."""
        found = {number: certainty for number, certainty in reversed(list(self._written(text))) if is_searched(number)}
        tokens = tokenize_text(text)
        # A word of every sentence may be one of the name (`film_list`), so all of them are tried first.
        readings = [reading for reading in (tokens, _telling(tokens)) if reading]
        bags = [_bag(reading) for reading in readings]
        for bag in bags:
            found = dict.fromkeys(filter(is_searched, self._words.get(bag, ())), SAME_WORDS) | found
            if found:
                break
        if found:
            return found
        for bag in bags:
            short = list(filter(is_searched, self._shortened.get(bag, ())))
            if short:
                return dict.fromkeys(short, SHORTENED / len(short))
        most = self._letters_wrong(text, tokens, is_known)
        near = (self._near("".join(reading), most, is_searched) for reading in readings)
        return next(filter(None, near), {})

    def _letters_wrong(self, text: str, tokens: Sequence[str], is_known: Callable[[str], bool]) -> int:
        """How many letters of a text that is not a name may be wrong: one, for an identifier whose words all occur."""
        if not all(map(is_known, segment_all(list(tokens)))):
            return _MOST_EDITS
        return 1 if _IDENTIFIER.fullmatch(text) else 0

    def _near(self, glued: str, most: int, is_searched: Callable[[int], bool]) -> dict[int, float]:
        near = self._spellings.near(glued) if most and len(glued) <= _LONGEST_NAME else []
        names = list(self._glued.values()) if near else []
        numbers = (number for edits, place in near if edits <= most for number in names[place])
        return dict.fromkeys(filter(is_searched, numbers), MISSPELT)

    def _written(self, text: str) -> Iterable[tuple[int, float]]:
        """Tables with these letters in this order, the most certain first."""
        if not text:
            return
        for number in self._exact.get(text.casefold(), ()):
            database, schema, table = self._names[number]
            as_it_is = text in (table, f"{schema}.{table}", f"{database}.{schema}.{table}")
            yield number, EXACT if as_it_is else SAME_LETTERS
        for number in self._glued.get("".join(split_identifier(text)), ()):
            yield number, GLUED

    @cached_property
    def _spellings(self) -> Spellings:
        return Spellings(list(self._glued))

    @cached_property
    def _vocabulary(self) -> tuple[Spellings, list[str]]:
        written = {word for name in self._names for word in segment_all(split_identifier(name[2]))}
        words = sorted(written.union(map(singular, written)))
        return Spellings(words), words

    def corrected(self, word: str) -> str | None:
        """The word in a table name, singular or plural, that a misspelt word means; `None` if none or several match."""
        spellings, words = self._vocabulary
        found = spellings.near(word) or spellings.near(singular(word))
        near = {stem(words[place]): words[place] for _, place in found}
        return next(iter(near.values())) if len(near) == 1 else None


def _bag(tokens: Iterable[str]) -> tuple[str, ...]:
    """The stems of the words, each word once: `party_party` is a party, but a custom is not a customer."""
    return tuple(sorted(map(stem, set(map(singular, segment_all(list(tokens)))))))


def _family(name: tuple[str, str, str], tokens: Sequence[str]) -> tuple[str, ...]:
    return (*name[:2], *tokens[:1])


def _telling(tokens: Sequence[str]) -> list[str]:
    """The words without generic words about tables; all of them if nothing else is left."""
    content = [word for word in tokens if word not in STOP_WORDS]
    named = [word for word in content if stem(word) not in _TABLE_WORDS]
    return named or content or list(tokens)


_SHORTEST_WITH_ONE, _SHORTEST_WITH_TWO = 5, 9
"""The shortest words that may have one, and two, wrong letters: too many shorter words look alike. By judgement."""
_MOST_EDITS = 2
_LETTERS = 64
"""Characters are counted by their code modulo this; words that fall together are compared afterwards."""


class Spellings:
    """Words among which a misspelt one is looked up.

    Args:
        words: without duplicates.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words
        self._letters = np.array([_letters(word) for word in words], dtype=np.int16).reshape(-1, _LETTERS)
        self._lengths = np.array([len(word) for word in words], dtype=np.int64)

    def near(self, word: str) -> list[tuple[int, int]]:
        """How many edits the nearest words are away, each with its position; none if too many."""
        most = edits_allowed(word)
        if not most:
            return []
        # An edit changes the length by one and two counts at the most.
        long_enough = np.flatnonzero(np.abs(self._lengths - len(word)) <= most)
        apart = np.abs(self._letters[long_enough] - _letters(word)).sum(axis=1)
        likely = long_enough[apart <= 2 * most].tolist()
        found = [(edit_distance(word, self._words[place], most), place) for place in likely]
        least = min((edits for edits, _ in found), default=most + 1)
        return [pair for pair in found if pair[0] == least <= min(most, edits_allowed(self._words[pair[1]]))]


def edits_allowed(word: str) -> int:
    """How many letters of a word may be wrong."""
    return (len(word) >= _SHORTEST_WITH_ONE) + (len(word) >= _SHORTEST_WITH_TWO)


def edit_distance(one: str, other: str, most: int) -> int:
    """Letters added, left out, changed or swapped with the next one; `most + 1` if there are more than that.

    Optimal string alignment: no part of a word is edited twice.
    """
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(one, start=1):
        now = [row]
        for column, theirs in enumerate(other, start=1):
            cost = min(last[column] + 1, now[column - 1] + 1, last[column - 1] + (letter != theirs))
            if row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == theirs:
                cost = min(cost, before[column - 2] + 1)
            now.append(cost)
        if min(now) > most:
            return most + 1
        before, last = last, now
    return min(last[-1], most + 1)


def _letters(word: str) -> NDArray[Any]:
    return np.bincount([ord(letter) % _LETTERS for letter in word], minlength=_LETTERS)
