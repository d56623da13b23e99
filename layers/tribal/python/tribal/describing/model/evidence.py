"""What a question shows of each subject, so that a text that shares nothing with its subject is found."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from tribal.describing.model.questions import Question, TableData, shown_table
from tribal.describing.model.questions.table_handles import OWN, place_of
from tribal.describing.rules.column_facts import ColumnFacts
from tribal.text_checks import KnownNames
from tribal.text_checks.evidence import EvidenceCheck, Subject

_LITERAL = re.compile(r"'([^']{1,40})'|(?<![\w.])(\d{1,3})(?![\w.])")
_LONGEST_RANGE = 10
"""The most values of a range of codes, as in the rule `figure`."""
_CHECK_CHARS = 2_000
_BOOLEANS = ("0", "1")


class AnswerEvidence:
    """Finds the texts of an answer that are not about their subject.

    Args:
        question: shows the table, or the tables of the domain.
        known: the names of the catalog.
    """

    def __init__(self, question: Question, known: KnownNames | None) -> None:
        self._question = question
        self._known = known
        self._table = shown_table(question)

    def is_unsupported(self, text: str, subject: str) -> bool:
        """Whether a text, with its handles, shares no evidence with a column, or with the table or domain itself.

        Args:
            text: as the model wrote it.
            subject: the column; empty for the table or the domain.
        """
        return bool(text) and self._check.is_unsupported(text, self._subject(subject))

    @cached_property
    def _check(self) -> EvidenceCheck:
        shown = self._question.shown
        return EvidenceCheck(
            names=shown.own or shown.others,
            surroundings=tuple(
                part for handle in self._question.handles.values() if handle.kind == "table" for part in handle.parts
            ),
            texts=(*shown.human_text, *shown.texts, *shown.declared),
            handles=self._question.handles.keys(),
            known=self._known,
            language=self._question.language,
            is_strict=self._question.is_strict,
        )

    def _subject(self, subject: str) -> Subject:
        shown, data = self._question.shown, self._table
        if data is None or not subject:
            return Subject(names=shown.own[:1] or shown.others)
        return _column(data, data.handles.facts[int(data.handles.columns[subject][1:]) - 1])


def _column(data: TableData, fact: ColumnFacts) -> Subject:
    column, human = fact.column, data.context.human.columns.get(fact.column.name, "")
    return Subject(
        names=(column.name,),
        related=(*data.handles.all[OWN].parts[1:], *_referenced(data, fact)),
        values=tuple(_values(fact)),
        texts=tuple(filter(None, (human, column.comment, *fact.samples.values, *fact.samples.patterns))),
        type=column.base_type or column.type,
    )


def _referenced(data: TableData, fact: ColumnFacts) -> Iterator[str]:
    """The tables that declared and likely keys of a column reference."""
    yield from (key.references_table for key in fact.foreign_keys)
    own = (data.context.table.schema_name, data.context.table.table_name)
    for key in data.context.inferred_keys:
        if fact.column.name in key.from_columns and place_of(key.from_table) == own:
            yield place_of(key.to_table)[1]


def _values(fact: ColumnFacts) -> Iterator[str]:
    """The values that the type, checks and a look-up table allow, and all numbers of a short range."""
    yield from fact.values
    if lookup := fact.context.lookups.get(fact.column.name):
        yield from (*lookup.values, *lookup.meanings.values())
    if fact.family == "boolean" or (fact.column.base_type or "").startswith("bool"):
        yield from _BOOLEANS
    mentioned = re.compile(rf"(?<!\w){re.escape(fact.column.name)}(?!\w)")
    for check in fact.context.table.checks:
        expression = check.expression[:_CHECK_CHARS]
        if mentioned.search(expression):
            found = _LITERAL.findall(expression)
            yield from (label for label, _ in found if label)
            numbers = [int(number) for _, number in found if number]
            if numbers and max(numbers) - min(numbers) <= _LONGEST_RANGE:
                yield from map(str, range(min(numbers), max(numbers) + 1))
