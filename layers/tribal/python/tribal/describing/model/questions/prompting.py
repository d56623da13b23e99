"""What all questions of a run share, and the size of answers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tribal.identity.hashing import object_hash
from tribal.ports import CallLimits
from tribal.prompt_templates import Prompts
from tribal.rendering.prompt_data import data_json
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
    is_strict: bool = False
    """Whether the model failed its test, so that its texts need evidence of their own."""

    @cached_property
    def prefix(self) -> str:
        """The same bytes in every question."""
        terms = self.settings.terms
        return self.prompts.fill(
            "system.md",
            language=self.settings.language,
            terms=data_json(dict(sorted(terms.items()))) if terms else "none",
        )

    @property
    def limits(self) -> CallLimits:
        """What one call may take."""
        settings = self.settings
        return CallLimits(settings.deadline_seconds, settings.longest_seconds, settings.idle_timeout_seconds)

    def max_tokens(self, columns: int) -> int:
        """The most tokens of an answer with a text and this many columns."""
        return TEXT_TOKENS + COLUMN_TOKENS * columns + self.thinking_tokens

    def key(self, shows: Any) -> str:
        """SHA-256 over the shown data, prompts, model, language and terms."""
        settings = self.settings
        return object_hash([shows, self.prompts.version, self.model, settings.language, settings.terms])
