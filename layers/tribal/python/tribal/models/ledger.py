"""Changes to the budget record, as pure functions, and the money that a holder has reserved for its threads."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Self

from tribal_contracts import NANODOLLARS, SCHEMA_VERSION, BudgetHolder, BudgetRecord, BudgetSpend, ModelSettings

TERM = timedelta(seconds=60)
"""How long a holder's entry lives without renewal; the same as a run's lease."""
_SMALLEST_SHARE = 16
"""A block is at most 1/16 of what is left, so that one holder cannot starve the others; a judgement."""


@dataclass(frozen=True, slots=True)
class Caps:
    """What a run and a day may cost, in nanodollars, and a run's concurrent calls."""

    run: int
    day: int
    calls_at_once: int

    @classmethod
    def of(cls, settings: ModelSettings) -> Self:
        """The caps in the settings."""
        return cls(
            run=round(settings.per_run_usd * NANODOLLARS),
            day=round(settings.per_day_usd * NANODOLLARS),
            calls_at_once=settings.calls_at_once,
        )


def current_record(present: BudgetRecord | None, run_id: str, now: datetime, holder: str = "") -> BudgetRecord:
    """The record for today, without dead holders.

    What those had reserved is booked as unsettled. The entry of `holder`, the reader, is kept.
    """
    today = now.date().isoformat()
    if present is None:
        return BudgetRecord(
            schema_version=SCHEMA_VERSION, day=today, day_spend=BudgetSpend(), run_id=run_id, run_spend=BudgetSpend()
        )
    dead = [name for name, entry in present.holders.items() if name != holder and not _is_alive(entry, now)]
    record = _without(present, dead)
    tomorrow = (now + timedelta(days=1)).date().isoformat()
    if today < record.day <= tomorrow:
        return record  # another holder's clock is ahead, and its day has started
    if record.day > tomorrow:
        return record.model_copy(update={"day": today})  # written by a wrong clock; the money may be today's
    return record if record.day == today else record.model_copy(update={"day": today, "day_spend": BudgetSpend()})


def record_of_run(record: BudgetRecord, run_id: str, holder: str) -> BudgetRecord:
    """The record for a holder that opens it: taken over from the previous run, if there was one.

    What holders of that run, or a dead holder of the same name, had reserved is booked as unsettled.
    """
    if record.run_id == run_id:
        return _without(record, [holder])
    freed = _without(record, list(record.holders))
    return freed.model_copy(
        update={"run_id": run_id, "run_spend": BudgetSpend(), "open_until": None, "stopped": None},
    )


def _is_alive(entry: BudgetHolder, now: datetime) -> bool:
    # A holder renewed in the future has a wrong clock; it joins again at its next renewal.
    return abs(now - datetime.fromisoformat(entry.renewed_at)) <= TERM


def _without(record: BudgetRecord, names: list[str]) -> BudgetRecord:
    lost = sum(record.holders[name].reserved_nanodollars for name in names if name in record.holders)
    left = {name: entry for name, entry in record.holders.items() if name not in names}
    return booked(record, 0, lost).model_copy(update={"holders": left})


def booked(record: BudgetRecord, settled: int, unsettled: int) -> BudgetRecord:
    """The record with added spending for the day and the run.

    Spending just before midnight may be written after it and then counts for the new day.
    """
    return booked_to_day(record, settled, unsettled).model_copy(
        update={"run_spend": _more(record.run_spend, settled, unsettled)}
    )


def booked_to_day(record: BudgetRecord, settled: int, unsettled: int) -> BudgetRecord:
    """The record with added spending for the day only, by a run that no longer owns the record."""
    return record.model_copy(update={"day_spend": _more(record.day_spend, settled, unsettled)})


def _more(spend: BudgetSpend, settled: int, unsettled: int) -> BudgetSpend:
    return BudgetSpend(
        settled_nanodollars=spend.settled_nanodollars + settled,
        unsettled_nanodollars=spend.unsettled_nanodollars + unsettled,
    )


def with_entry(record: BudgetRecord, holder: str, entry: BudgetHolder | None) -> BudgetRecord:
    """The record with the entry of a holder replaced, or removed."""
    others = {name: present for name, present in record.holders.items() if name != holder}
    return record.model_copy(update={"holders": others if entry is None else {**others, holder: entry}})


def unspent(record: BudgetRecord, caps: Caps) -> int:
    """What the tighter cap leaves, ignoring reservations; negative if a call cost more than its highest price."""
    return min(caps.run - record.run_spend.nanodollars, caps.day - record.day_spend.nanodollars)


def reserved_by_others(record: BudgetRecord, holder: str) -> int:
    """What the other holders may still spend."""
    return sum(entry.reserved_nanodollars for name, entry in record.holders.items() if name != holder)


def may_be_needed(idle: int, left: int) -> bool:
    """Whether another holder may need the idle money, because little else is unreserved."""
    return idle > 0 and left < _SMALLEST_SHARE * idle


def block_for(price: int, account: Account, left: int, calls: int) -> int:
    """What to reserve for an account that cannot pay a call; 0 if `left` is too little.

    Enough for two calls per slot at the highest price, which refunds stretch to dozens, but only a small part of what
    is left: with a few cents left, just the one call.
    """
    missing = price - account.idle
    if missing > left:
        return 0
    return max(missing, min(2 * calls * price, left // _SMALLEST_SHARE))


@dataclass(frozen=True, slots=True)
class Account:
    """The state of a reservation, in nanodollars."""

    idle: int
    in_progress: int
    """Highest prices of the running calls."""
    settled: int
    """Spent, and not yet written to the record."""
    unsettled: int

    @property
    def reserved(self) -> int:
        """What running calls and new ones may cost."""
        return self.idle + self.in_progress


class Reservation:
    """Reserved money of one holder: a call reserves its highest price and frees the difference afterwards."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle = self._in_progress = self._settled = self._unsettled = 0
        self._drawn = False

    def reserve(self, price: int) -> bool:
        """Reserve the highest price of a call; `False` if there is not enough."""
        with self._lock:
            if price > self._idle:
                return False
            self._idle -= price
            self._in_progress += price
            self._drawn = True
            return True

    def book(self, price: int, spent: int, *, unseen: bool) -> None:
        """Settle a call reserved at `price`; if its outcome is unknown, it costs at least that."""
        unsettled = max(0, price - spent) if unseen else 0
        with self._lock:
            self._in_progress -= price
            self._idle = max(0, self._idle + price - spent - unsettled)
            self._settled += spent
            self._unsettled += unsettled

    def account(self) -> Account:
        """The current state."""
        with self._lock:
            return Account(self._idle, self._in_progress, self._settled, self._unsettled)

    def withdraw_idle(self) -> Account:
        """Remove the idle money, and return the state."""
        with self._lock:
            self._idle = 0
            return Account(0, self._in_progress, self._settled, self._unsettled)

    def was_used(self) -> bool:
        """Whether a call started since the last check."""
        with self._lock:
            drawn, self._drawn = self._drawn, False
            return drawn

    def written(self, account: Account, block: int) -> None:
        """Note that the record now has the account's spending and an additional block."""
        with self._lock:
            self._settled -= account.settled
            self._unsettled -= account.unsettled
            self._idle += block
