"""Which rows a question chooses by their state: the column that says so, and what it leaves open."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set

from tribal.answering.explained import code_columns, codes_without_meaning, is_explained, words_of
from tribal.answering.focus import Focus
from tribal.answering.forms.drafts import Condition
from tribal.answering.forms.filled import Lack
from tribal.answering.statements import column_name, short_column_name, short_name
from tribal.naming import STOP_WORDS
from tribal.questions.words import question_words
from tribal.rendering.markdown import one_line
from tribal.rendering.words import listing
from tribal_contracts import DocumentedColumn, TableDocument

_STATES = frozenset("status state stage phase stat".split())
_ADJECTIVES = frozenset("late early overdue new old open active inactive current former own foreign external".split())
_ADVERBS = r"(?: (?:not|still|already|yet|currently|now|been|never))*"
_IS_IN_STATE = re.compile(rf"\b(?:is|are|isn't|aren't){_ADVERBS} (?P<state>\w+ed)\b", re.IGNORECASE)
_IS_LAST = re.compile(rf"\b(?:is|are|isn't|aren't){_ADVERBS} (?P<state>[a-z]{{4,}})\s*\??$", re.IGNORECASE)
"""What a question says of its rows at its end: "which stories are still popular?"."""
_WAS_DONE = re.compile(
    rf"\b(?:was|were|has|have|wasn't|weren't|hasn't|haven't){_ADVERBS} (?P<state>\w+ed)\b", re.IGNORECASE
)
_IS_DONE = re.compile(
    r"\bhow many \w+(?: (?:have|has|had|were|was|got))?(?: been)? (?P<state>\w{2,}ed)\b", re.IGNORECASE
)
_NEUTRAL = frozenset(
    """
    added asked booked created entered happened issued joined listed logged loaded opened ordered placed posted produced
    published purchased received recorded registered requested started stored submitted used
    """.split()
)
"""Verbs that only say that a row was made."""
_PARTIAL = frozenset("part partial partially partly".split())


def states_asked(question: str) -> set[str]:
    """The words of a question that choose rows although they are ordinary, or verbs: "late", "closed"."""
    found = {word.text for word in question_words(question) if word.text in _ADJECTIVES}
    if done := _IS_DONE.search(question):
        found |= {done["state"].lower()} - _NEUTRAL
    found |= {each["state"].lower() for each in _IS_IN_STATE.finditer(question)}
    last = _IS_LAST.search(question)
    return found | ({last["state"].lower()} - STOP_WORDS if last else set())


def unclear(words: Sequence[str], base: TableDocument) -> Lack:
    """Say that nothing tells which rows words mean: by the column that holds its state, if there is one."""
    named = listing([f"“{one_line(each)}”" for each in words])
    states = [each for each in code_columns(base.columns) if words_of(each.name) & _STATES]
    states = states or [each for each in code_columns(base.columns) if codes_without_meaning(each)]
    states.sort(key=lambda each: not codes_without_meaning(each))
    if not states:
        return Lack(base.name, "missing_information", f"nothing says which rows of {short_name(base.name)} are {named}")
    column = states[0]
    values = (
        f" ({listing([one_line(each) for each in column.allowed_values], last='or')})" if column.allowed_values else ""
    )
    text = f"nothing says which {short_column_name(base, column)}{values} is {named}"
    return Lack(column_name(base, column), "missing_information", text)


def unclear_states(base: TableDocument, conditions: Sequence[Condition], focus: Focus) -> Iterator[Lack]:
    """What is not said of the states that a question asks for, although a column may hold them."""
    own = [each for each in code_columns(base.columns) if words_of(each.name) & _STATES]
    for each in conditions:
        if each.value is not None and words_of(each.of.column.name) & _STATES:
            yield from _doubts(each, each.value, base, own, focus)
    if own and all(_is_unlisted(each) or codes_without_meaning(each) for each in own):
        done = {each["state"].lower() for each in _WAS_DONE.finditer(focus.question)} - _NEUTRAL
        found = {word for match in focus.matches.values() for word in match.places}
        if words := sorted(done - found):
            yield unclear(words, base)


def _doubts(
    condition: Condition, value: str, base: TableDocument, own: Sequence[DocumentedColumn], focus: Focus
) -> Iterator[Lack]:
    """Why a state may be another one than the value that is called so."""
    table, column = condition.of.table, condition.of.column
    word = f"“{one_line(value)}”"
    if table.name != base.name:
        for each in (one for one in own if _is_unlisted(one)):
            text = f"nothing says which {short_column_name(base, each)} is {word}"
            yield Lack(column_name(base, each), "missing_information", text)
        return
    rivals = [each for each in own if each != column and (_is_unlisted(each) or _has(each, value))]
    if rivals and not _says_which([column, *rivals], base, focus):
        names = listing([short_column_name(base, each) for each in (column, *rivals)], last="or")
        text = f"nothing says whether {names} is meant by {word}"
        yield Lack(column_name(base, column), "ambiguity", text)
    partial = [each for each in column.allowed_values or () if each != value and _is_part_of(each, value, column)]
    if partial:
        named = listing([f"“{one_line(each)}”" for each in partial])
        text = f"nothing says whether {named} of {short_column_name(base, column)} counts as {word}"
        yield Lack(column_name(base, column), "ambiguity", text)


def _has(column: DocumentedColumn, value: str) -> bool:
    """Whether a column has a value too, and no number that means something else there."""
    return not value.isdecimal() and value in (column.allowed_values or ())


def alike(base: TableDocument, words: Set[str]) -> Iterator[Lack]:
    """Columns of a table that a state may mean alike, and that no text tells apart."""
    for word in sorted(words):
        found = [each for each in base.columns if _is_flag(each, word)]
        if len(found) > 1 and not any(is_explained(each.description, each.name) for each in found):
            names = listing([short_column_name(base, each) for each in found], last="or")
            text = f"nothing says whether {names} is meant by “{one_line(word)}”"
            yield Lack(column_name(base, found[0]), "ambiguity", text)


def _is_flag(column: DocumentedColumn, word: str) -> bool:
    """Whether a column says yes or no to a state, by its name: `active`, `is_active`, `activebool`."""
    name = column.name.casefold().removeprefix("is_")
    return name.startswith(word) and name.removeprefix(word).strip("_") in ("", "bool", "flag", "ind", "yn")


def _is_unlisted(column: DocumentedColumn) -> bool:
    """Whether nothing says which values a column has, or what they mean."""
    return not column.allowed_values and not is_explained(column.description, column.name)


def _says_which(columns: Sequence[DocumentedColumn], table: TableDocument, focus: Focus) -> bool:
    """Whether a question has a word that is in the name of only one of some columns."""
    asked = {word.text for word in question_words(focus.question)} - words_of(table.table)
    return any(
        asked & words_of(each.name) - frozenset().union(*(words_of(one.name) for one in columns if one != each))
        for each in columns
    )


def _is_part_of(other: str, value: str, column: DocumentedColumn) -> bool:
    """Whether a value is part of the way to another one that nothing explains: "part" and "open"."""
    meanings = column.value_meanings or {}
    said = words_of(other) | (words_of(meanings[other].text) if other in meanings else frozenset())
    return value not in meanings and bool(said & _PARTIAL) and (value in said or value.casefold() in _ADJECTIVES)
