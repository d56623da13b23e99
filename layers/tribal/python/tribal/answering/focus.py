"""Finds what a question is about: its main tables, their relevant columns, and the words that nothing explains."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tribal.answering.explained import UNIT_WORDS, family_of
from tribal.answering.matches import AskedWord, ColumnMatch, TableMatch
from tribal.capabilities.retrieval.context.gathering import GatheredContext
from tribal.identity.table_names import TableIdentity, format_name
from tribal.naming import STOP_WORDS, is_noun, split_identifier, stem, tokenize_text
from tribal.questions.ordinary import is_ordinary, rarity
from tribal.questions.periods import grouped_unit, period_of
from tribal.questions.pointers import Topic
from tribal.questions.reading import FRAMING, is_identifier
from tribal.questions.slots import Slots, slots_of
from tribal.questions.words import acronyms_of, counted_word, is_participle, measured_by, question_words, verbs
from tribal.sql.type_families import TypeFamily
from tribal_contracts import DocumentedColumn, TableDocument
from tribal_contracts.retrieval.questions import QuestionIntent

MAIN_TABLES = 4
COLUMNS = 5
"""The most columns of a table that are said to matter."""
DATES = 3
"""The most date columns of a table that a question about time brings."""
DATE_FAMILIES: frozenset[TypeFamily] = frozenset(("date", "instant", "local_time"))
_DATE_NAMES = frozenset(("date", "year", "month", "timestamp", "clock"))
"""Words in names of columns that hold a date, or a part of one."""
_RIVAL = 0.97
"""The share of the first table's score from which another one is as relevant. By judgement."""
_PRIOR = 2.0
"""The weight of a table's search score, compared with its words. By judgement."""
_CONFIRMED = 2.0
"""Added for a table that a definition or a decision names. By judgement."""
_COPY = 1.5
"""Subtracted for a table that repeats another one. By judgement."""
_ADDS = 0.8
"""The least that another table must add to be a main table too. By judgement."""
_WHOLE_TABLE, _WRITTEN = 0.3, 3.0
"""Added for a column if the question has the whole name of its table, and if it has the column's name exactly."""
_GUESSED = 1.0
"""A match with at most this score is only through a broader word. By judgement."""
_PLAIN = 1.55
"""A match with at least this score is in a name or a value, not only in a text."""
_QUOTED = re.compile(r"""["'\u201c\u2018]([^"'\u201d\u2019]{1,200})["'\u201d\u2019]""")
_CAPITALISED = re.compile(r"(?<=[a-z0-9,;:)] )[A-Z][\w-]*(?: [A-Z][\w-]*)*")


