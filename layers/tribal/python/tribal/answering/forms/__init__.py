"""One form of answer for each intent of a question, filled from the documentation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from tribal.answering.focus import Focus
from tribal.answering.forms.amounts import amount
from tribal.answering.forms.common import not_said, unknown
from tribal.answering.forms.filled import Filled, Lack, Library
from tribal.answering.forms.meanings import asks_unit, meaning
from tribal.answering.forms.objects import columns, values, where
from tribal.answering.forms.pairs import difference, join
from tribal.answering.forms.rules import rule
from tribal.answering.statements import TEXT_CHARS, Statement, about_table, of_table, short_name
from tribal.naming import tokenize_text
from tribal.questions.words import question_words
from tribal.rendering.markdown import one_line
from tribal.rendering.words import shorten
from tribal_contracts.retrieval.questions import QuestionIntent

Form = Callable[[Focus, Library], Filled]

_FORMS: Mapping[QuestionIntent, Form] = {
    "meaning": meaning,
    "values": values,
    "columns": columns,
    "join": join,
    "where": where,
    "difference": difference,
    "rule": rule,
}


_ABOUT_ONE = frozenset(("meaning", "values", "where"))
"""Intents of which every word has to be documented: "the middle name" is no other name."""
_IDENTIFIER = re.compile(r"(?<![\w.'\"])[A-Za-z]\w*_\w+(?![\w'\"])")


def _unknown_name(focus: Focus) -> str:
    """A name with an underscore that nothing has; empty without one."""
    mentions = focus.context.question.mentions if focus.context.question else ()
    known = {place for each in mentions for place in range(each.start, each.start + len(each.text))}
    found = (each for each in _IDENTIFIER.finditer(focus.question) if each.start() not in known)
    return next((each[0] for each in found if not focus.is_said_anywhere(each[0])), "")


_DATABASE = re.compile(
    r"\b(?:in|of|from) (?:the|our) (?!same|whole|entire|production|live|current|test|sql|postgres)(\w+) database\b",
    re.IGNORECASE,
)


def _unknown_database(focus: Focus, library: Library) -> str:
    """A database that a question names, and that is not documented; empty without one."""
    found = _DATABASE.search(focus.question)
    return found[1] if found and not library.has_area(found[1]) else ""


def _namesakes(tables: Sequence[str], focus: Focus) -> Iterator[Statement]:
    """The other tables that are called like those of an answer, where the question does not say which schema."""
    words = tokenize_text(focus.question)
    for name in tables:
        table = focus.matches[name].table if name in focus.matches else None
        if table is None or not focus.matches[name].is_whole or table.schema_.casefold() in words:
            continue
        for each in (match.table for match in focus.matches.values()):
            if each.name not in tables and each.table.casefold() == table.table.casefold() and each.copy_of is None:
                text = f"{short_name(each.name)} has the same name"
                said = one_line(each.description.text)
                yield of_table(each, each.name, f"{text}: {shorten(said, TEXT_CHARS)}" if said else f"{text}.")


def _names_one_thing(focus: Focus) -> bool:
    """Whether a text without a frame is the name of a column or a table, such as "customer status"."""
    words = {word.text for word in focus.asked}
    best = next(iter(focus.best_columns()), None)
    if focus.intent != "other" or not words or len(question_words(focus.question)) > len(words) + 1:
        return False
    return best is not None and best.is_named and words <= best.about | best.table_words


def filled_form(focus: Focus, library: Library) -> Filled:
    """Fill the form of a question's intent; questions without a frame are about a figure or a list."""
    if not focus.main:
        return unknown(focus)
    identifier, database = _unknown_name(focus), _unknown_database(focus, library)
    if identifier or database:
        text = f"nothing is called {identifier}" if identifier else f"no database is called {database}"
        lack = Lack("", "missing_information", text)
        nearest = unknown(focus)
        return not_said(Filled(nearest.statements[1:], nearest.tables, [lack]))
    form = meaning if asks_unit(focus.question) or _names_one_thing(focus) else _FORMS.get(focus.intent, amount)
    found = form(focus, library)
    lacking = [word for word in focus.lacking(found.tables) if word not in found.words]
    if lacking and found.is_answered and focus.intent in _ABOUT_ONE:
        return unknown(focus)
    if found.is_answered and focus.is_mostly(lacking):
        return unknown(focus)
    # SQL alone would not say what its tables are.
    documents = focus.context.documents
    said = found.statements or [about_table(documents[name]) for name in found.tables if name in documents]
    return replace(found, statements=[*said, *_namesakes(found.tables, focus)])
