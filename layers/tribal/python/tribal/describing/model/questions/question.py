"""A question to a model: what is sent, and what is needed to check the answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from tribal.ports import CallLimits, ModelRequest
from tribal.prompt_templates import Prompts
from tribal.text_checks import Handle, ShownText

ANSWER_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "text": {"type": "string"},
        "columns": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"n": {"type": "integer"}, "text": {"type": "string"}},
                "required": ["n", "text"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["title", "text", "columns"],
    "additionalProperties": False,
}
"""The schema of every answer: about a table, a slice of its columns, a domain, or a repair."""


_EXAMPLE = re.compile(r'"text": ?"([^"]+)"')


@dataclass(frozen=True)
class Question:
    """One question about a table, a slice of its columns, or a domain."""

    subject: str
    """Fully qualified name of the table, or the name of the domain."""
    kind: Literal["table", "domain"]
    request_prefix: str
    """The same bytes in every question of a run."""
    request_part: str
    max_tokens: int
    handles: Mapping[str, Handle]
    """By handle, without brackets."""
    columns: Mapping[int, str]
    """The columns asked for: name by number."""
    asks_text: bool
    shown: ShownText
    prompts: Prompts
    language: str = "English"
    is_strict: bool = False
    """Whether its answer is by a model that failed its test, so that texts need evidence of their own."""
    source: Any = field(default=None, repr=False, compare=False)
    """What `halved`, `narrowed` and `leaner` build other questions from."""

    @cached_property
    def examples(self) -> frozenset[str]:
        """The texts of the prompt's example, which small models repeat."""
        return frozenset(_EXAMPLE.findall(self.request_prefix))

    @property
    def schema(self) -> Mapping[str, Any]:
        """The schema of the answer."""
        return ANSWER_SCHEMA

    def request(self, limits: CallLimits, part: str | None = None) -> ModelRequest:
        """The request; `part` replaces its part, for example for a repair."""
        return ModelRequest(
            prefix=self.request_prefix,
            part=self.request_part if part is None else part,
            schema=ANSWER_SCHEMA,
            max_tokens=self.max_tokens,
            deadline_seconds=limits.deadline_seconds,
            longest_seconds=limits.longest_seconds,
            idle_seconds=limits.idle_seconds,
        )
