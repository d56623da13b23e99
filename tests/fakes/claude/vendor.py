"""The models of the vendor, and what it refuses of a request.

Each rule cites where it stands: a page of https://platform.claude.com/docs, or a module of the SDK.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class VendorModel:
    """What the vendor says of a model (about-claude/pricing, about-claude/models, build-with-claude/thinking)."""

    prices: tuple[int, int, int, int]
    """Nanodollars a token: input, output, cache write, cache read."""
    thinking: frozenset[str]
    """Types of thinking that it takes."""
    thinks: bool = True
    """Whether it does so when nothing is sent."""
    dear_above: int | None = None
    """Tokens of prompt above which everything costs five times as much."""
    smallest_cached_prefix: int = 512


MODELS = {
    "claude-haiku-5-5": VendorModel((100, 500, 125, 10), frozenset({"adaptive", "disabled"}), dear_above=100_000),
    "claude-sonnet-5-5": VendorModel((2_000, 10_000, 2_500, 100), frozenset({"adaptive", "between_tools"})),
    "claude-opus-5-5": VendorModel((4_000, 20_000, 5_000, 200), frozenset({"adaptive"})),
    "claude-haiku-4-5": VendorModel(
        (1_000, 5_000, 1_250, 100), frozenset({"enabled", "disabled"}), thinks=False, smallest_cached_prefix=4096
    ),
}

_BEDROCK = re.compile(r"(?:.*/)?(?:[a-z-]+\.)?anthropic\.(claude-[a-z0-9-]+?)(?:-v\d+(?::\d+)?)?")


def model_named(name: str, *, bedrock: bool) -> VendorModel | None:
    """A model by the id that the endpoint knows it by."""
    found = _BEDROCK.fullmatch(name) if bedrock else None
    return MODELS.get(found[1] if found else "" if bedrock else name)


def refusals(body: Mapping[str, Any], model: VendorModel, *, bedrock: bool) -> Iterator[str]:
    """What the vendor answers 400 to, in a request whose fields are all known."""
    # https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-structured-outputs.html: not every model and
    # endpoint takes it; this one never does. The words are those of https://github.com/vercel/ai/issues/19988.
    if bedrock and "format" in (body.get("output_config") or {}):
        yield "output_config.format: Extra inputs are not permitted"
    # anthropic/types/message_create_params.py: `max_tokens: Required[int]`.
    if type(body.get("max_tokens")) is not int or body["max_tokens"] < 1:
        yield "max_tokens: Field required"
    # api/messages: sampling parameters are gone from the models of 5 and later, and from the types of the SDK.
    for name in ("temperature", "top_p", "top_k"):
        if name in body:
            yield f"{name}: not supported by this model"
    # api/errors#prefill-not-supported.
    if body.get("messages") and body["messages"][-1].get("role") == "assistant":
        yield "messages: this model does not support assistant message prefill"
    # build-with-claude/thinking#configuring-thinking: which types a model takes.
    thinking = body.get("thinking")
    if isinstance(thinking, dict) and thinking.get("type") not in model.thinking:
        yield f"thinking.type: '{thinking.get('type')}' is not supported by this model"
    # build-with-claude/prompt-caching: an empty text cannot be marked for the cache.
    for block in body.get("system") or ():
        if isinstance(block, dict) and block.get("cache_control") and not block.get("text"):
            yield "system: cache_control cannot be set for empty text blocks"
    # build-with-claude/structured-outputs#json-schema-limitations.
    schema = ((body.get("output_config") or {}).get("format") or {}).get("schema")
    if schema is not None:
        yield from _refused_schema(schema, "output_config.format.schema")


_UNSUPPORTED = ("minimum", "maximum", "multipleOf", "minLength", "maxLength", "maxItems", "uniqueItems")
"""Limits that the schema of an answer may not have; the SDK moves them into descriptions (lib/_parse/_transform.py)."""


def _refused_schema(schema: object, path: str) -> Iterator[str]:
    if isinstance(schema, list):
        for number, item in enumerate(schema):
            yield from _refused_schema(item, f"{path}.{number}")
    if not isinstance(schema, dict):
        return
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        yield f"{path}: for 'object' type, 'additionalProperties' must be explicitly set to false"
    for name in _UNSUPPORTED:
        if name in schema:
            yield f"{path}: property '{name}' is not supported"
    for name, member in schema.items():
        if name in ("properties", "$defs") and isinstance(member, dict):
            for key, value in member.items():
                yield from _refused_schema(value, f"{path}.{name}.{key}")
        elif name in ("items", "anyOf", "allOf"):
            yield from _refused_schema(member, f"{path}.{name}")
