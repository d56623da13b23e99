"""Report what models have cost."""

from __future__ import annotations

from tribal.describing.model.calls.budget_file import find_budget
from tribal.describing.model.calls.ledger import current_record
from tribal.errors import ObjectDamaged
from tribal.ports import Clock, ObjectStore, Spending
from tribal_contracts import NANODOLLARS


def read_spending(store: ObjectStore, clock: Clock) -> Spending:
    """The current spending from the budget record; writes nothing."""
    try:
        present, _ = find_budget(store)
    except ObjectDamaged:
        return Spending(damaged=True)
    if present is None:
        return Spending()
    record = current_record(present, present.run_id, clock.real())
    return Spending(
        day_usd=record.day_spend.nanodollars / NANODOLLARS,
        run_usd=record.run_spend.nanodollars / NANODOLLARS,
        unsettled_usd=record.day_spend.unsettled_nanodollars / NANODOLLARS,
        reserved_usd=sum(entry.reserved_nanodollars for entry in record.holders.values()) / NANODOLLARS,
        run_id=record.run_id,
        stopped=record.stopped,
    )
