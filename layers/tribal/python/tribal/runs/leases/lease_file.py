"""The file of a lease: reading, taking and renewing it, and the errors for runs that do not hold it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta

from pydantic import ValidationError

from tribal.catalog.locations import DOCUMENTATION_LEASE, lease_file
from tribal.errors import LeaseLost, ObjectNotFound, PreconditionFailed, RunLocked, StoreError
from tribal.ports import Clock, ObjectStore
from tribal.runs.clock import iso_timestamp
from tribal_contracts import LeaseRecord

# Every lost race was won by another run; after this many in a row, the lease counts as held.
_ATTEMPTS = 5
_FUNCTION = "arn:"
"""Prefix of a holder that is a Lambda function."""


def read_lease(store: ObjectStore, name: str = DOCUMENTATION_LEASE) -> tuple[LeaseRecord | None, str | None]:
    """The current lease of that name and its etag.

    Raises:
        StoreError: when the file cannot be read.
    """
    key = lease_file(name)
    try:
        found = store.get(key)
    except ObjectNotFound:
        return None, None
    try:
        return LeaseRecord.from_json(found.data), found.etag
    except ValidationError as exc:
        raise StoreError(f"{key} in {store.location} cannot be read; delete it when no run is under way") from exc


class LeaseFile:
    """The file of one lease in a store, changed only by conditional put.

    Args:
        store: the store that holds the file.
        clock: decides when a term has ended.
        name: what the lease protects; leases of different names are independent.
    """

    def __init__(self, store: ObjectStore, clock: Clock, name: str = DOCUMENTATION_LEASE) -> None:
        self.store = store
        self.clock = clock
        self._name = name

    def read(self) -> tuple[LeaseRecord | None, str | None]:
        """The current lease and its etag; raises as `read_lease` does."""
        return read_lease(self.store, self._name)

    def take(
        self, run_id: str, holder: str, term: timedelta, *, is_held: Callable[[LeaseRecord], bool]
    ) -> tuple[LeaseRecord, str]:
        """Take the lease if nobody holds it; `is_held` judges one that is neither released nor expired.

        Raises:
            RunLocked: when another run holds it.
        """
        for _ in range(_ATTEMPTS):
            present, etag = self.read()
            if present is not None and is_running(present, self.clock) and is_held(present):
                raise locked_error(self.store, present)
            now = self.clock.real()
            record = LeaseRecord(
                schema_version="1.0",
                run_id=run_id,
                holder=holder,
                fencing_token=present.fencing_token + 1 if present else 1,
                acquired_at=iso_timestamp(now),
                renewed_at=iso_timestamp(now),
                expires_at=iso_timestamp(now + term),
                released=False,
            )
            with suppress(PreconditionFailed):
                return record, self.put(record, etag)
        raise locked_error(self.store, self.read()[0])

    def renewed(self, record: LeaseRecord, term: timedelta) -> LeaseRecord:
        """The record with a term that starts now."""
        now = self.clock.real()
        return record.model_copy(update={"renewed_at": iso_timestamp(now), "expires_at": iso_timestamp(now + term)})

    def released(self, record: LeaseRecord) -> LeaseRecord:
        """The record of the released lease."""
        return record.model_copy(update={"released": True, "renewed_at": iso_timestamp(self.clock.real())})

    def put(self, record: LeaseRecord, etag: str | None) -> str:
        """Replace the record with that etag, or write the first record if there is no etag; returns the new etag.

        Raises:
            PreconditionFailed: when the file holds a different record.
        """
        return self.store.put(lease_file(self._name), record.to_json(), if_match=etag, if_absent=etag is None)


def is_running(record: LeaseRecord, clock: Clock) -> bool:
    """Whether the lease is neither released nor expired."""
    return not record.released and datetime.fromisoformat(record.expires_at) > clock.real()


def same_holding(present: LeaseRecord, ours: LeaseRecord) -> bool:
    """Whether the two records belong to the same acquisition."""
    return present.fencing_token == ours.fencing_token and present.run_id == ours.run_id and not present.released


def holder_text(record: LeaseRecord) -> str:
    """The holder of a lease, for messages."""
    if record.holder.startswith(_FUNCTION):
        function = record.holder.rpartition("/")[0].rpartition(":")[2]
        return f"the deployed environment (function {function})"
    host, _, process = record.holder.rpartition("/")
    return f"host {host!r} (process {process})"


def locked_error(store: ObjectStore, present: LeaseRecord | None) -> RunLocked:
    """The error for a run that cannot get the lease."""
    where = store.location
    if present is None or present.released:
        return RunLocked(f"another run is starting on {where}; wait until it has ended and run the command again")
    host, _, process = present.holder.rpartition("/")
    what = "execution in Step Functions" if present.holder.startswith(_FUNCTION) else "process"
    return RunLocked(
        f"run {present.run_id!r} on {holder_text(present)} has been writing to {where} since "
        f"{present.acquired_at}; wait until it has ended (`tribal status` shows how far it has come) or stop that "
        f"{what}, then run the command again; if it is dead already, its lease ends at {present.expires_at}",
        context={
            "run_id": present.run_id,
            "host": host,
            "process": process,
            "since": present.acquired_at,
            "expires_at": present.expires_at,
        },
    )


def lost_error(run_id: str, present: LeaseRecord | None) -> LeaseLost:
    """The error for a run that has lost the lease."""
    if present is None or present.run_id == run_id:
        return LeaseLost(f"run {run_id!r} does not hold the lease any more; nothing more is published")
    return LeaseLost(
        f"run {present.run_id!r} of {present.holder} took the lease over from run {run_id!r}, "
        "which publishes nothing more; run the command again when that one has ended",
        context={"run_id": present.run_id, "holder": present.holder},
    )
