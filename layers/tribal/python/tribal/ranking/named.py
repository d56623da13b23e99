"""Finds tables that a question names: exactly, glued, split, in another order or number, shortened or misspelt."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from tribal.naming import STOP_WORDS, segment_all, singular, split_identifier, stem, tokenize_text
from tribal.ranking.edits import MOST_EDITS, Spellings

# Certainty that a table is meant; only the order matters, the distances are by judgement.
EXACT = 1.0
GLUED = 0.98
"""The same letters, ignoring separators."""
SAME_WORDS = 0.95
"""The same words in any order, singular or plural."""
MISSPELT = 0.9
"""A letter or two are wrong."""
SHORTENED = 0.8
"""Without the first word of its family, divided by the number of tables with that name."""

_FAMILY = 3
"""Minimum number of tables in a schema that begin with the same word before people leave it out. By judgement."""

_LONGEST_NAME = 200
"""Characters beyond which a question is not a name."""
_AROUND = " \t\r\n.,;:!?`'\"()[]"
_TABLE_WORDS = frozenset(stem(word) for word in ("table", "tables", "view"))
_IDENTIFIER = re.compile(r"`[^`]+`|\"[^\"]+\"(?:\.\"[^\"]+\")*|\w+(?:[._$]\w+)+|\w*[a-z]\w*[A-Z]\w*")


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
            return MOST_EDITS
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
            yield number, EXACT
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
    telling = [word for word in tokens if word not in STOP_WORDS]
    named = [word for word in telling if stem(word) not in _TABLE_WORDS]
    return named or telling or list(tokens)
