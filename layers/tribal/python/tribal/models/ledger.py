"""Changes to the budget record, as pure functions, and the money that a holder has reserved for its threads."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Self

from tribal.models.timing import timestamp
from tribal_contracts import (
    NANODOLLARS,
    SCHEMA_VERSION,
    BudgetAccount,
    BudgetHolder,
    BudgetRecord,
    BudgetSpend,
    ModelSettings,
)

TERM = timedelta(seconds=60)
"""How long a holder's entry lives without renewal; the same as a run's lease."""
_SMALLEST_SHARE = 16
"""A block is at most 1/16 of what is left, so that one holder cannot starve the others; a judgement."""


@dataclass(frozen=True, slots=True)
class Caps:
    """What an account and a day may cost, in nanodollars, and how many calls may run at once."""

    account: int
    day: int
    calls_at_once: int
    chats: int | None = None
    """What all chats and uploads together may cost in a day; `None` for no limit."""

    @classmethod
    def of(cls, settings: ModelSettings) -> Self:
        """The caps of a run in the settings."""
        return cls(
            account=round(settings.per_run_usd * NANODOLLARS),
            day=round(settings.per_day_usd * NANODOLLARS),
            calls_at_once=settings.parallel_calls,
        )


RUN = "run:"
"""Accounts of runs begin with it; their spending is the record's `run_spend`."""
CHAT = "chat:"
"""Accounts of callers' chats begin with it; they are of one day."""
CHATS = (CHAT, "upload:")
"""What the accounts begin with that share the limit of chats."""
_FORGOTTEN_AFTER = timedelta(days=7)
"""How long an account without spending is kept; by judgement, longer than anything that resumes."""


def current_record(present: BudgetRecord | None, now: datetime, holder: str = "") -> BudgetRecord:
    """The record for today, without dead holders.

    What those had reserved is booked as unsettled. The entry of `holder`, the reader, is kept.
    """
    today = now.date().isoformat()
    if present is None:
        return BudgetRecord(
            schema_version=SCHEMA_VERSION, day=today, day_spend=BudgetSpend(), run_id="", run_spend=BudgetSpend()
        )
    dead = [name for name, entry in present.holders.items() if name != holder and not _is_alive(entry, now)]
    record = _without(present, dead, now)
    tomorrow = (now + timedelta(days=1)).date().isoformat()
    if today < record.day <= tomorrow:
        return record  # another holder's clock is ahead, and its day has started
    if record.day > tomorrow:
        return record.model_copy(update={"day": today})  # written by a wrong clock; the money may be today's
    return record if record.day == today else _of_new_day(record, today, now)


def _of_new_day(record: BudgetRecord, today: str, now: datetime) -> BudgetRecord:
    accounts = {
        name: account.model_copy(update={"day_spend": BudgetSpend()})
        for name, account in record.accounts.items()
        if not name.startswith(CHAT) and now - datetime.fromisoformat(account.updated_at) < _FORGOTTEN_AFTER
    }
    return record.model_copy(update={"day": today, "day_spend": BudgetSpend(), "accounts": accounts})


def is_replaced(record: BudgetRecord, account: str) -> bool:
    """Whether an account is of a run, and the record of another one."""
    return account.startswith(RUN) and account != RUN + record.run_id


def opened_record(record: BudgetRecord, account: str, holder: str, now: datetime) -> BudgetRecord:
    """The record for a holder that opens it. A run takes over from the previous run, and only from that.

    A new run tries every model again, even where many calls in a row had failed.

    What holders of the previous run, or a dead holder of the same name, had reserved is booked as unsettled.
    """
    if not is_replaced(record, account):
        return _without(record, [holder], now)
    of_run = [name for name, entry in record.holders.items() if account_of(entry, record).startswith(RUN)]
    freed = _without(record, [*of_run, holder], now)
    waiting = {
        name: pause.model_copy(update={"open_until": None})
        for name, pause in record.models.items()
        if pause.wait_until is not None
    }
    return freed.model_copy(
        update={"run_id": account.removeprefix(RUN), "run_spend": BudgetSpend(), "stopped": None, "models": waiting},
    )


def account_of(entry: BudgetHolder, record: BudgetRecord) -> str:
    """The account that a holder's calls are booked to."""
    return entry.account or RUN + record.run_id


def _is_alive(entry: BudgetHolder, now: datetime) -> bool:
    # A holder renewed in the future has a wrong clock; it joins again at its next renewal.
    return abs(now - datetime.fromisoformat(entry.renewed_at)) <= TERM


