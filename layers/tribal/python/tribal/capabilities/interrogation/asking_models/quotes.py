"""Estimate what sessions with models cost, before anything is sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tribal.capabilities.interrogation.asking_models.requests import (
    ANALYSIS_SCHEMA,
    ANSWER_SCHEMA,
    AUDIT_SCHEMA,
    QUESTION_SCHEMA,
)
from tribal.ports import ModelFacts
from tribal.ports.models.calls import BYTES_A_TOKEN
from tribal.prompt_templates import Prompts
from tribal.rendering.prompt_data import data_json
from tribal_contracts import ModelQuote, ModelUsage

# Sizes are assumed, not measured.
_SECONDS_A_CALL = 5.0
_QUESTION_BYTES, _ANSWER_BYTES, _GAPS_BYTES, _CONTEXT_BYTES = 200, 900, 900, 12_000
_QUESTION_TOKENS, _ANALYSIS_TOKENS, _ANSWER_TOKENS, _AUDIT_TOKENS = 60, 250, 200, 350


def quote_session(
    prompts: Prompts, detective: ModelFacts | None, witness: ModelFacts | None, iterations: int
) -> ModelQuote:
    """Estimate the cost of a session with the maximum number of questions, without repairs, fallbacks and caches."""
    pair, quote = _QUESTION_BYTES + _ANSWER_BYTES, ModelQuote()
    for number in range(iterations):
        before = _QUESTION_BYTES + number * pair + _GAPS_BYTES
        if detective is not None:
            quote += _call(
                detective, _sent(prompts, "detective_question.md", QUESTION_SCHEMA, before), _QUESTION_TOKENS
            )
            sent = _sent(prompts, "detective_analysis.md", ANALYSIS_SCHEMA, before + pair)
            quote += _call(detective, sent, _ANALYSIS_TOKENS)
        if witness is not None:
            quote += _call(witness, _sent(prompts, "witness.md", ANSWER_SCHEMA, _CONTEXT_BYTES), _ANSWER_TOKENS)
    if detective is not None:
        sent = _sent(prompts, "detective_audit.md", AUDIT_SCHEMA, iterations * pair + _GAPS_BYTES)
        quote += _call(detective, sent, _AUDIT_TOKENS)
    return quote


def _sent(prompts: Prompts, name: str, schema: Mapping[str, Any], part_bytes: int) -> int:
    return len(prompts.texts[name].encode()) + len(data_json(schema)) + part_bytes


def _call(model: ModelFacts, sent_bytes: int, answer_tokens: int) -> ModelQuote:
    # Half of the tokens for thinking are expected.
    usage = ModelUsage(
        input_tokens=-(-sent_bytes // BYTES_A_TOKEN), output_tokens=answer_tokens + model.thinking_tokens // 2
    )
    return ModelQuote(calls=1, tokens=usage.tokens, nanodollars=model.cost(usage), seconds=_SECONDS_A_CALL)
