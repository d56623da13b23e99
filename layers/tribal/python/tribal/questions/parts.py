"""Splits a question that asks for several things. No I/O."""

from __future__ import annotations

import re

from tribal.questions.intents import intent_of
from tribal.questions.pointers import has_subject, pointers

MOST_PARTS = 3
"""The most parts that a question is split into; the last one keeps the rest. By judgement."""
_BREAK = re.compile(
    r"[?;]\s+(?:(?:and|also)\b\s*)*(?=\w)|,?\s+(?P<and>and)(?: also)?\s+(?=(?:how|what|which|where|can)\b)",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\bbetween\b(?!.*\band\b)", re.IGNORECASE)
_BEGINS = re.compile(
    r"(?:how|what|which|where|who|can|may|must|could|is|are|does|do|list|show|count|explain|compare)\b", re.IGNORECASE
)


def parts_of(question: str) -> list[str]:
    """Return what a question asks, in order; most questions have one part.

    A part may refer to those before it by a pronoun.
    """
    parts, start = list[str](), 0
    for found in _BREAK.finditer(question):
        left, right = question[start : found.start()], question[found.end() :]
        if (
            len(parts) < MOST_PARTS - 1
            and _is_question(left)
            and _is_question(right)
            and not _continues(left, right, found)
        ):
            parts.append(f"{left}?")
            start = found.end()
    return [*parts, question[start:]]


def _is_question(text: str) -> bool:
    is_framed = _BEGINS.match(text.strip()) and intent_of(text).kind != "other"
    return bool(is_framed) and (has_subject(text) or bool(pointers(text)))


def _continues(left: str, right: str, found: re.Match[str]) -> bool:
    """Whether an "and" joins clauses of one question: "which are paid and which are open"."""
    if found["and"] is None:
        return False
    if _BETWEEN.search(left):
        return True
    kind = intent_of(right).kind
    return kind == "amount" and (intent_of(left).kind == "amount" or not right.lower().startswith("how"))