def _without(record: BudgetRecord, names: list[str], now: datetime) -> BudgetRecord:
    left = record
    for name in names:
        if (entry := record.holders.get(name)) is not None:
            left = booked(left, account_of(entry, record), 0, entry.reserved_nanodollars, now)
    return left.model_copy(
        update={"holders": {name: entry for name, entry in record.holders.items() if name not in names}}
    )


def booked(record: BudgetRecord, account: str, settled: int, unsettled: int, now: datetime) -> BudgetRecord:
    """The record with added spending for the day and the account; a run that was replaced spends for the day only.

    Spending just before midnight may be written after it and then counts for the new day.
    """
    if not settled and not unsettled:
        return record
    changes: dict[str, object] = {"day_spend": _more(record.day_spend, settled, unsettled)}
    if not account.startswith(RUN):
        present = record.accounts.get(account)
        changed = BudgetAccount(
            spend=_more(_spend_of(record, account), settled, unsettled),
            day_spend=_more(present.day_spend if present else BudgetSpend(), settled, unsettled),
            updated_at=timestamp(now),
        )
        changes["accounts"] = {**record.accounts, account: changed}
    elif not is_replaced(record, account):
        changes["run_spend"] = _more(record.run_spend, settled, unsettled)
    return record.model_copy(update=changes)


def _more(spend: BudgetSpend, settled: int, unsettled: int) -> BudgetSpend:
    return BudgetSpend(
        settled_nanodollars=spend.settled_nanodollars + settled,
        unsettled_nanodollars=spend.unsettled_nanodollars + unsettled,
    )


def with_entry(record: BudgetRecord, holder: str, entry: BudgetHolder | None) -> BudgetRecord:
    """The record with the entry of a holder replaced, or removed."""
    others = {name: present for name, present in record.holders.items() if name != holder}
    return record.model_copy(update={"holders": others if entry is None else {**others, holder: entry}})


@dataclass(frozen=True, slots=True)
class Left:
    """What the tightest of the caps leaves an account, in nanodollars.

    Negative if a call cost more than its highest price.
    """

    unspent: int
    """Ignoring reservations."""
    unreserved: int
    """Without what other holders may still spend."""


def left_of(record: BudgetRecord, account: str, caps: Caps, holder: str) -> Left:
    """What the caps leave the account of a holder."""
    spent = _spend_of(record, account)
    others = [entry for name, entry in record.holders.items() if name != holder]
    reserved = sum(entry.reserved_nanodollars for entry in others)
    of_account = sum(entry.reserved_nanodollars for entry in others if account_of(entry, record) == account)
    of_caps = [(caps.account - spent.nanodollars, of_account), (caps.day - record.day_spend.nanodollars, reserved)]
    if caps.chats is not None:
        chatted = sum(each.day_spend.nanodollars for name, each in record.accounts.items() if name.startswith(CHATS))
        chatting = sum(entry.reserved_nanodollars for entry in others if account_of(entry, record).startswith(CHATS))
        of_caps.append((caps.chats - chatted, chatting))
    return Left(min(left for left, _ in of_caps), min(left - others for left, others in of_caps))


def _spend_of(record: BudgetRecord, account: str) -> BudgetSpend:
    if account.startswith(RUN):
        return BudgetSpend() if is_replaced(record, account) else record.run_spend
    present = record.accounts.get(account)
    return present.spend if present else BudgetSpend()


def may_be_needed(idle: int, left: int) -> bool:
    """Whether another holder may need the idle money, because little else is unreserved."""
    return idle > 0 and left < _SMALLEST_SHARE * idle


def block_for(price: int, state: ReservationState, left: int, calls: int) -> int:
    """What to reserve for a holder that cannot pay a call; 0 if `left` is too little.

    Enough for two calls per slot at the highest price, which refunds stretch to dozens, but only a small part of what
    is left: with a few cents left, just the one call.
    """
    missing = price - state.idle
    if missing > left:
        return 0
    return max(missing, min(2 * calls * price, left // _SMALLEST_SHARE))


@dataclass(frozen=True, slots=True)
class ReservationState:
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

    def state(self) -> ReservationState:
        """The current state."""
        with self._lock:
            return ReservationState(self._idle, self._in_progress, self._settled, self._unsettled)

    def withdraw_idle(self) -> ReservationState:
        """Remove the idle money, and return the state."""
        with self._lock:
            self._idle = 0
            return ReservationState(0, self._in_progress, self._settled, self._unsettled)

    def was_used(self) -> bool:
        """Whether a call started since the last check."""
        with self._lock:
            drawn, self._drawn = self._drawn, False
            return drawn

    def written(self, state: ReservationState, block: int) -> None:
        """Note that the record now has the spending of that state, and an additional block."""
        with self._lock:
            self._settled -= state.settled
            self._unsettled -= state.unsettled
            self._idle += block