@dataclass(frozen=True, slots=True)
class Focus:
    """What a question is about."""

    question: str
    context: GatheredContext
    slots: Slots
    asked: Sequence[AskedWord]
    """Its subject words."""
    matches: Mapping[str, TableMatch]
    """The tables of the context by name, each with the words in it."""
    main: Mapping[str, TableDocument]
    """The tables that together have most of its words, by name, the most relevant first."""
    joined: Sequence[str]
    """The main tables, and those of the context between them."""
    reached: frozenset[str]
    """The main tables that keys join to the first one."""
    rivals: Sequence[str]
    """Other tables that have the same words in the same places as the first one, and score as high."""
    columns: Mapping[str, Sequence[DocumentedColumn]]
    """The columns of each main table that its words name."""
    dates: Mapping[str, Sequence[DocumentedColumn]]
    """The date columns of each main table; empty for a question that is not about time."""
    literals: Sequence[str]
    """Values that the question writes: in quotes, and capitalised within a sentence."""
    asks_time: bool
    neighbours: Mapping[str, Sequence[str]]
    """The tables that keys join to each table of the context."""

    def way(self, start: str, end: str) -> list[str]:
        """The tables on the shortest way along keys between two tables of the context; empty if nothing joins them."""
        return _way(self.neighbours, start, end)

    @property
    def intent(self) -> QuestionIntent:
        """The intent of the question."""
        return self.context.question.intent.kind if self.context.question else "other"

    @property
    def topic(self) -> Topic | None:
        """Its main tables with their columns, for a question that refers to them; `None` without any."""
        if not self.main:
            return None
        found = {TableIdentity.parse(each).database for each in self.context.documents}
        names = {
            name: name if len(found) > 1 else format_name((table.schema_, table.table))
            for name, table in self.main.items()
        }
        tables = {names[name]: [each.name for each in table.columns] for name, table in self.main.items()}
        return Topic(tables, [each.name for each in self.columns[next(iter(self.main))]])

    @property
    def denied(self) -> frozenset[str]:
        """The words that the question denies, such as "departed" in "without having departed"."""
        words = self.context.question.words if self.context.question else ()
        return frozenset(each.word for each in words if each.negated)

    @property
    def uncovered(self) -> list[str]:
        """Content words that neither the main tables nor a definition have."""
        return self.lacking(self.main)

    def lacking(self, tables: Iterable[str]) -> list[str]:
        """The words that have to be explained, and that neither some tables nor a definition explain."""
        places = [self.matches[name].places for name in tables if name in self.matches]
        elsewhere = {word for each in self.matches.values() for word, place in each.places.items() if place >= _PLAIN}
        elsewhere |= {word for each in self.matches.values() for word in each.schema}
        values = frozenset(word for each in self.literals for word in tokenize_text(each))
        as_verbs = self.verbs
        return [
            word.text
            for word in self.asked
            if word.text not in elsewhere
            and not any(each.get(word.text, 0.0) > _GUESSED for each in places)
            and word.text not in values
            and not self.context.defined.explains(word.text)
            and not self._needs_no_text(word.text)
            and (word.text not in as_verbs or (rarity(stem(word.text)) == 1.0 and not is_participle(word.text)))
        ]

    def is_mostly(self, words: Iterable[str]) -> bool:
        """Whether some of its subject words are more than half of it, by weight."""
        weights = {word.text: word.weight for word in self.asked}
        return sum(weights[word] for word in words) > 0.5 * sum(weights.values())

    def _needs_no_text(self, word: str) -> bool:
        """Whether a word is ordinary, or part of how the question is asked."""
        frames = self.context.question is not None and self.context.question.intent.frames(word)
        if word == counted_word(self.question):
            return False
        (read_as,) = question_words(word) or (None,)
        return (
            frames
            or word in UNIT_WORDS - {"currency"}
            or is_ordinary(word)
            or (read_as is not None and (read_as.about_time or read_as.about_quantity))
        )

    @property
    def verbs(self) -> frozenset[str]:
        """The words that the question uses as verbs, and that are in no name."""
        named = {word for each in self.matches.values() for one in each.columns if one.is_named for word in one.about}
        parts = frozenset(word.text for words in self.slots.words.values() for word in words)
        return verbs(self.question, self._is_thing) - named - parts - {counted_word(self.question)}

    def _is_thing(self, word: str) -> bool:
        """Whether a word is a noun: by the dictionary, or since it names something."""
        return is_noun(word) or any(word in each.named for each in self.matches.values())

    def is_written(self, name: str) -> bool:
        """Whether the question has a name just as it is, and not as an everyday word."""
        found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", self.question, re.IGNORECASE)
        return found is not None and (not name.isalpha() or rarity(stem(name.casefold())) == 1.0)

    def is_said_anywhere(self, name: str) -> bool:
        """Whether a text or a definition of the context has a name as it is."""
        texts = [
            text for each in self.matches.values() for text in (each.table.view_definition, each.table.description.text)
        ]
        values = [
            value for each in self.matches.values() for one in each.table.columns for value in one.allowed_values or ()
        ]
        return any(name.casefold() in text.casefold() for text in (*texts, *values) if text)

    def best_columns(self, words: Iterable[str] = (), *, tables: Iterable[str] | None = None) -> list[ColumnMatch]:
        """The columns that the question may mean, the most likely first.

        Args:
            words: those that the column itself should have, such as the target of "what does it mean".
            tables: names of the tables to choose from.
        """
        wanted = frozenset(words)
        found = [
            (self._rank(name, match, wanted), match)
            for name in (self.matches if tables is None else tables)
            for match in self.matches[name].columns
        ]
        return [match for _, match in sorted(found, key=lambda each: -each[0])]

    def _rank(self, name: str, match: ColumnMatch, wanted: frozenset[str]) -> float:
        prior = self.context.scores.get(name, 0.0) * 0.5 + 0.5 * (name in self.main)
        prior -= 0.3 * (match.table.copy_of is not None)
        if match.about - match.table_words:
            prior += _WHOLE_TABLE * self.matches[name].is_whole
        prior += _WRITTEN * self.is_written(match.column.name)
        telling = wanted - match.table_words
        held = len(telling & match.about) / len(telling) if telling else 0.0
        called = 1.5 * (bool(wanted) and match.is_whole and not match.values and bool(match.about & wanted))
        return match.score * (1.0 if match.is_named else 0.9) + prior + 2 * held + called


