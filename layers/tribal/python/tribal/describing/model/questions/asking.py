"""What is the same for all questions of a run, and how much an answer may have."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tribal.describing.model.questions.escaping import data_json
from tribal.describing.model.questions.prompts import Prompts
from tribal.identity.hashing import object_hash
from tribal_contracts import ModelSettings

TEXT_TOKENS = 400
"""Room for the text, the title and the JSON around everything."""
COLUMN_TOKENS = 70
"""Room for a column's sentence. Both by judgement: three times what English sentences of that length need."""


@dataclass(frozen=True)
class Asking:
    """The prompts, the settings and the model of a run."""

    prompts: Prompts
    settings: ModelSettings
    model: str
    """`LanguageModel.name`, such as `anthropic/claude-haiku-5-5`."""
    thinking_tokens: int = 0
    """Room for thinking in `max_tokens`, where the model cannot stop it."""

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
        """The most tokens of an answer about so many columns and a text."""
        return TEXT_TOKENS + COLUMN_TOKENS * columns + self.thinking_tokens

    def key(self, shows: Any) -> str:
        """SHA-256 over what is shown, and prompts, model, language and terms."""
        settings = self.settings
        return object_hash([shows, self.prompts.version, self.model, settings.language, settings.terms])
