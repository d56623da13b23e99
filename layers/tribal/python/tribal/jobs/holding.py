"""The two ways in which a process holds a job: a lease file next to its record, or a holder inside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Generic, Protocol, Self, TypeVar

from tribal.errors import RunLocked
from tribal.jobs.lease import RunLease
from tribal.ports import Clock
from tribal_contracts import Contract

Record = TypeVar("Record", bound=Contract)
_RENEWED_BELOW = 0.5
"""The share of its term below which a holder renews it before a step."""


class JobHeld(Exception):
    """Another process works on the job.

    Args:
        record: what it works on, if that was read.
    """

    def __init__(self, record: Any = None) -> None:
        super().__init__()
        self.record = record


class JobLease(Protocol[Record]):
    """The right to work on a job. It is entered before the record is read."""

    def __enter__(self) -> object: ...

    def __exit__(self, *_: object) -> None: ...

    def is_free(self, record: Record) -> bool:
        """Whether this process may claim the job."""
        ...

    def is_own(self, record: Record) -> bool:
        """Whether no other process has taken it over."""
        ...

    def is_due(self, record: Record) -> bool:
        """Whether to renew it before a step."""
        ...

    def hold(self, record: Record) -> Record:
        """The record as this process writes it while it works on it."""
        ...

    def release(self, record: Record) -> Record:
        """The record for another process to resume."""
        ...


@dataclass(frozen=True, slots=True)
class LeaseBeside:
    """A lease file next to the record, which may serve several jobs that take turns; renewed by a thread."""

    lease: RunLease

    def __enter__(self) -> Self:
        try:
            self.lease.acquire()
        except RunLocked as error:
            raise JobHeld from error
        return self

    def __exit__(self, *_: object) -> None:
        self.lease.release()

    def is_free(self, _: Contract) -> bool:
        """It is: the file was acquired."""
        return True

    def is_own(self, _: Contract) -> bool:
        """Losing the lease requests a stop."""
        return True

    def is_due(self, _: Contract) -> bool:
        """The thread renews it."""
        return False

    def hold(self, record: Record) -> Record:
        """The record itself."""
        return record

    def release(self, record: Record) -> Record:
        """The record itself."""
        return record


@dataclass(frozen=True, slots=True)
class Holder:
    """The process that works on a job, and until when no other may take it over."""

    name: str
    expires: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class HolderInside(Generic[Record]):
    """A holder inside the record, whose term every save renews."""

    own: str
    """The name of this holder; unique to a process or an invocation."""
    term: timedelta
    """More than twice as long as a step may take: after it, the job may be taken over."""
    clock: Clock
    holder_of: Callable[[Record], Holder | None]
    with_holder: Callable[[Record, Holder], Record]
    without_holder: Callable[[Record], Record]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the record to `release`."""

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

    def release(self, record: Record) -> Record:
        """The record without a holder."""
        return self.without_holder(record)
