"""The budget of a run, from which the threads of one process draw money and calls at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from types import TracebackType
from typing import Literal, Self

import tribal.describing.model.calls.ledger as ledger
from tribal.describing.model.calls.breaker import OPEN_SECONDS, Breaker
from tribal.describing.model.calls.budget_file import BudgetFile
from tribal.describing.model.calls.purse import Account, Purse
from tribal.describing.model.calls.shares import fair_shares
from tribal.describing.model.calls.slots import Slots, Turn
from tribal.describing.model.calls.timing import Timing, timestamp
from tribal.errors import ObjectDamaged, PreconditionFailed, StoreError
from tribal.identity.locations import LEASE_FILE
from tribal.ports import ModelFailure, ObjectStore
from tribal.store import read_record
from tribal_contracts import BudgetHolder, BudgetRecord, LeaseRecord, ModelSettings

BEAT_SECONDS = 0.5
"""How often a holder looks at the record: what another one frees or finds out is known after two beats."""
LONGEST_PAUSE_SECONDS = 30.0
"""The longest that all holders wait because the provider asked for it; half of a call's usual deadline."""
_RENEWALS_A_TERM = 3
_LOOK_AGAIN_SECONDS = 0.25
"""How soon the record is asked for money again where it had too little; threads that wait share the answer."""
_IDLE_SECONDS = 5.0
"""Money that no call was begun with for so long is given back, if another holder may lack it."""
_TURN_SECONDS = 30
"""How long a holder keeps a call at once that cannot be divided fairly."""

Verdict = Literal["reserved", "later", "exhausted"]


@dataclass(frozen=True, slots=True)
class _Visit:
    """What a holder brings to the record, and why it comes."""

    account: Account
    price: int = 0
    """Of a call that the purse cannot pay for."""
    purpose: Literal["open", "renew", "return", "leave"] = "renew"


@dataclass(frozen=True, slots=True)
class _Told:
    """What a visit has brought."""

    record: BudgetRecord
    written: bool = False
    block: int = 0
    calls: int = 0
    left: int = 0
    """Money that nobody has reserved."""
    exhausted: bool = False


