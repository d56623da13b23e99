"""Read answers: fill in handles, and drop sentences that break a rule."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tribal.describing.model.evidence import AnswerEvidence
from tribal.describing.model.questions import Question
from tribal.rendering.prompt_data import data_json
from tribal.text_checks import RULES, UNSUPPORTED, KnownNames, SentenceJudge, split_sentences
from tribal_contracts import DroppedSentence

TITLE = "title"
"""The subject of a fault in a domain's title; for one in the text, the subject is empty."""
MAX_TITLE_CHARS = 60
MAX_TEXT_CHARS = 800
MAX_COLUMN_CHARS = 300
"""Limits of published texts; sentences beyond are faults. A judgement: what reads well on a page."""
_MAX_ANSWER_CHARS = 10_000
"""The part of a text that is checked; the schema has no limit."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A sentence that breaks a rule."""

    subject: str
    """Name of the column; empty for the text, `title` for the title of a domain."""
    rule: str
    """One of `RULES`."""
    sentence: str
    """As the model wrote it, or all sentences of an unsupported text; used only in the repair request."""


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """The valid part of an answer, safe to publish as plain text, and the faults."""

    title: str = ""
    text: str = ""
    """Empty if nothing is valid."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """By column; columns without valid text are missing."""
    faults: tuple[Fault, ...] = ()
    """Sentences that broke a rule; they are not in the texts."""

    @property
    def texts(self) -> dict[str, str]:
        """All valid texts, by subject as in `Fault`."""
        return {subject: text for subject, text in ((TITLE, self.title), ("", self.text)) if text} | dict(self.columns)

    @property
    def needs_repair(self) -> bool:
        """Whether there is something to repair."""
        return bool(self.faults)

    @property
    def dropped(self) -> list[DroppedSentence]:
        """The faults as recorded, without the sentences."""
        return [DroppedSentence(subject=fault.subject, rule=fault.rule) for fault in self.faults]


@dataclass(frozen=True, slots=True)
class _Answer:
    """An answer that matches the schema, limited to what was asked."""

    title: str
    text: str
    columns: Mapping[str, str]


def judge_of(question: Question, known: KnownNames | None) -> SentenceJudge:
    """What checks the sentences of the answer to a question, by all rules."""
    return SentenceJudge(question.shown, question.handles, known, question.language)


def read_answer(question: Question, value: Mapping[str, Any], known: KnownNames | None) -> CheckedAnswer | None:
    """Check an answer; `None` if it does not follow the schema.

    Subjects that the question did not ask for are ignored. Without `known`, names in plain words are only found before
    a word such as "table".
    """
    answer = _parsed(question, value)
    if answer is None:
        return None
    reader = _Reader(judge_of(question, known), AnswerEvidence(question, known), question.examples)
    own = question.shown.own[0] if question.kind == "table" else ""
    text = reader.read(answer.text, "", own, MAX_TEXT_CHARS)
    return CheckedAnswer(
        # A title may sum up what the text says in detail.
        title=reader.read(answer.title, TITLE, TITLE, MAX_TITLE_CHARS, supported=bool(text)) if answer.title else "",
        text=text,
        columns={
            name: kept
            for name, written in answer.columns.items()
            if (kept := reader.read(written, name, name, MAX_COLUMN_CHARS))
        },
        faults=tuple(reader.faults),
    )


def repair_part(question: Question, reading: CheckedAnswer) -> str:
    """The part of a request that asks for the faulty subjects again: `question.request(deadline, part)`."""
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
    question: Question, reading: CheckedAnswer, value: Mapping[str, Any], known: KnownNames | None
) -> CheckedAnswer | None:
    """Merge a repair into the first answer; `None` if the repair does not follow the schema.

    If the repair of a subject is empty or invalid, its first text is kept. The faults are those that remain.
    """
    second = read_answer(question, value, known)
    if second is None:
        return None
    faulty = {fault.subject for fault in reading.faults}
    repaired = {subject: text for subject, text in second.texts.items() if subject in faulty and text}
    faults = [fault for fault in second.faults if fault.subject in faulty]
    silent = faulty - repaired.keys() - {fault.subject for fault in faults}
    faults += [fault for fault in reading.faults if fault.subject in silent]
    texts = reading.texts | repaired
    return replace(
        reading,
        title=texts.pop(TITLE, "") if question.kind == "domain" else "",
        text=texts.pop("", ""),
        columns=texts,
        faults=tuple(faults),
    )


def _parsed(question: Question, value: Mapping[str, Any]) -> _Answer | None:
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


@dataclass(frozen=True, slots=True)
class _Reader:
    """Checks the texts of one answer."""

    judge: SentenceJudge
    evidence: AnswerEvidence
    examples: Collection[str]
    """Sentences of the prompt, which describe nothing here."""
    faults: list[Fault] = field(default_factory=list)

    def read(self, text: str, subject: str, name: str, limit: int, *, supported: bool = False) -> str:
        """Return the sentences that break no rule, with handles replaced by names; the others become faults.

        If what is left shares no evidence with its subject, nothing is.

        Args:
            text: as the model wrote it.
            subject: as in `Fault`.
            name: what a sentence may not merely repeat.
            limit: the most characters.
            supported: needs no evidence.
        """
        kept, raw = "", list[str]()
        for sentence in split_sentences(text[:_MAX_ANSWER_CHARS]):
            rule = "copied" if sentence in self.examples else self.judge.broken_rule(sentence)
            if not rule and self.judge.says_nothing(sentence, name):
                continue
            if not rule:
                longer = f"{kept} {self.judge.filled(sentence)}".strip()
                if len(longer) <= limit:
                    kept = longer
                    raw.append(sentence)
                    continue
                rule = "length"
            self.faults.append(Fault(subject, rule, sentence))
        if supported or not self.evidence.is_unsupported(" ".join(raw), subject):
            return kept
        self.faults.append(Fault(subject, UNSUPPORTED, " ".join(raw)))
        return ""
