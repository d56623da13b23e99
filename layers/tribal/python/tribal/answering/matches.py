"""Where the words of a question occur: in names of tables and columns, in values, and in texts. No I/O."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from tribal.naming import (
    content_words,
    glued_prefixes,
    index_terms,
    is_noun,
    likely_words,
    segment_all,
    singular,
    split_identifier,
    stem,
    synonyms,
)
from tribal.questions.ordinary import rarity
from tribal.rendering.words import informative_text
from tribal_contracts import Description, DocumentedColumn, TableDocument

LABEL_WORDS = frozenset("id identifier no num number nr cd code key uuid guid ref header master tbl".split())
"""Words at the end of a name that say how something is identified rather than what it is."""
_NAME, _VALUE, _TEXT = 2.0, 2.0, 1.1
"""What a word counts in the name of a column, in one of its values, and in its text. By judgement."""
_IN_TEXT = 1.1
"""What a word counts in the text of a table: more than a broader word in its name. By judgement."""
_IN_TABLE, _IN_TABLE_TEXT = 1.0, 0.3
"""What a word of the column's table counts, in its name and in its text. By judgement."""
SYNONYM, _DERIVED = 0.7, 0.8
"""How far a synonym, and a noun made of a verb, count as the word itself. By judgement."""
_SUFFIXES = frozenset("al ance ation ence er eri ing ion ment or s ur ure y".split())
"""Endings that make a noun of a verb: `payment`, `departure`, `arrival`."""
_LEAST_STEM = 3
_SHARED_PREFIX = 0.5
"""The share of tables from which the first word of their names says nothing. By judgement."""


@dataclass(frozen=True, slots=True)
class AskedWord:
    """A subject word of a question."""

    text: str
    terms: Mapping[str, float]
    """The terms that it may be written as, each with how certain that is, 0 to 1."""

    @classmethod
    def of(cls, text: str, terms: Mapping[str, float]) -> AskedWord:
        """Return a word with its synonyms added to other readings."""
        others = {stem(each): SYNONYM for each in synonyms(text)}
        if base := denied_base(text):
            others[stem(base)] = _DERIVED
        return cls(text, {**terms, **others, stem(text): 1.0})

    @property
    def weight(self) -> float:
        """How much it says, 0.3 to 1: rare words say more."""
        return 0.3 + 0.7 * rarity(stem(self.text))

    def within(self, terms: Iterable[str]) -> float:
        """How well one of some terms is this word, 0 to 1."""
        found = 0.0
        for term in terms:
            known = self.terms.get(term, 0.0)
            if not known and (_is_derived(stem(self.text), term) or _is_abbreviated(self.text, term)):
                known = _DERIVED
            found = max(found, known)
        return found


_DENYING = re.compile(r"(?:un|in|non|dis)(?=[a-z]{4,}$)")


def denied_base(word: str) -> str:
    """The word that a prefix denies: "paid" of "unpaid"; empty without such a prefix."""
    found = _DENYING.match(word)
    base = word[found.end() :] if found else ""
    return base if base and rarity(stem(base)) < 1.0 and not is_noun(word) else ""


@lru_cache(maxsize=16_384)
def _is_derived(one: str, other: str) -> bool:
    """Whether one of two stems is a noun made of the other."""
    short, long = sorted((one, other), key=len)
    if len(short) < _LEAST_STEM or short == long:
        return False
    if short.endswith(("i", "e")) and long.startswith(short[:-1]) and len(short) > _LEAST_STEM:
        short = short[:-1]
        if len(short) == _LEAST_STEM and long[len(short) :] in ("er", "or"):
            # A mode has nothing to do with a moderator.
            return False
    elif short.endswith("ai"):
        short = f"{short[:-1]}y"
    return long.startswith(short) and long[len(short) :] in _SUFFIXES


def _is_abbreviated(word: str, term: str) -> bool:
    """Whether a term is the beginning of a word, and no word itself."""
    return len(term) >= _LEAST_STEM and word.startswith(term) and word != term and rarity(term) == 1.0


