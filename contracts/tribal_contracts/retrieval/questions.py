"""How a question was read. An extension contract; docs/contracts.md says what the fields mean."""

from __future__ import annotations

from typing import Literal

from tribal_contracts.core.shape import Contract, Count, Unset, optional

QuestionIntent = Literal[
    "meaning", "values", "columns", "join", "where", "amount", "difference", "rule", "inventory", "order", "other"
]
MentionKind = Literal["table", "column", "value", "domain", "query", "metric", "term", "decision", "memory"]
Explanation = Literal["name", "column", "value", "text", "synonym", "time", "quantity", "question", "ordinary"]


class Mention(Contract):
    """Something documented that a question names."""

    kind: MentionKind
    name: str
    """Its qualified name; of a value, its column's and the value."""
    text: str
    """As it is written in the question."""
    start: Count
    """Where that begins, in characters from 0."""
    exact: bool
    """Whether it is written as it is named, except for case."""


class ReadWord(Contract):
    """A word of a question, and what explains it."""

    word: str
    explained_by: Explanation | Unset = optional("Absent if nothing explains the word.")
    negated: Literal[True] | Unset = optional("Whether the question denies it, as in `not paid`.")


class QuestionReading(Contract):
    """A question, read against what is documented."""

    intent: QuestionIntent
    mentions: list[Mention]
    words: list[ReadWord]
