"""What a request of ours is on the wire of the Messages API."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
    from anthropic.types.output_config_param import OutputConfigParam

    from tribal.ports import ModelFacts, ModelRequest


def message_body(request: ModelRequest, facts: ModelFacts) -> MessageCreateParamsNonStreaming:
    """The body of a request: the prefix is marked for the cache, and the answer has to follow the schema."""
    output: OutputConfigParam = {"format": {"type": "json_schema", "schema": dict(request.schema)}}
    if facts.effort is not None:
        output["effort"] = facts.effort  # type: ignore[typeddict-item]  # one that the table or a setting names
    body: MessageCreateParamsNonStreaming = {
        "model": facts.name,
        "max_tokens": request.max_tokens,
        "system": [{"type": "text", "text": request.prefix, "cache_control": {"type": "ephemeral"}}],
        "messages": [{"role": "user", "content": request.part}],
        "output_config": output,
    }
    if facts.thinking is not None:
        body["thinking"] = {"type": facts.thinking}  # type: ignore[typeddict-item,misc]
    return body