class Budget:
    """What one holder may spend and how many calls it may have under way, drawn from `progress/budget.json`.

    Threads draw from a block of money reserved in the record, so that writes are rare. Nothing is read or written
    before the first call is due. A thread renews the holder's entry each beat; as a context manager, it closes.

    Args:
        store: holds the record.
        settings: the caps and the calls at once.
        run_id: the run that the calls are for; it holds the documentation lease.
        holder: name of this process or invocation, unlike that of any other.
        timing: the clock, by which days are UTC.
        beat_seconds: pause between renewals; `None` where the caller renews.
    """

    def __init__(
        self,
        store: ObjectStore,
        settings: ModelSettings,
        run_id: str,
        holder: str,
        timing: Timing,
        *,
        beat_seconds: float | None = BEAT_SECONDS,
    ) -> None:
        self._file = BudgetFile(store, timing)
        self._caps = ledger.Caps.of(settings)
        self._run_id = run_id
        self._holder = holder
        self._timing = timing
        self._beat_seconds = beat_seconds
        self._slots = Slots()
        self._purse = Purse()
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
        """Why no call may begin now, if none may."""
        if self._stopped is not None:
            return ModelFailure("stopped", self._stopped)
        if self._replaced:
            return ModelFailure("interrupted", f"another run has taken the budget over from run {self._run_id!r}")
        if self.breaker.is_open():
            last = f" (last: {self.breaker.last_failure})" * bool(self.breaker.last_failure)
            return ModelFailure("unavailable", f"too many calls in a row have failed{last}; one is tried in a minute")
        return None

    @contextmanager
    def wanting_slot(self) -> Iterator[Turn]:
        """Count a thread among those that want one of the calls at once, and free its slot in the end.

        What is yielded takes it. The first time, the budget is opened.
        """
        number = self._slots.want()
        try:
            self._open()
            yield Turn(self._slots, number)
        finally:
            self._slots.leave(number)

    def reserve(self, price: int) -> Verdict:
        """Draw the worst price of a call, in nanodollars.

        `later` says that calls under way may return enough, `exhausted` that a cap cannot hold the price whatever they
        return. A price that was drawn must be booked.
        """
        if self._purse.draw(price):
            return "reserved"
        with self._writing:
            if self._purse.draw(price):
                return "reserved"
            if self._is_exhausted(price):
                return "exhausted"
            if self._timing.monotonic() < self._look_again_at:
                return "later"
            try:
                told = self._visit(_Visit(self._purse.account(), price))
            except PreconditionFailed:
                return "later"
        if told is not None and told.block and self._purse.draw(price):
            return "reserved"
        if told is not None and told.exhausted:
            self._exhausted = (told.record.day, price)
            return "exhausted"
        self._look_again_at = self._timing.monotonic() + _LOOK_AGAIN_SECONDS
        return "later"

    def book(self, price: int, spent: int, *, unseen: bool = False) -> None:
        """Settle a call that was reserved for; one whose end nobody saw costs its worst price."""
        self._purse.book(price, spent, unseen=unseen)

    def pause(self, seconds: float) -> None:
        """Let no call of any holder begin for that long, at most `LONGEST_PAUSE_SECONDS`."""
        until = self._timing.now() + timedelta(seconds=min(seconds, LONGEST_PAUSE_SECONDS))
        if self._wait_until is None or until > self._wait_until:
            self._wait_until = until

    def pause_left(self) -> float:
        """Seconds until calls may begin again."""
        until = self._wait_until
        return 0.0 if until is None else max(0.0, (until - self._timing.now()).total_seconds())

    def stop(self, message: str) -> None:
        """End all calls of the run, in every holder."""
        self._stopped = self._stopped or message
        with suppress(StoreError):  # tried again at the next beat
            self.renew()

    def renew(self) -> None:
        """Exchange news with the record: grow into what others have left, make room for them, return idle money.

        Raises:
            StoreError: when the record cannot be read or written; nothing is lost, and the next renewal writes it.
        """
        with self._writing:
            if not self._opened:
                return
            now = self._timing.monotonic()
            if self._purse.was_drawn_from():
                self._drawn_at = now
            lies_idle = now - self._drawn_at >= _IDLE_SECONDS
            if lies_idle and ledger.may_be_lacked(self._purse.account().idle, self._left):
                self._visit(_Visit(self._purse.set_aside(), purpose="return"))
            else:
                self._visit(_Visit(self._purse.account()))

    def close(self) -> None:
        """Write what was spent and return what is left; does nothing where no call was ever due.

        Raises:
            StoreError: when the store refuses; the record then counts all that was reserved here as spent.
        """
        self._ended.set()
        if self._renewer is not None:
            self._renewer.join()
        with self._writing:
            if self._opened:
                self._visit_at_last(_Visit(self._purse.set_aside(), purpose="leave"))
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
            self._visit_at_last(_Visit(self._purse.set_aside(), purpose="open"))
            self._drawn_at = self._timing.monotonic()
            self._opened = True
            self._ended.clear()
            if self._beat_seconds is not None:
                self._renewer = threading.Thread(target=self._keep_renewing, name="budget-renewal", daemon=True)
                self._renewer.start()

    def _keep_renewing(self) -> None:
        while not self._ended.wait(self._beat_seconds):
            with suppress(StoreError):  # the store may recover; what was spent is kept until then
                self.renew()

    def _visit_at_last(self, visit: _Visit) -> None:
        while True:
            with suppress(PreconditionFailed):
                self._visit(visit)
                return

    def _visit(self, visit: _Visit) -> _Told | None:
        """Change the record, and take over what it says; nothing where it is damaged, which ends all calls."""
        try:
            told = self._file.change(lambda present: self._changed(visit, present))
        except ObjectDamaged as error:
            self._stopped = (
                f"{error.message}, so that nothing tells what models have cost today, and none is asked: look up the "
                "costs at the provider, delete that file, and run again; spending then counts from zero"
            )
            return None
        if told.written:
            self._purse.written(visit.account, told.block)
        self._left = told.left
        self._slots.allow(told.calls)
        self._adopt(told.record)
        return told

    def _changed(self, visit: _Visit, present: BudgetRecord | None) -> tuple[BudgetRecord | None, _Told]:
        now, account = self._timing.now(), visit.account
        found = ledger.of_now(present, self._run_id, now, self._holder)
        if visit.purpose == "open" and self._may_take_over(found, now):
            found = ledger.of_run(found, self._run_id, self._holder)
        if found.run_id != self._run_id:
            booked = ledger.of_day_alone(found, account.settled, account.unsettled)
            return booked, _Told(booked, written=True)
        if visit.purpose == "leave":
            booked = ledger.booked(found, account.settled, account.unsettled + account.under_way)
            left = ledger.with_entry(booked, self._holder, None)
            return left, _Told(left, written=True)
        return self._renewed(visit, present, self._with_news(found, now), now)

    def _renewed(
        self, visit: _Visit, present: BudgetRecord | None, found: BudgetRecord, now: datetime
    ) -> tuple[BudgetRecord | None, _Told]:
        account, old = visit.account, found.holders.get(self._holder)
        booked = ledger.booked(found, account.settled, account.unsettled)
        unspent = ledger.unspent(booked, self._caps)
        left = unspent - ledger.reserved_by_others(booked, self._holder) - account.reserved
        calls, entry = self._calls(booked, now)
        block = ledger.block_for(visit.price, account, left, max(1, calls)) if visit.price else 0
        entry = entry.model_copy(update={"reserved_nanodollars": account.reserved + block})
        told = _Told(booked, True, block, calls, left - block, exhausted=unspent < visit.price)
        quiet = visit.purpose == "renew" and not block and found == present
        if quiet and old is not None and _is_fresh(old, now) and self._asks_the_same(booked, old, entry, now):
            return present, replace(told, written=False)
        return ledger.with_entry(booked, self._holder, entry), told

    def _calls(self, record: BudgetRecord, now: datetime) -> tuple[int, BudgetHolder]:
        """The calls that may be under way here from now on, and the entry that says so."""
        others = ledger.with_entry(record, self._holder, None).holders.values()
        demand = self._slots.wanted
        free = self._caps.calls_at_once - sum(entry.calls_granted for entry in others)
        calls = max(0, min(self._shares(record, demand, now)[self._holder], free))
        # No call begins beyond that from here on, so what is under way now is the most that will be.
        granted = max(calls, self._slots.allow_at_most(calls))
        entry = BudgetHolder(
            reserved_nanodollars=0, calls_granted=granted, calls_wanted=demand, renewed_at=timestamp(now)
        )
        return calls, entry

    def _shares(self, record: BudgetRecord, demand: int, now: datetime) -> dict[str, int]:
        """How all holders would share the calls at once if this one wanted so many."""
        wanted = {name: entry.calls_wanted for name, entry in record.holders.items()}
        turn = int(now.timestamp()) // _TURN_SECONDS
        return fair_shares({**wanted, self._holder: demand}, self._caps.calls_at_once, turn)

    def _asks_the_same(self, record: BudgetRecord, old: BudgetHolder, new: BudgetHolder, now: datetime) -> bool:
        """Whether the record need not tell: nobody's share changes by it, as where all want more than they have."""
        if old.calls_granted != new.calls_granted:
            return False
        before, after = old.calls_wanted, new.calls_wanted
        return before == after or self._shares(record, before, now) == self._shares(record, after, now)

    def _with_news(self, record: BudgetRecord, now: datetime) -> BudgetRecord:
        waits = [_within(record.wait_until, now, LONGEST_PAUSE_SECONDS), _future(self._wait_until, now)]
        opens = [_within(record.open_until, now, OPEN_SECONDS), _future(self.breaker.open_until, now)]
        return record.model_copy(
            update={
                "wait_until": max(filter(None, waits), default=None),
                "open_until": max(filter(None, opens), default=None),
                "stopped": record.stopped or self._stopped,
            }
        )

    def _adopt(self, record: BudgetRecord) -> None:
        self._replaced = record.run_id != self._run_id
        if self._replaced:
            return
        self._stopped = record.stopped or self._stopped
        if record.wait_until is not None:
            self.pause((datetime.fromisoformat(record.wait_until) - self._timing.now()).total_seconds())
        if record.open_until is not None:
            self.breaker.adopt(datetime.fromisoformat(record.open_until))

    def _may_take_over(self, record: BudgetRecord, now: datetime) -> bool:
        """Whether the run that the record belongs to has ended: another one that still holds the lease has not."""
        if record.run_id == self._run_id:
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


def _within(told: str | None, now: datetime, longest_seconds: float) -> str | None:
    """A time that a record tells, if it is to come and no wrong clock has written it."""
    latest = now + timedelta(seconds=2 * longest_seconds)
    return told if told is not None and now < datetime.fromisoformat(told) <= latest else None
