"""What models have cost, for whoever asks and does not spend."""

from __future__ import annotations

from dataclasses import dataclass

from tribal.describing.model.calls.budget_file import find_budget
from tribal.describing.model.calls.ledger import of_now
from tribal.errors import ObjectDamaged
from tribal.ports import Clock, ObjectStore
from tribal_contracts import NANODOLLARS


@dataclass(frozen=True, slots=True)
class Spending:
    """Dollars that are gone today (in UTC) and in the latest run that asked a model."""

    day_usd: float = 0.0
    run_usd: float = 0.0
    unsettled_usd: float = 0.0
    """The part of `day_usd` that nobody saw the end of, at worst prices."""
    reserved_usd: float = 0.0
    """What living processes have set aside beyond that."""
    run_id: str = ""
    """Empty where no model was ever asked."""
    stopped: str | None = None
    """Why all calls of that run ended, and what to do."""
    damaged: bool = False
    """Whether the record cannot be read, so that nothing is known and no model is asked."""


def read_spending(store: ObjectStore, clock: Clock) -> Spending:
    """What the record of the budget tells now; writes nothing."""
    try:
        present, _ = find_budget(store)
    except ObjectDamaged:
        return Spending(damaged=True)
    if present is None:
        return Spending()
    record = of_now(present, present.run_id, clock.real())
    return Spending(
        day_usd=record.day_spend.nanodollars / NANODOLLARS,
        run_usd=record.run_spend.nanodollars / NANODOLLARS,
        unsettled_usd=record.day_spend.unsettled_nanodollars / NANODOLLARS,
        reserved_usd=sum(entry.reserved_nanodollars for entry in record.holders.values()) / NANODOLLARS,
        run_id=record.run_id,
        stopped=record.stopped,
    )
