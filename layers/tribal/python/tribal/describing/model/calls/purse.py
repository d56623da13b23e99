"""The money that a holder has reserved, from which its threads draw."""

from __future__ import annotations

import threading
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Account:
    """What a purse holds at one moment, in nanodollars."""

    idle: int
    under_way: int
    """Worst prices of the calls under way."""
    settled: int
    """Spent, and not yet written to the record."""
    unsettled: int

    @property
    def reserved(self) -> int:
        """What the calls under way and those that begin now may cost."""
        return self.idle + self.under_way


class Purse:
    """Reserved money of one holder: before a call its worst price is drawn, after it the difference comes back."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle = self._under_way = self._settled = self._unsettled = 0
        self._drawn = False

    def draw(self, price: int) -> bool:
        """Take the worst price of a call that begins; `False` when there is not enough."""
        with self._lock:
            if price > self._idle:
                return False
            self._idle -= price
            self._under_way += price
            self._drawn = True
            return True

    def book(self, price: int, spent: int, *, unseen: bool) -> None:
        """Settle a call that was drawn for at `price`; one whose end nobody saw costs no less than that."""
        unsettled = max(0, price - spent) if unseen else 0
        with self._lock:
            self._under_way -= price
            self._idle = max(0, self._idle + price - spent - unsettled)
            self._settled += spent
            self._unsettled += unsettled

    def account(self) -> Account:
        """What there is now."""
        with self._lock:
            return Account(self._idle, self._under_way, self._settled, self._unsettled)

    def set_aside(self) -> Account:
        """What there is now, without the idle money, which nobody can draw any more."""
        with self._lock:
            self._idle = 0
            return Account(0, self._under_way, self._settled, self._unsettled)

    def was_drawn_from(self) -> bool:
        """Whether a call began since this was last asked."""
        with self._lock:
            drawn, self._drawn = self._drawn, False
            return drawn

    def written(self, account: Account, block: int) -> None:
        """The record has what that account had spent, and reserves a block more."""
        with self._lock:
            self._settled -= account.settled
            self._unsettled -= account.unsettled
            self._idle += block
