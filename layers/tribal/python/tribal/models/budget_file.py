"""Read the budget file, change it by conditional put, and report what models have cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from pydantic import ValidationError

from tribal.errors import ObjectDamaged, ObjectNotFound, PreconditionFailed
from tribal.identity.locations import BUDGET_FILE
from tribal.models.ledger import current_record
from tribal.models.timing import Timing
from tribal.ports import Clock, ObjectStore, Spending
from tribal.store import require_seal, sealed
from tribal_contracts import NANODOLLARS, BudgetRecord

Result = TypeVar("Result")
Change = Callable[[BudgetRecord | None], tuple[BudgetRecord | None, Result]]

# Every lost race is won by another holder, so one of forty holders waits a few seconds at most.
_ATTEMPTS = 30
_FIRST_PAUSE_SECONDS = 0.01
_LONGEST_PAUSE_SECONDS = 0.5


def find_budget(store: ObjectStore) -> tuple[BudgetRecord | None, str | None]:
    """The record and its etag; `None` if no model was ever called.

    Raises:
        ObjectDamaged: when the record is damaged. Spending is then unknown, so no model may be called until a person
            has checked.
    """
    try:
        found = store.get(BUDGET_FILE)
    except ObjectNotFound:
        return None, None
    try:
        require_seal(BUDGET_FILE, found.data)
        return BudgetRecord.from_json(found.data), found.etag
    except (ObjectDamaged, ValidationError) as error:
        raise ObjectDamaged(f"{BUDGET_FILE!r} in {store.location} has been altered since it was written") from error


class BudgetFile:
    """`progress/budget.json` in a store."""

    def __init__(self, store: ObjectStore, timing: Timing) -> None:
        self.store = store
        self._timing = timing

    def change(self, change: Change[Result]) -> Result:
        """Replace the record with the first result of `change`, and return the second.

        `change` is called again whenever another holder wrote the record first. If it returns the record unchanged,
        nothing is written.

        Raises:
            PreconditionFailed: when other holders were faster each time.
            ObjectDamaged: see `find_budget`.
            StoreError: when the store cannot be read or written.
        """
        for attempt in range(_ATTEMPTS):
            present, etag = find_budget(self.store)
            changed, result = change(present)
            if changed is None or changed == present:
                return result
            try:
                self.store.put(
                    BUDGET_FILE, sealed(BUDGET_FILE, changed.to_json()), if_match=etag, if_absent=etag is None
                )
            except PreconditionFailed:
                longest = min(_FIRST_PAUSE_SECONDS * 2**attempt, _LONGEST_PAUSE_SECONDS)
                self._timing.pause(self._timing.random() * longest)
            else:
                return result
        raise PreconditionFailed(
            f"{BUDGET_FILE!r} in {self.store.location} was changed by other processes {_ATTEMPTS} times in a row; "
            "spending is written with the next update"
        )


def read_spending(store: ObjectStore, clock: Clock) -> Spending:
    """The current spending from the budget record; writes nothing."""
    try:
        present, _ = find_budget(store)
    except ObjectDamaged:
        return Spending(damaged=True)
    if present is None:
        return Spending()
    record = current_record(present, clock.real())
    accounts = {name: account.day_spend.nanodollars / NANODOLLARS for name, account in record.accounts.items()}
    return Spending(
        day_usd=record.day_spend.nanodollars / NANODOLLARS,
        run_usd=record.run_spend.nanodollars / NANODOLLARS,
        unsettled_usd=record.day_spend.unsettled_nanodollars / NANODOLLARS,
        reserved_usd=sum(entry.reserved_nanodollars for entry in record.holders.values()) / NANODOLLARS,
        run_id=record.run_id,
        stopped=record.stopped,
        day_usd_by_account={name: spent for name, spent in sorted(accounts.items()) if spent},
    )
