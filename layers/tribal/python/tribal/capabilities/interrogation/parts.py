"""What interrogation needs of the application besides its shared parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from tribal.answering.documentation import Documentation
    from tribal.capabilities.interrogation.parties import Detective, Witness


class ModelParties(Protocol):
    """A detective and a witness of which at least one asks a model."""

    @property
    def detective(self) -> Detective | None:
        """The detective by model; `None` if the rules ask."""
        ...

    @property
    def witness(self) -> Witness | None:
        """The witness by model; `None` if the documentation answers."""
        ...

    @property
    def step_seconds(self) -> float:
        """The longest that a question, its answer and their analysis may take."""
        ...

    def close(self) -> None:
        """Book what was spent and close connections."""
        ...


BuildParties = Callable[[str, "Documentation"], ModelParties]
"""Builds the parties that spend from an account, such as `session:ID`, and read this documentation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InterrogationParts:
    """Models that ask and answer, and what runs their sessions."""

    parties: BuildParties
    launch: Callable[[str], None]
    """Runs the session of an id in the background."""

    def close(self) -> None:
        """Nothing is held open between sessions."""
