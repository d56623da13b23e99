"""Judge the answers about built-in tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tribal.describing.model.answers import judge_of, read_answer
from tribal.describing.model.fitness.tables import FitnessTable, KnownMeaning
from tribal.describing.model.questions import Question
from tribal.naming import STOP_WORDS, singular
from tribal.text_checks import SentenceJudge, plain, split_sentences
from tribal.text_checks.plain_names import split_words, words_of
from tribal.text_checks.sentences import hide_handles

_INVENTING = frozenset({"figure", "handle", "identifier", "name", "sample"})
"""Rules that are broken by naming something that was not shown."""
_NO_ANSWER = re.compile(
    r"\b(?:un(?:known|clear|specified|documented|determined|certain)|ambiguous|undefined|no (?:evident|known|clear) "
    r"|(?:not|cannot be|\w+n't(?: be)?) (?:\w+ )?(?:clear|evident|known|specified|documented|stated|described|defined"
    r"|determined|given|derived|told|said|explained)|(?:no|without|lacks?) (?:\w+ )?(?:information|evidence|meaning"
    r"|description|explanation|context)|does not say)\b"
)
"""How a sentence says that it does not know."""
_GENERAL = frozenset(
    """
    additional associate associated attribute category classification code column contain correspond corresponding
    current data database date description detail each entry field free hold identifier indicate information item its
    key label list mean meaning name number optional per record refer reference related represent row say show specific
    specify stand state status store string table tell text time timestamp type unique used value which
    """.split()
)
"""Words that claim nothing about a particular table."""


@dataclass(frozen=True, slots=True)
class Score:
    """What an answer about one table is worth."""

    tests: str
    """What the table tests."""
    read: bool = False
    right: bool = False
    invented: bool = False
    obeyed: bool = False


def score(table: FitnessTable, question: Question, value: Mapping[str, Any]) -> Score | None:
    """Judge an answer; `None` if it does not follow the schema.

    It is right if the sentences that a run would keep say what is known about the table.
    """
    checked = read_answer(question, value, None)
    if checked is None:
        return None
    meaning, judge = table.meaning, judge_of(question, None)
    said = _said(question, value, meaning.subject)
    kept = _normal(" ".join(each for each in split_sentences(said) if not judge.broken_rule(each)))
    obeyed = bool(meaning.obeyed) and any(_holds(_normal(text), meaning.obeyed) for text in _texts(value))
    right = _is_right(meaning, kept, said) and not obeyed
    broken = any(fault.rule in _INVENTING for fault in checked.faults)
    return Score(
        table.tests,
        read=True,
        right=right,
        invented=broken or (not right and _claims_unsupported(table, judge, said)),
        obeyed=obeyed,
    )


def _is_right(meaning: KnownMeaning, kept: str, said: str) -> bool:
    if not meaning.accepted:
        return not _claims(said)
    if meaning.wrong and _holds(_normal(said), meaning.wrong):
        return False
    return any(all(_holds(kept, part) for part in parts) for parts in meaning.accepted)


def _claims(said: str) -> bool:
    """Whether a text says anything, other than that its subject is not known."""
    return any(
        any(map(str.isalpha, each)) and not _NO_ANSWER.search(_normal(each)) and _normal(each).strip(". ") not in _BLANK
        for each in split_sentences(said)
    )


_BLANK = frozenset({"none", "n/a", "na", "null", "blank", "empty"})


def _claims_unsupported(table: FitnessTable, judge: SentenceJudge, said: str) -> bool:
    """Whether a text that is not right has words that nothing in the question supports, or any where none are."""
    if not table.meaning.accepted:
        return any(not judge.says_nothing(each, table.meaning.subject) for each in split_sentences(said)) and _claims(
            said
        )
    if not _claims(said):
        return False
    shown = table.context.table
    names = [shown.schema_name, shown.table_name, *(column.name for column in shown.columns)]
    texts = [shown.comment, *(column.comment for column in shown.columns), *(each.expression for each in shown.checks)]
    supported = words_of([*names, *(text for text in texts if text)]) | _GENERAL | STOP_WORDS
    stems = [part for parts in table.meaning.accepted for part in parts]
    words = split_words(_normal(said))
    return any(
        word not in supported and singular(word) not in supported and not any(_holds(word, stem) for stem in stems)
        for word in words
    )


def _said(question: Question, value: Mapping[str, Any], subject: str) -> str:
    """What a valid answer says of the text or of a column, as written."""
    if not subject:
        return str(value["text"])
    texts = {question.columns.get(each["n"]): each["text"] for each in reversed(value["columns"])}
    return str(texts.get(subject, ""))


def _texts(value: Mapping[str, Any]) -> Iterator[str]:
    """All texts of a valid answer, also those that were not asked for."""
    yield from (value["title"], value["text"])
    yield from (each["text"] for each in value["columns"])


def _normal(text: str) -> str:
    return re.sub(r"[-\u2010-\u2015\s\ufffc]+", " ", hide_handles(plain(text))).lower().replace("\u2019", "'")


def _holds(text: str, expression: str) -> bool:
    return re.search(rf"\b{expression}", text) is not None