def focus_on(question: str, context: GatheredContext, prefixes: tuple[str, ...] = ()) -> Focus:
    """Read a question against its context.

    Args:
        question: as it was asked.
        context: the tables that were found for it.
        prefixes: beginnings that the names of many tables share.
    """
    read_words = {each.word: each.explained_by for each in context.question.words} if context.question else {}
    asked = _asked_words(question, context, read_words)
    matches = {name: TableMatch(table, asked, prefixes) for name, table in context.documents.items()}
    near = _neighbours(context)
    chosen = _main_tables(asked, matches, near, context)
    main = {name: context.documents[name] for name in chosen}
    columns = {name: _columns(matches[name]) for name in main}
    asks_time = "time" in read_words.values()
    ways = {name: _way(near, chosen[0], name) for name in main}
    return Focus(
        question=question,
        context=context,
        slots=slots_of(question, context.question.intent.kind if context.question else "other"),
        asked=asked,
        matches=matches,
        main=main,
        joined=list(dict.fromkeys((*main, *(each for way in ways.values() for each in way)))),
        reached=frozenset(name for name, way in ways.items() if way),
        rivals=_rivals(chosen, matches, near, context),
        columns=columns,
        dates={name: dates_of(table, columns[name])[:DATES] if asks_time else [] for name, table in main.items()},
        literals=list(_literals(question)),
        asks_time=asks_time,
        neighbours=near,
    )


def _asked_words(question: str, context: GatheredContext, read_words: Mapping[str, str | None]) -> list[AskedWord]:
    """The subject words of a question, and the measures that its adjectives ask for."""
    counted = {each for each in [counted_word(question)] if each and each not in STOP_WORDS}
    timed = period_of(question) is not None or grouped_unit(question) is not None
    words = dict.fromkeys(
        word.text for word in question_words(question) if not (timed and word.about_time) or word.text in counted
    )
    named = {
        part.text
        for each in (context.question.mentions if context.question else ())
        if each.kind in ("table", "column") and is_identifier(each)
        for part in question_words(each.text)
    }
    intent = context.question.intent if context.question else None
    acronyms = acronyms_of(question)
    found = []
    for word in words:
        why = read_words.get(word)
        is_frame = intent is not None and intent.frames(word) and why not in ("name", "column", "value")
        if word in (named | counted) or (word in context.words and why not in FRAMING and not is_frame):
            found.append(AskedWord.of(word, {**context.words.get(word, {}), **acronyms.get(word, {})}))
    measures = measured_by(question)
    found = [each for each in found if each.text not in measures]
    return found + [AskedWord(word, {stem(each): 1.0 for each in names}) for word, names in measures.items()]


def _literals(question: str) -> Iterator[str]:
    for match in _QUOTED.finditer(question):
        yield match[1]
    for match in _CAPITALISED.finditer(_QUOTED.sub(" ", question)):
        if match[0] != "I":
            yield match[0]


