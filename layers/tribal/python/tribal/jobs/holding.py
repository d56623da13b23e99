"""The process that works on a job, kept in the record of the job itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Generic, TypeVar

from tribal.ports import Clock
from tribal_contracts import Contract

Record = TypeVar("Record", bound=Contract)
_RENEWED_BELOW = 0.5
"""The share of its term below which a holder renews it before a step."""


@dataclass(frozen=True, slots=True)
class Holder:
    """The process that works on a job, and until when no other may take it over."""

    name: str
    expires: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class HolderInside(Generic[Record]):
    """Writes into the record which process holds the job; every save renews the term."""

    own: str
    """The name of this holder; unique to a process or an invocation."""
    term: timedelta
    """More than twice as long as a step may take: after it, the job may be taken over."""
    clock: Clock
    holder_of: Callable[[Record], Holder | None]
    with_holder: Callable[[Record, Holder], Record]
    without_holder: Callable[[Record], Record]

    def is_free(self, record: Record) -> bool:
        """Whether no other process holds it, or its term has ended."""
        holder = self.holder_of(record)
        return holder is None or holder.name == self.own or holder.expires <= self.clock.real()

    def is_own(self, record: Record) -> bool:
        """Whether this process holds it."""
        holder = self.holder_of(record)
        return holder is not None and holder.name == self.own

    def is_due(self, record: Record) -> bool:
        """Whether less than half of the term is left."""
        holder = self.holder_of(record)
        return holder is None or holder.expires - self.clock.real() < self.term * _RENEWED_BELOW

    def hold(self, record: Record) -> Record:
        """The record held by this process for another term."""
        return self.with_holder(record, Holder(self.own, self.clock.real() + self.term))
