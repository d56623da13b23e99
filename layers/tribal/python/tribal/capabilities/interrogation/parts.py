"""What interrogation needs of the application besides its shared parts."""

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
    """Models that ask or answer, and what runs their sessions."""

    parties: Callable[[str, Documentation], ModelParties]
    """Opens the parties that spend from an account, such as `session:ID`, and read this documentation."""
    quote: Callable[[int, int], ModelQuote]
    """What so many sessions of so many questions each would cost at most."""
    launch: Callable[[str], None] | None = None
    """Runs the session of an id in the background; `None` to run it in a thread of this process."""

    def close(self) -> None:
        """Nothing is held open between sessions."""
