"""What questions would cost, before they are asked."""

from __future__ import annotations

from collections.abc import Iterable

from tribal.describing.model.questions import ANSWER_SCHEMA, Asking, Question
from tribal.ports import ModelFacts, ModelRequest
from tribal_contracts import ModelQuote, ModelUsage

SECONDS_A_CALL = 8.0
"""Usual time of an answer, by judgement."""
_BYTES_A_TOKEN = 3
# Usual lengths in tokens, by judgement: a short sentence about a column, two or three about a table, and JSON around.
_TEXT_TOKENS = 100
_COLUMN_TOKENS = 35
_DOMAIN_TABLE_BYTES = 160
"""Of a table in the question about its domain: its name and the beginning of its description."""
_SCHEMA_BYTES = ModelRequest("", "", ANSWER_SCHEMA, 1, 1.0).size_bytes


def quote_questions(questions: Iterable[Question], asking: Asking, facts: ModelFacts) -> ModelQuote:
    """What these questions would cost, each answered at once."""
    quote = ModelQuote()
    for question in questions:
        answer = _TEXT_TOKENS * question.asks_text + _COLUMN_TOKENS * len(question.columns)
        quote += _call(len(question.request_part.encode()), answer, asking, facts)
    return quote


def quote_domain(tables: int, asking: Asking, facts: ModelFacts) -> ModelQuote:
    """What the question about a domain of so many tables would cost."""
    return _call(_DOMAIN_TABLE_BYTES * tables, _TEXT_TOKENS, asking, facts)


def _call(part_bytes: int, answer_tokens: int, asking: Asking, facts: ModelFacts) -> ModelQuote:
    sent = -(-(len(asking.prefix.encode()) + _SCHEMA_BYTES + part_bytes) // _BYTES_A_TOKEN)
    came = answer_tokens + asking.thinking_tokens // 2
    return ModelQuote(
        calls=1,
        tokens=sent + came,
        nanodollars=facts.cost(ModelUsage(input_tokens=sent, output_tokens=came)),
        seconds=round(SECONDS_A_CALL / asking.settings.calls_at_once, 3),
    )