@dataclass(frozen=True, slots=True)
class NamedThing:
    """The words of a name, each with the terms by which it is found."""

    words: tuple[frozenset[str], ...]

    @classmethod
    def of(cls, name: str) -> NamedThing:
        """Read the name of a table or column."""
        return _named(name)

    def found(self, asked: Sequence[AskedWord]) -> dict[str, float]:
        """The asked words that are in the name, with how certain that is."""
        every = frozenset().union(*self.words) if self.words else frozenset[str]()
        return {word.text: strength for word in asked if (strength := word.within(every))}

    def share(self, asked: Sequence[AskedWord]) -> float:
        """The share of the name's words that are asked for, 0 to 1; a label at its end counts nothing."""
        found = [max((word.within(each) for word in asked), default=0.0) for each in self._telling]
        return sum(found) / len(found) if found else 0.0

    def is_whole(self, asked: Sequence[AskedWord]) -> bool:
        """Whether every telling word of the name is asked for, by itself or a synonym."""
        return bool(asked) and all(any(word.within(each) >= SYNONYM for word in asked) for each in self._telling)

    @property
    def _telling(self) -> list[frozenset[str]]:
        return [each for each in self.words if each.isdisjoint(LABEL_WORDS)] or list(self.words)


@lru_cache(maxsize=16_384)
def _named(name: str) -> NamedThing:
    tokens = segment_all(split_identifier(name))
    pairs = zip(likely_words(tokens), tokens, strict=False)
    return NamedThing(tuple(frozenset((stem(word), stem(token), word)) for word, token in pairs))


def said_terms(description: Description) -> frozenset[str]:
    """The terms of a text that rules did not make."""
    return _terms(informative_text(description))


@lru_cache(maxsize=16_384)
def _terms(text: str) -> frozenset[str]:
    return frozenset(index_terms(text))


def shared_prefixes(tables: Collection[str]) -> tuple[str, ...]:
    """Return the beginnings that many names of tables share, with and without a separator: `rhn`, `tbl_`."""
    firsts = Counter(name.lower().partition("_")[0] for name in tables if "_" in name)
    common = (f"{first}_" for first, count in firsts.items() if count > _SHARED_PREFIX * len(tables))
    return (*common, *glued_prefixes(tables))


@dataclass(frozen=True)
class TableMatch:
    """A table, and the words of a question in it."""

    table: TableDocument
    asked: Sequence[AskedWord]
    prefixes: tuple[str, ...] = ()
    """Beginnings that the names of many tables share, and that say nothing of one."""

    @cached_property
    def _thing(self) -> NamedThing:
        name = self.table.table
        prefix = next((each for each in self.prefixes if name.lower().startswith(each)), "")
        whole = NamedThing.of(name)
        # With the prefix it means the table too.
        return whole if whole.is_whole(self.asked) else NamedThing.of(name[len(prefix) :] or name)

    @cached_property
    def named(self) -> Mapping[str, float]:
        """The words in its name."""
        return self._thing.found(self.asked)

    @cached_property
    def schema(self) -> Mapping[str, float]:
        """The words in the name of its schema."""
        return NamedThing.of(self.table.schema_).found(self.asked)

    @cached_property
    def share(self) -> float:
        """The share of its name that the question has, 0 to 1."""
        return self._thing.share(self.asked)

    @cached_property
    def is_whole(self) -> bool:
        """Whether the question has its whole name."""
        return bool(self.named) and self._thing.is_whole(self.asked)

    @cached_property
    def told(self) -> frozenset[str]:
        """The words in its description and notes."""
        terms = said_terms(self.table.description).union(*map(_terms, self.table.notes))
        return frozenset(word.text for word in self.asked if word.within(terms) > SYNONYM)

    @cached_property
    def columns(self) -> Sequence[ColumnMatch]:
        """Its columns that the question may mean, the most likely first."""
        found = [match_column(self, column) for column in self.table.columns]
        return sorted((each for each in found if each.own), key=lambda each: -each.score)

    @cached_property
    def places(self) -> Mapping[str, float]:
        """The words that it has anywhere: up to 3 in its name, 2 in a column or value, 1.1 in a text."""
        found = dict.fromkeys(self.told, _IN_TEXT)
        for column in self.columns:
            for word in column.own:
                found[word] = max(found.get(word, 0.0), column.own[word])
        for word, strength in self.named.items():
            found[word] = max(found.get(word, 0.0), strength * (1 + 2 * self.share))
        return found


