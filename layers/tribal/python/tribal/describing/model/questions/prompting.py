"""What all questions of a run share, the size of answers, and JSON that cannot break out of its place in a prompt."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tribal.describing.model.questions.prompts import Prompts
from tribal.identity.hashing import object_hash
from tribal.sql.visibility import is_visible
from tribal_contracts import ModelSettings

TEXT_TOKENS = 400
"""Tokens for the text, the title and the JSON around them."""
COLUMN_TOKENS = 70
"""Tokens for a column's sentence. Both are a judgement: three times what such English sentences need."""


@dataclass(frozen=True)
class Prompting:
    """The prompts, the settings and the model of a run."""

    prompts: Prompts
    settings: ModelSettings
    model: str
    """`LanguageModel.name`, such as `anthropic/claude-haiku-5-5`."""
    thinking_tokens: int = 0
    """Tokens for thinking in `max_tokens`, for models that cannot turn it off."""

    @cached_property
    def prefix(self) -> str:
        """The same bytes in every question."""
        terms = self.settings.terms
        return self.prompts.fill(
            "system.md",
            language=self.settings.language,
            terms=data_json(dict(sorted(terms.items()))) if terms else "none",
        )

    def max_tokens(self, columns: int) -> int:
        """The most tokens of an answer with a text and this many columns."""
        return TEXT_TOKENS + COLUMN_TOKENS * columns + self.thinking_tokens

    def key(self, shows: Any) -> str:
        """SHA-256 over the shown data, prompts, model, language and terms."""
        settings = self.settings
        return object_hash([shows, self.prompts.version, self.model, settings.language, settings.terms])


# What could close a tag or a fence, or begin an entity.
_MARKS = re.compile(r"[<>&`]")


def data_json(value: Any) -> str:
    """Compact JSON on one line, with markup and invisible characters escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if not (text.isascii() and text.isprintable()):
        text = "".join(char if is_visible(char) else _escaped(char) for char in text)
    return _MARKS.sub(lambda found: _escaped(found.group()), text)


def _escaped(char: str) -> str:
    data = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{int.from_bytes(data[at : at + 2], 'big'):04x}" for at in range(0, len(data), 2))
