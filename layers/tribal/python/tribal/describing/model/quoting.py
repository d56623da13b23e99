"""Estimate what questions will cost."""

from __future__ import annotations

from collections.abc import Iterable

from tribal.describing.model.questions import ANSWER_SCHEMA, Prompting, Question
from tribal.ports import ModelFacts, ModelRequest
from tribal_contracts import ModelQuote, ModelUsage

SECONDS_A_CALL = 8.0
"""Typical response time; an estimate."""
_BYTES_A_TOKEN = 3
# Typical lengths in tokens, estimated: a short sentence per column, two or three per table, plus JSON.
_TEXT_TOKENS = 100
_COLUMN_TOKENS = 35
_DOMAIN_TABLE_BYTES = 160
"""Per table in a question about a domain: its name and the start of its description."""
_SCHEMA_BYTES = ModelRequest("", "", ANSWER_SCHEMA, 1, 1.0).size_bytes


def quote_questions(questions: Iterable[Question], prompting: Prompting, facts: ModelFacts) -> ModelQuote:
    """The cost of these questions if each is answered at the first attempt."""
    quote = ModelQuote()
    for question in questions:
        answer = _TEXT_TOKENS * question.asks_text + _COLUMN_TOKENS * len(question.columns)
        quote += _call(len(question.request_part.encode()), answer, prompting, facts)
    return quote


def quote_domain(tables: int, prompting: Prompting, facts: ModelFacts) -> ModelQuote:
    """The cost of a question about a domain with this many tables."""
    return _call(_DOMAIN_TABLE_BYTES * tables, _TEXT_TOKENS, prompting, facts)


def _call(part_bytes: int, answer_tokens: int, prompting: Prompting, facts: ModelFacts) -> ModelQuote:
    sent = -(-(len(prompting.prefix.encode()) + _SCHEMA_BYTES + part_bytes) // _BYTES_A_TOKEN)
    came = answer_tokens + prompting.thinking_tokens // 2
    return ModelQuote(
        calls=1,
        tokens=sent + came,
        nanodollars=facts.cost(ModelUsage(input_tokens=sent, output_tokens=came)),
        seconds=round(SECONDS_A_CALL / prompting.settings.calls_at_once, 3),
    )
