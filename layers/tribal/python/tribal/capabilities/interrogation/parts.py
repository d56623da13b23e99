"""Parts of the application that only interrogations need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tribal.answering.documentation import Documentation
    from tribal.capabilities.interrogation.asking_models.model_parties import ModelParties
    from tribal_contracts import ModelQuote


@dataclass(frozen=True, slots=True, kw_only=True)
class InterrogationParts:
    """Factory for the models that ask or answer, the cost estimate, and the optional background launcher."""

    parties: Callable[[str, Documentation], ModelParties]
    """Returns the parties that are charged to an account, such as `session:ID`, and read this documentation."""
    quote: Callable[[int, int], ModelQuote]
    """Estimates the maximum cost of this many sessions with this many questions each."""
    launch: Callable[[str], None] | None = None
    """Runs the session with this ID in the background; `None` to use a thread of this process."""

    def close(self) -> None:
        """Do nothing, because no resources stay open between sessions."""
