"""What laws say, and how they are evaluated: all of them, and an error refuses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tribal_contracts.chat.state import GovernorVerdict, Law

ORDER: tuple[Law, ...] = ("scope", "integrity", "mastery")
"""The order in which the violated law is named."""


@dataclass(frozen=True, slots=True)
class LawVerdict:
    """What one law says."""

    approved: bool
    reason: str = ""
    """Why it refuses."""
    enforced: bool = True
    """Whether it has a rule at all."""


APPROVED = LawVerdict(True)
MASTERY = LawVerdict(True, enforced=False)
"""The law of mastery is reserved. Source: chat specification, 2."""


def govern(
    laws: Mapping[Law, Callable[[], LawVerdict]], failed: Callable[[Law, Exception], None] = lambda *_: None
) -> GovernorVerdict:
    """Evaluate every law; the first in `ORDER` that refuses is named.

    Args:
        laws: by name; one that raises refuses.
        failed: called with what a law raised.
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
        return LawVerdict(False, f"The law of {law} could not be evaluated, so the question is not answered.")