@dataclass(frozen=True, slots=True)
class ColumnMatch:
    """A column, and the words of a question in it."""

    table: TableDocument
    column: DocumentedColumn
    own: Mapping[str, float]
    """The words that it has itself, with what each counts."""
    values: tuple[str, ...]
    """Its values that the question names."""
    is_named: bool
    """Whether its name or one of its values has one of the words."""
    share: float
    """The share of its name that the question has, 0 to 1."""
    is_whole: bool
    """Whether the question has its whole name."""
    score: float
    table_words: frozenset[str] = frozenset()
    """The words that the name of its table has."""

    @property
    def about(self) -> frozenset[str]:
        """The words that it has itself."""
        return frozenset(self.own)


def match_column(match: TableMatch, column: DocumentedColumn) -> ColumnMatch:
    """Compare a column with a question."""
    asked = match.asked
    thing = NamedThing.of(column.name)
    share = thing.share(asked)
    named = thing.found(asked)
    values = named_values(column, asked)
    in_values = value_terms(column, values)
    told = said_terms(column.description)
    own: dict[str, float] = {}
    for word in asked:
        in_name = _NAME * named.get(word.text, 0.0) * (0.5 + 0.5 * share)
        in_value = _VALUE * word.within(in_values) if in_values else 0.0
        in_text = _TEXT * (word.within(told) == 1.0)
        if best := max(in_name, in_value, in_text):
            own[word.text] = best
    by_word = {word.text: word.weight for word in asked}
    score = sum(by_word[word] * strength for word, strength in own.items())
    in_table = _IN_TABLE * (0.7 + 0.3 * match.share)
    score += sum(in_table * by_word[word] * strength for word, strength in match.named.items() if word not in own)
    score += sum(_IN_TABLE_TEXT * by_word[word] for word in match.told if word not in own and word not in match.named)
    return ColumnMatch(
        match.table,
        column,
        own,
        values,
        bool(named or values),
        share,
        thing.is_whole(asked),
        score,
        frozenset(match.named),
    )


def named_values(column: DocumentedColumn, asked: Sequence[AskedWord]) -> tuple[str, ...]:
    """The values of a column of which the question has every word, by themselves or by their meaning."""
    found: dict[str, frozenset[str]] = {}
    for value in column.allowed_values or ():
        meaning = (column.value_meanings or {}).get(value)
        texts = [value, *([meaning.text] if meaning else [])]
        said = [_terms(text) for text in texts if not text.isdecimal() and _is_said(text, asked)]
        if said:
            found[value] = max(said, key=len)
    return tuple(value for value, terms in found.items() if not any(terms < others for others in found.values()))


def states_said(column: DocumentedColumn, asked: Sequence[AskedWord]) -> tuple[str, ...]:
    """The values whose meaning begins with a state that the question has: "accepted" of "accepted and credited"."""
    leads = {value: next(iter(each.text.split()), "").lower() for value, each in (column.value_meanings or {}).items()}
    words = {word.text for word in asked}
    return tuple(value for value, lead in leads.items() if lead.endswith("ed") and lead in words)


def _is_said(text: str, asked: Sequence[AskedWord]) -> bool:
    """Whether a question has every content word of a value just as it is: "opened" is no status "open"."""
    words = {word for each in asked for word in (each.text, singular(each.text), denied_base(each.text))}
    content = content_words(text)
    return bool(content) and all(word in words or singular(word) in words for word in content)


def value_terms(column: DocumentedColumn, values: Iterable[str]) -> frozenset[str]:
    """The terms of some values of a column, and of their meanings."""
    meanings = column.value_meanings or {}
    texts = (text for value in values for text in (value, meanings[value].text if value in meanings else ""))
    return frozenset().union(*map(_terms, texts))
