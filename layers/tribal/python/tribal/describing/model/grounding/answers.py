"""Reads answers: fills in handles, and keeps the sentences that break no rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tribal.describing.model.grounding.judging import RULES, Judge
from tribal.describing.model.grounding.known_names import KnownNames
from tribal.describing.model.grounding.sentences import split_sentences
from tribal.describing.model.questions import Question
from tribal.describing.model.questions.escaping import data_json
from tribal_contracts import DroppedSentence

TITLE = "title"
"""The subject of a fault in the title of a domain; that of one in the text is empty."""
MAX_TITLE_CHARS = 60
MAX_TEXT_CHARS = 800
MAX_COLUMN_CHARS = 300
"""Of texts that are kept; sentences beyond are faults. By judgement: what reads well on a page."""
_MAX_ANSWER_CHARS = 10_000
"""Of any text that is looked at; the schema bounds none."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A sentence that breaks a rule."""

    subject: str
    """Name of the column; empty for the text, `title` for the title of a domain."""
    rule: str
    """One of `RULES`."""
    sentence: str
    """As the model wrote it: goes nowhere but into the repair."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What is kept of an answer, safe to publish as plain text, and what is not."""

    title: str = ""
    text: str = ""
    """Empty if nothing is kept."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """By column; those of which nothing is kept are not here."""
    faults: tuple[Fault, ...] = ()
    """Sentences that broke a rule; none of them is in the texts."""

    @property
    def texts(self) -> dict[str, str]:
        """All that is kept, by subject as in `Fault`."""
        return {subject: text for subject, text in ((TITLE, self.title), ("", self.text)) if text} | dict(self.columns)

    @property
    def needs_repair(self) -> bool:
        """Whether a repair may win back what broke a rule."""
        return bool(self.faults)

    @property
    def dropped(self) -> list[DroppedSentence]:
        """The faults as they are recorded, without the sentences."""
        return [DroppedSentence(subject=fault.subject, rule=fault.rule) for fault in self.faults]


@dataclass(frozen=True, slots=True)
class _Answer:
    """An answer of the right shape: what it says of what was asked."""

    title: str
    text: str
    columns: Mapping[str, str]


def read_answer(question: Question, value: Mapping[str, Any], known: KnownNames | None) -> Reading | None:
    """What is kept of an answer; `None` if the answer does not follow the schema.

    Subjects that the question did not ask for are passed over. Without `known` names in plain words are found only
    where a word such as "table" follows them.
    """
    answer = _shaped(question, value)
    if answer is None:
        return None
    judge = Judge(question, known)
    faults: list[Fault] = []
    return Reading(
        title=_kept(judge, TITLE, answer.title, MAX_TITLE_CHARS, faults),
        text=_kept(judge, "", answer.text, MAX_TEXT_CHARS, faults),
        columns={
            name: kept
            for name, text in answer.columns.items()
            if (kept := _kept(judge, name, text, MAX_COLUMN_CHARS, faults))
        },
        faults=tuple(faults),
    )


def repair_part(question: Question, reading: Reading) -> str:
    """The part of the one request that asks for the faulty subjects again: `question.request(deadline, part)`."""
    numbers = {name: number for number, name in question.columns.items()}
    faults = [
        {
            "subject": numbers.get(fault.subject) or ("title" if fault.subject == TITLE else "text"),
            "sentence": fault.sentence,
            "broke": RULES[fault.rule],
        }
        for fault in reading.faults
    ]
    return question.prompts.fill("repair.md", question=question.request_part, faults=data_json(faults))


def read_repair(
    question: Question, reading: Reading, value: Mapping[str, Any], known: KnownNames | None
) -> Reading | None:
    """The first reading with repaired subjects in their place; `None` if the answer does not follow the schema.

    Of a subject that the repair leaves empty, or of which nothing can be kept again, what was kept first stays. The
    faults are those that no repair has mended.
    """
    second = read_answer(question, value, known)
    if second is None:
        return None
    faulty = {fault.subject for fault in reading.faults}
    mended = {subject: text for subject, text in second.texts.items() if subject in faulty and text}
    faults = [fault for fault in second.faults if fault.subject in faulty]
    silent = faulty - mended.keys() - {fault.subject for fault in faults}
    faults += [fault for fault in reading.faults if fault.subject in silent]
    texts = reading.texts | mended
    return replace(
        reading,
        title=texts.pop(TITLE, "") if question.kind == "domain" else "",
        text=texts.pop("", ""),
        columns=texts,
        faults=tuple(faults),
    )


def _shaped(question: Question, value: Mapping[str, Any]) -> _Answer | None:
    title, text, columns = value.get("title"), value.get("text"), value.get("columns")
    if not isinstance(title, str) or not isinstance(text, str) or not isinstance(columns, list):
        return None
    texts: dict[str, str] = {}
    for column in columns:
        if not isinstance(column, Mapping) or not isinstance(column.get("text"), str):
            return None
        number = column.get("n")
        if not isinstance(number, int) or isinstance(number, bool):
            return None
        if number in question.columns:
            texts.setdefault(question.columns[number], column["text"])
    return _Answer(title if question.kind == "domain" else "", text if question.asks_text else "", texts)


def _kept(judge: Judge, subject: str, text: str, limit: int, faults: list[Fault]) -> str:
    """The sentences that break no rule, with names in the place of handles; adds the others to the faults."""
    kept = ""
    own = judge.question.shown.own[0] if judge.question.kind == "table" else ""
    for sentence in split_sentences(text[:_MAX_ANSWER_CHARS]):
        rule = judge.broken_rule(sentence)
        if not rule and judge.says_nothing(sentence, subject or own):
            continue
        if not rule:
            longer = f"{kept} {judge.filled(sentence)}".strip()
            if len(longer) <= limit:
                kept = longer
                continue
            rule = "length"
        faults.append(Fault(subject, rule, sentence))
    return kept