def _main_tables(
    asked: Sequence[AskedWord],
    matches: Mapping[str, TableMatch],
    near: Mapping[str, Sequence[str]],
    context: GatheredContext,
) -> list[str]:
    """The most relevant table, then those that have words which the ones before lack, or that the question names.

    The tables of a verified query that answers the question are the main ones.
    """
    answering = [name for name in matches if name in context.defined.answering_tables]
    if answering:
        return answering[:MAIN_TABLES]
    candidates = [name for name, match in matches.items() if name in context.scores or match.is_whole]
    candidates = candidates or list(matches)[:1]
    if not candidates:
        return []
    confirmed = {*context.defined.tables(), *context.guided}
    weights = {word.text: word.weight for word in asked}

    def rank(name: str) -> float:
        match = matches[name]
        words = sum(weights[word] * place for word, place in match.places.items())
        extra = _CONFIRMED * (name in confirmed) - _COPY * (match.table.copy_of is not None)
        return words + _PRIOR * context.scores.get(name, 0.0) + extra

    chosen = [max(candidates, key=lambda name: (rank(name), -candidates.index(name)))]
    while len(chosen) < MAIN_TABLES:
        best = {word: max(matches[name].places.get(word, 0.0) for name in chosen) for word in weights}

        def gain(name: str, best: Mapping[str, float] = best) -> float:
            match = matches[name]
            if match.is_whole and not match.named.keys() <= _named_by(chosen, matches):
                return 10 + rank(name)
            if not _way(near, chosen[0], name):
                return 0.0
            return sum(
                weights[word] * max(0.0, place - best[word])
                for word, place in match.places.items()
                if place >= _PLAIN > best[word]
            )

        left = [name for name in candidates if name not in chosen and matches[name].table.copy_of is None]
        name = max(left, key=gain, default="")
        if not name or gain(name) < _ADDS:
            break
        chosen.append(name)
    return chosen


def _named_by(names: Iterable[str], matches: Mapping[str, TableMatch]) -> frozenset[str]:
    """The words that are in the names of tables whose whole name the question has."""
    whole = (matches[name] for name in names if matches[name].is_whole)
    return frozenset(word for match in whole for word in match.named)


def _columns(match: TableMatch) -> list[DocumentedColumn]:
    """The columns that words name, best first: by more than the name of the table, if the question says more."""
    telling = [each for each in match.columns if each.about - each.table_words]
    whole = [each for each in match.columns if each.is_whole and not is_own_key(each)]
    return [each.column for each in (telling or whole)[:COLUMNS]]


def is_own_key(match: ColumnMatch) -> bool:
    """Whether a column is a key that only repeats the name of its table."""
    return match.column.is_primary_key and match.about <= match.table_words and not match.values


def _rivals(
    main: Sequence[str],
    matches: Mapping[str, TableMatch],
    near: Mapping[str, Sequence[str]],
    context: GatheredContext,
) -> list[str]:
    first = next(iter(main), None)
    if first is None or first not in context.scores:
        return []
    return [
        name
        for name, score in context.scores.items()
        if name in context.documents
        and name not in main
        and context.documents[name].copy_of is None
        and context.documents[name].view_definition is None
        and score >= _RIVAL * context.scores[first]
        and name not in near[first]
        and matches[name].places == matches[first].places
    ]


def _neighbours(context: GatheredContext) -> dict[str, list[str]]:
    near: dict[str, list[str]] = {name: [] for name in context.documents}
    for join in context.joins:
        child, parent = join.tables
        near[child].append(parent)
        near[parent].append(child)
    return near


def _way(near: Mapping[str, Sequence[str]], start: str, end: str) -> list[str]:
    """The shortest way between two tables; empty if nothing joins them."""
    before = {start: start}
    for name in (queue := [start]):
        for other in near[name]:
            if other not in before:
                before[other] = name
                queue.append(other)
    way = [end] if end in before else []
    while way and way[-1] != start:
        way.append(before[way[-1]])
    return way


def dates_of(table: TableDocument, first: Sequence[DocumentedColumn] = ()) -> list[DocumentedColumn]:
    """The date columns of a table, those given first."""
    dates = [each for each in table.columns if is_date(each)]
    return sorted(dates, key=lambda each: each not in first)


def is_date(column: DocumentedColumn) -> bool:
    """Whether a column holds a date, or a part of one."""
    return family_of(column) in DATE_FAMILIES or not _DATE_NAMES.isdisjoint(split_identifier(column.name))
