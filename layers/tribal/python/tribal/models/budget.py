"""A share of the budget: the threads of one process reserve money and concurrent calls from it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from types import TracebackType
from typing import Literal, Self

import tribal.models.ledger as ledger
from tribal.errors import ObjectDamaged, PreconditionFailed, StoreError
from tribal.identity.locations import LEASE_FILE
from tribal.models.breaker import OPEN_SECONDS, Breaker
from tribal.models.budget_file import BudgetFile
from tribal.models.ledger import RUN, Caps, Reservation, ReservationState
from tribal.models.slots import Slots, Turn, fair_shares
from tribal.models.timing import Timing, timestamp
from tribal.ports import ModelFailure, ObjectStore
from tribal.store import read_record
from tribal_contracts import BudgetHolder, BudgetRecord, LeaseRecord, ModelPause

BEAT_SECONDS = 0.5
"""How often a holder reads the record; a change by another holder is seen within two beats."""
LONGEST_PAUSE_SECONDS = 120.0
"""The longest pause of all holders at the provider's request; a longer one ends the call."""
_RENEWALS_A_TERM = 3
_LOOK_AGAIN_SECONDS = 0.25
"""How soon to ask the record for money again if it had too little; waiting threads share the answer."""
_IDLE_SECONDS = 5.0
"""Money unused for this long is released if another holder may need it."""
_TURN_SECONDS = 30
"""How long a holder keeps a call that cannot be divided evenly."""

Verdict = Literal["reserved", "later", "exhausted"]


@dataclass(frozen=True, slots=True)
class _Update:
    """What a holder wants to change in the record."""

    state: ReservationState
    price: int = 0
    """The price of a call that the reservation does not cover."""
    purpose: Literal["open", "renew", "return", "leave"] = "renew"


@dataclass(frozen=True, slots=True)
class _UpdateResult:
    """What an update returned."""

    record: BudgetRecord
    written: bool = False
    block: int = 0
    calls: int = 0
    left: int = 0
    """Money that is not reserved."""
    exhausted: bool = False


@dataclass(frozen=True, slots=True)
class Spender:
    """Who spends from the budget, on what."""

    account: str
    """What the calls are for: `run:ID` of a run, which holds the documentation lease, or another, such as
    `session:ID`."""
    model: str
    """Provider and model; the calls of all holders to it pause together."""
    holder: str
    """A unique name of this process or invocation."""

    @property
    def is_run(self) -> bool:
        """Whether the calls are for a run."""
        return self.account.startswith(RUN)


