"""Report the test of the model that describes tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tribal_contracts import NANODOLLARS

if TYPE_CHECKING:
    from tribal.ports import ModelReadiness
    from tribal.ports.models.fitness import ModelTestOutcome


def tested(ready: ModelReadiness, outcome: ModelTestOutcome, warnings: Sequence[str]) -> ModelReadiness:
    """Add the outcome of its test to the readiness of a model."""
    why, usage = outcome.failure.message if outcome.failure is not None else "", outcome.usage
    return replace(
        ready,
        missing="" if outcome.test is not None else f"the test could not be finished: {why}",
        answered_ms=usage.time_ms // max(1, usage.calls),
        usd=usage.nanodollars / NANODOLLARS,
        test=outcome.test,
        unread=why if outcome.test is not None else "",
        warning="; ".join(warnings),
    )
