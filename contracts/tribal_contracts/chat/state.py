"""The state of one question on its way to an answer. Source: chat specification, 1 and 2."""

from __future__ import annotations

from typing import Any, Literal

from tribal_contracts.chat.settings import Intent
from tribal_contracts.core.shape import Contract, Unset, optional

Law = Literal["scope", "integrity", "mastery"]
EXTRACTIVE = "extractive"
"""`model_selected` of an answer without a model."""


class AgentState(Contract):
    """What is known of a question so far. Optional fields of the specification are null, never absent."""

    messages: list[dict[str, Any]]
    """The conversation; it only grows."""
    query: str
    user_id: str | None
    user_email: str | None
    intent: Intent
    model_selected: str
    """The provider's name of the model; empty when refused before routing, `extractive` without a model."""
    retrieved_context: list[dict[str, Any]]
    governor_approved: bool
    response: str | None
    error: str | None
    collection: str
    """Extension."""
    law_violated: Law | None
    """Extension."""
    governor_reason: str | None
    """Extension."""


class GovernorVerdict(Contract):
    """What the laws say about a question. Extension."""

    approved: bool
    law_violated: Law | Unset = optional("The first law that refuses it.")
    reason: str | Unset = optional("Why it is refused.")
    not_enforced: list[Law] | Unset = optional("Laws that have no rule yet.")
