"""What the application offers for sessions with models."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from tribal.capabilities.interrogation.asking_models.prose import Resolve
    from tribal.capabilities.interrogation.asking_models.witness import Context
    from tribal.capabilities.interrogation.parties import Detective, Witness
    from tribal.identity.scope import Scope
    from tribal_contracts import ModelQuote
    from tribal_contracts.interrogation.configuration import Configuration


@dataclass(frozen=True, slots=True)
class CatalogAccess:
    """What models may learn of the documentation, within one scope."""

    resolve: Resolve
    """The full name of a table or column; `None` for any other name."""
    context: Context
    """What is documented about a question, as text, with its sources."""


def _nothing() -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelParties:
    """Detective and witness of one session or exam."""

    detective: Detective | None
    """`None` if rules ask."""
    witness: Witness | None
    """`None` if the documentation answers, within `scope`."""
    scope: Scope
    """What the session may read: nothing of a database that is kept from models."""
    providers: tuple[str, ...]
    """`{provider}:{model}` of each detective, in the order in which a call tries them, and of the witness."""
    step_seconds: float = 0.0
    """The longest that a question, its answer and their analysis may take, if every model has to be asked."""
    close: Callable[[], None] = field(default=_nothing)
    """Books what was spent; no call may follow."""


class PartyModels(Protocol):
    """Builds the parties that are models; nothing is sent before the first question."""

    def configuration(self) -> Configuration:
        """The derived configuration, once everything is there that a call needs.

        Raises:
            ConfigurationInvalid: when a model, its key, price or package is missing; the message names the place.
        """
        ...

    def open(self, account: str, scope: Scope, access: Callable[[Scope], CatalogAccess]) -> ModelParties:
        """The parties of a session (`session:ID`) or an exam (`exam:ID`), which share what it may cost.

        Args:
            account: what the calls are booked to.
            scope: what the caller may see.
            access: called with the part of it that models may see.

        Raises:
            ConfigurationInvalid: as in `configuration`.
        """
        ...

    def quote(self, questions: int, iterations: int) -> ModelQuote:
        """What so many sessions of so many questions each would cost at most, estimated before anything is sent."""
        ...
