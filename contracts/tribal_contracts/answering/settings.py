"""How long answers may be. Extension contract."""

from __future__ import annotations

from tribal_contracts.core.sections import CapabilitySettings

ANSWER_TOKENS = 1_200
"""The most tokens of statements and their sources, unless a section says otherwise."""


class AnsweringSettings(CapabilitySettings):
    """A section of `databases.yaml` that limits the answers of `ask`."""

    @property
    def most_answer_tokens(self) -> int:
        """The most tokens of statements and their sources."""
        return ANSWER_TOKENS