class Budget:
    """What one holder may spend and how many calls it may run at once, kept in `progress/budget.json`.

    Threads use a block of money reserved in the record, so that writes are rare. Nothing is read or written
    before the first call. A thread renews the holder's entry each beat; as a context manager, it closes.

    Args:
        store: holds the record.
        caps: what the account and the day may cost, and the number of concurrent calls.
        spender: who spends, on what.
        timing: the clock; days are UTC.
        beat_seconds: pause between renewals; `None` if the caller renews.
    """

    def __init__(
        self,
        store: ObjectStore,
        caps: Caps,
        spender: Spender,
        timing: Timing,
        *,
        beat_seconds: float | None = BEAT_SECONDS,
    ) -> None:
        self._file = BudgetFile(store, timing)
        self._caps = caps
        self._spender = spender
        self._holder = spender.holder
        self._timing = timing
        self._beat_seconds = beat_seconds
        self._slots = Slots()
        self._reservation = Reservation()
        self.breaker = Breaker(timing.now)
        self._writing = threading.Lock()
        self._opened = False
        self._ended = threading.Event()
        self._renewer: threading.Thread | None = None
        self._stopped: str | None = None
        self._replaced = False
        self._wait_until: datetime | None = None
        self._exhausted: tuple[str, int] | None = None
        self._look_again_at = 0.0
        self._drawn_at = 0.0
        self._left = 0

    def refusal(self) -> ModelFailure | None:
        """Why no call may start now; `None` if one may."""
        if self._stopped is not None:
            return ModelFailure("stopped", self._stopped)
        if self._replaced:
            return ModelFailure("interrupted", f"another run has taken over the budget of {self._spender.account!r}")
        if self.breaker.is_open():
            last = f" (last: {self.breaker.last_failure})" * bool(self.breaker.last_failure)
            message = f"too many calls in a row have failed{last}; the next one is tried in a minute"
            return ModelFailure("unavailable", message)
        return None

    @contextmanager
    def wanting_slot(self) -> Iterator[Turn]:
        """Queue for a call slot, and free it at the end.

        Yields a place in the queue, which takes the slot. The first use opens the budget.
        """
        number = self._slots.want()
        try:
            self._open()
            yield Turn(self._slots, number)
        finally:
            self._slots.leave(number)

    def reserve(self, price: int) -> Verdict:
        """Reserve the highest price of a call, in nanodollars.

        `later` means that running calls may free enough, `exhausted` that a cap is too low whatever they free.
        A reserved price must be booked.
        """
        if self._reservation.reserve(price):
            return "reserved"
        with self._writing:
            if self._reservation.reserve(price):
                return "reserved"
            if self._is_exhausted(price):
                return "exhausted"
            if self._timing.monotonic() < self._look_again_at:
                return "later"
            try:
                result = self._update(_Update(self._reservation.state(), price))
            except PreconditionFailed:
                return "later"
        if result is not None and result.block and self._reservation.reserve(price):
            return "reserved"
        if result is not None and result.exhausted:
            self._exhausted = (result.record.day, price)
            return "exhausted"
        self._look_again_at = self._timing.monotonic() + _LOOK_AGAIN_SECONDS
        return "later"

    def book(self, price: int, spent: int, *, unseen: bool = False) -> None:
        """Settle a reserved call; if its outcome is unknown, it costs its highest price."""
        self._reservation.book(price, spent, unseen=unseen)

    def pause(self, seconds: float) -> None:
        """Start no call of any holder for that long, at most `LONGEST_PAUSE_SECONDS`."""
        until = self._timing.now() + timedelta(seconds=min(seconds, LONGEST_PAUSE_SECONDS))
        if self._wait_until is None or until > self._wait_until:
            self._wait_until = until

    def pause_left(self) -> float:
        """Seconds until calls may begin again."""
        until = self._wait_until
        return 0.0 if until is None else max(0.0, (until - self._timing.now()).total_seconds())

    def stop(self, message: str) -> None:
        """End all calls here and, for a run, in every holder of it."""
        self._stopped = self._stopped or message
        with suppress(StoreError):  # tried again at the next beat
            self.renew()

    def renew(self) -> None:
        """Synchronise with the record: adjust this holder's share and release idle money.

        Raises:
            StoreError: when the record cannot be read or written; the next renewal writes what is missing.
        """
        with self._writing:
            if not self._opened:
                return
            now = self._timing.monotonic()
            if self._reservation.was_used():
                self._drawn_at = now
            lies_idle = now - self._drawn_at >= _IDLE_SECONDS
            if lies_idle and ledger.may_be_needed(self._reservation.state().idle, self._left):
                self._update(_Update(self._reservation.withdraw_idle(), purpose="return"))
            else:
                self._update(_Update(self._reservation.state()))

    def close(self) -> None:
        """Write what was spent and release the rest; does nothing if no call was ever made.

        Raises:
            StoreError: when the write fails; the record then counts everything reserved here as spent.
        """
        self._ended.set()
        if self._renewer is not None:
            self._renewer.join()
        with self._writing:
            if self._opened:
                self._update_until_written(_Update(self._reservation.withdraw_idle(), purpose="leave"))
                self._slots.allow(0)
                self._opened = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _open(self) -> None:
        if self._opened:
            return
        with self._writing:
            if self._opened:
                return
            self._update_until_written(_Update(self._reservation.withdraw_idle(), purpose="open"))
            self._drawn_at = self._timing.monotonic()
            self._opened = True
            self._ended.clear()
            if self._beat_seconds is not None:
                self._renewer = threading.Thread(target=self._keep_renewing, name="budget-renewal", daemon=True)
                self._renewer.start()

    def _keep_renewing(self) -> None:
        while not self._ended.wait(self._beat_seconds):
            with suppress(StoreError):  # the store may recover; spending is kept until then
                self.renew()

    def _update_until_written(self, update: _Update) -> None:
        while True:
            with suppress(PreconditionFailed):
                self._update(update)
                return

    def _update(self, update: _Update) -> _UpdateResult | None:
        """Change the record and adopt its state; `None` if it is damaged, which stops all calls."""
        try:
            result = self._file.change(lambda present: self._changed(update, present))
        except ObjectDamaged as error:
            self._stopped = (
                f"{error.message}, so today's spending on models is unknown and no model is called: check the costs "
                "with your provider, delete the file and run again; spending then counts from zero"
            )
            return None
        if result.written:
            self._reservation.written(update.state, result.block)
        self._left = result.left
        self._slots.allow(result.calls)
        self._adopt(result.record)
        return result

    def _changed(self, update: _Update, present: BudgetRecord | None) -> tuple[BudgetRecord | None, _UpdateResult]:
        now, state, account = self._timing.now(), update.state, self._spender.account
        found = ledger.current_record(present, now, self._holder)
        if update.purpose == "open" and self._may_open(found, now):
            found = ledger.opened_record(found, account, self._holder, now)
        if ledger.is_replaced(found, account):
            booked = ledger.booked(found, account, state.settled, state.unsettled, now)
            return booked, _UpdateResult(booked, written=True)
        if update.purpose == "leave":
            booked = ledger.booked(found, account, state.settled, state.unsettled + state.in_progress, now)
            left = ledger.with_entry(booked, self._holder, None)
            return left, _UpdateResult(left, written=True)
        return self._renewed(update, present, self._with_pauses(found, now), now)

    def _renewed(
        self, update: _Update, present: BudgetRecord | None, found: BudgetRecord, now: datetime
    ) -> tuple[BudgetRecord | None, _UpdateResult]:
        state, old = update.state, found.holders.get(self._holder)
        booked = ledger.booked(found, self._spender.account, state.settled, state.unsettled, now)
        caps_leave = ledger.left_of(booked, self._spender.account, self._caps, self._holder)
        left = caps_leave.unreserved - state.reserved
        calls, entry = self._calls(booked, now)
        block = ledger.block_for(update.price, state, left, max(1, calls)) if update.price else 0
        entry = entry.model_copy(update={"reserved_nanodollars": state.reserved + block})
        result = _UpdateResult(booked, True, block, calls, left - block, exhausted=caps_leave.unspent < update.price)
        quiet = update.purpose == "renew" and not block and found == present
        if quiet and old is not None and _is_fresh(old, now) and self._changes_no_share(booked, old, entry, now):
            return present, replace(result, written=False)
        return ledger.with_entry(booked, self._holder, entry), result

    def _calls(self, record: BudgetRecord, now: datetime) -> tuple[int, BudgetHolder]:
        """The number of calls that may run here from now on, and the entry for it."""
        others = ledger.with_entry(record, self._holder, None).holders.values()
        demand = self._slots.wanted
        free = self._calls_at_once(record) - sum(entry.calls_granted for entry in others)
        calls = max(0, min(self._shares(record, demand, now)[self._holder], free))
        # No more calls start from here on, so the current number is the maximum.
        granted = max(calls, self._slots.allow_at_most(calls))
        entry = BudgetHolder(
            reserved_nanodollars=0,
            calls_granted=granted,
            calls_wanted=demand,
            renewed_at=timestamp(now),
            account=None if self._spender.is_run else self._spender.account,
            calls_at_once=self._caps.calls_at_once,
        )
        return calls, entry

    def _calls_at_once(self, record: BudgetRecord) -> int:
        """The largest setting of all holders."""
        return max([self._caps.calls_at_once, *(entry.calls_at_once or 0 for entry in record.holders.values())])

    def _shares(self, record: BudgetRecord, demand: int, now: datetime) -> dict[str, int]:
        """How the holders would share the concurrent calls if this one wanted `demand` of them."""
        wanted = {name: entry.calls_wanted for name, entry in record.holders.items()}
        turn = int(now.timestamp()) // _TURN_SECONDS
        return fair_shares({**wanted, self._holder: demand}, self._calls_at_once(record), turn)

    def _changes_no_share(self, record: BudgetRecord, old: BudgetHolder, new: BudgetHolder, now: datetime) -> bool:
        """Whether no holder's share would change, for example if all want more than they have."""
        if old.calls_granted != new.calls_granted:
            return False
        before, after = old.calls_wanted, new.calls_wanted
        return before == after or self._shares(record, before, now) == self._shares(record, after, now)

    def _with_pauses(self, record: BudgetRecord, now: datetime) -> BudgetRecord:
        pause = record.models.get(self._spender.model) or ModelPause()
        waits = [_within(pause.wait_until, now, LONGEST_PAUSE_SECONDS), _future(self._wait_until, now)]
        opens = [_within(pause.open_until, now, OPEN_SECONDS), _future(self.breaker.open_until, now)]
        wait, opened = max(filter(None, waits), default=None), max(filter(None, opens), default=None)
        models = {name: other for name, other in record.models.items() if name != self._spender.model}
        if wait is not None or opened is not None:
            models[self._spender.model] = ModelPause(wait_until=wait, open_until=opened)
        stopped = record.stopped or (self._stopped if self._spender.is_run else None)
        return record.model_copy(update={"models": models, "stopped": stopped})

    def _adopt(self, record: BudgetRecord) -> None:
        self._replaced = ledger.is_replaced(record, self._spender.account)
        if self._replaced:
            return
        if self._spender.is_run:
            self._stopped = record.stopped or self._stopped
        pause = record.models.get(self._spender.model) or ModelPause()
        if pause.wait_until is not None:
            self.pause((datetime.fromisoformat(pause.wait_until) - self._timing.now()).total_seconds())
        if pause.open_until is not None:
            self.breaker.adopt(datetime.fromisoformat(pause.open_until))

    def _may_open(self, record: BudgetRecord, now: datetime) -> bool:
        """Whether the record's run has ended, so that another may take over: a run with the lease has not."""
        if not ledger.is_replaced(record, self._spender.account):
            return True
        lease = read_record(self._file.store, LEASE_FILE, LeaseRecord)
        if lease is None or lease.released or lease.run_id != record.run_id:
            return True
        return datetime.fromisoformat(lease.expires_at) <= now

    def _is_exhausted(self, price: int) -> bool:
        if self._exhausted is None:
            return False
        day, too_much = self._exhausted
        return price >= too_much and day == self._timing.now().date().isoformat()


def _is_fresh(entry: BudgetHolder, now: datetime) -> bool:
    return now - datetime.fromisoformat(entry.renewed_at) < ledger.TERM / _RENEWALS_A_TERM


def _future(moment: datetime | None, now: datetime) -> str | None:
    return timestamp(moment) if moment is not None and moment > now else None


def _within(time: str | None, now: datetime, longest_seconds: float) -> str | None:
    """A time from a record, if it is in the future but not so far that a wrong clock wrote it."""
    latest = now + timedelta(seconds=2 * longest_seconds)
    return time if time is not None and now < datetime.fromisoformat(time) <= latest else None
