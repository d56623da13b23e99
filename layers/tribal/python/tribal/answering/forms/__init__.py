"""One form of answer for each intent of a question, filled from the documentation."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from tribal.answering.focus import Focus
from tribal.answering.forms.amounts import amount
from tribal.answering.forms.common import not_said, unknown
from tribal.answering.forms.filled import Filled, Lack, Library
from tribal.answering.forms.meanings import asks_unit, meaning
from tribal.answering.forms.objects import columns, values, where
from tribal.answering.forms.pairs import difference, join
from tribal.answering.forms.rules import rule
from tribal.questions.words import question_words
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
    if identifier := _unknown_name(focus):
        lack = Lack("", "missing_information", f"nothing is called {identifier}")
        nearest = unknown(focus)
        return not_said(Filled(nearest.statements[1:], nearest.tables, [lack], is_answered=False))
    form = meaning if asks_unit(focus.question) or _names_one_thing(focus) else _FORMS.get(focus.intent, amount)
    found = form(focus, library)
    lacking = [word for word in focus.lacking(found.tables) if word not in found.words]
    if lacking and found.is_answered and focus.intent in _ABOUT_ONE:
        return unknown(focus)
    weights = {word.text: word.weight for word in focus.asked}
    if found.is_answered and sum(weights[word] for word in lacking) > 0.5 * sum(weights.values()):
        return unknown(focus)
    return found
