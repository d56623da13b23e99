"""The money that a holder has reserved for its threads."""

from __future__ import annotations

import threading
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Account:
    """The state of a reservation, in nanodollars."""

    idle: int
    under_way: int
    """Highest prices of the running calls."""
    settled: int
    """Spent, and not yet written to the record."""
    unsettled: int

    @property
    def reserved(self) -> int:
        """What running calls and new ones may cost."""
        return self.idle + self.under_way


class Reservation:
    """Reserved money of one holder: a call reserves its highest price and frees the difference afterwards."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle = self._under_way = self._settled = self._unsettled = 0
        self._drawn = False

    def reserve(self, price: int) -> bool:
        """Reserve the highest price of a call; `False` if there is not enough."""
        with self._lock:
            if price > self._idle:
                return False
            self._idle -= price
            self._under_way += price
            self._drawn = True
            return True

    def book(self, price: int, spent: int, *, unseen: bool) -> None:
        """Settle a call reserved at `price`; if its outcome is unknown, it costs at least that."""
        unsettled = max(0, price - spent) if unseen else 0
        with self._lock:
            self._under_way -= price
            self._idle = max(0, self._idle + price - spent - unsettled)
            self._settled += spent
            self._unsettled += unsettled

    def account(self) -> Account:
        """The current state."""
        with self._lock:
            return Account(self._idle, self._under_way, self._settled, self._unsettled)

    def withdraw_idle(self) -> Account:
        """Remove the idle money, and return the state."""
        with self._lock:
            self._idle = 0
            return Account(0, self._under_way, self._settled, self._unsettled)

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
