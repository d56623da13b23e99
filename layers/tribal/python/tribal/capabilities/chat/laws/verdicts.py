"""Verdicts of laws. All laws are evaluated, and a law that fails counts as a refusal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tribal_contracts.chat.state import GovernorVerdict, Law

ORDER: tuple[Law, ...] = ("scope", "integrity", "mastery")
"""If several laws refuse, the first one in this order is named."""


@dataclass(frozen=True, slots=True)
class LawVerdict:
    """The verdict of one law."""

    approved: bool
    reason: str = ""
    """Why the law refuses."""
    enforced: bool = True
    """Whether the law has a rule at all."""


APPROVED = LawVerdict(True)
MASTERY = LawVerdict(True, enforced=False)
"""The mastery law is reserved. Source: chat specification, 2."""


def govern(
    laws: Mapping[Law, Callable[[], LawVerdict]], failed: Callable[[Law, Exception], None] = lambda *_: None
) -> GovernorVerdict:
    """Evaluate all laws. If several refuse, the first one in `ORDER` is named.

    Args:
        laws: evaluations by name; an evaluation that raises counts as a refusal.
        failed: called with the exception of a law that raises.
    """
    verdicts = {law: _evaluated(law, laws[law], failed) for law in ORDER if law in laws}
    idle = [law for law, verdict in verdicts.items() if not verdict.enforced]
    violated = next((law for law, verdict in verdicts.items() if not verdict.approved), None)
    return GovernorVerdict(
        approved=violated is None,
        law_violated=violated,
        reason=None if violated is None else verdicts[violated].reason,
        not_enforced=idle or None,
    )


def _evaluated(law: Law, evaluate: Callable[[], LawVerdict], failed: Callable[[Law, Exception], None]) -> LawVerdict:
    try:
        return evaluate()
    except Exception as error:  # noqa: BLE001 - whatever a law raises, nothing may pass it
        failed(law, error)
        return LawVerdict(False, f"The {law} law could not be evaluated, so the question was not answered.")
