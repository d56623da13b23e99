"""The wire format of a request to the Messages API."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anthropic.types.output_config_param import OutputConfigParam
    from anthropic.types.text_block_param import TextBlockParam

    from tribal.ports import ModelFacts, ModelRequest


@dataclass(frozen=True, slots=True)
class Wire:
    """How an endpoint differs from Anthropic's own."""

    binds_answers: bool = True
    """Whether it enforces a schema for answers. If not, the prompt asks for the schema."""
    more: Mapping[str, str] = field(default_factory=dict)
    """More members of the body of each request."""

    def body(self, request: ModelRequest, facts: ModelFacts) -> dict[str, Any]:
        """The body of a request. The part that all requests of a run share comes first and is marked for the cache."""
        body = {
            "model": facts.name,
            "max_tokens": request.max_tokens,
            "system": self._system(request),
            "messages": [{"role": "user", "content": request.part}],
            **self.more,
        }
        if output := self._output(request, facts):
            body["output_config"] = output
        if facts.thinking is not None:
            body["thinking"] = {"type": facts.thinking}
        return body

    def _system(self, request: ModelRequest) -> list[TextBlockParam]:
        texts = [request.prefix] if self.binds_answers else [request.prefix, request.schema_in_words]
        blocks: list[TextBlockParam] = [{"type": "text", "text": text} for text in texts]
        # All blocks up to the marked one are cached together.
        blocks[-1]["cache_control"] = {"type": "ephemeral"}
        return blocks

    def _output(self, request: ModelRequest, facts: ModelFacts) -> OutputConfigParam:
        output: OutputConfigParam = {}
        if self.binds_answers:
            output["format"] = {"type": "json_schema", "schema": dict(request.schema)}
        if facts.effort is not None:
            output["effort"] = facts.effort  # type: ignore[typeddict-item]  # one that the table or a setting names
        return output
