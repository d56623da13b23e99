"""The file of a lease: read, taken, renewed, and what is said to those who do not have it."""

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

# Each lost race means that somebody else won one; so many in a row mean that the lease is busy.
_ATTEMPTS = 5
_FUNCTION = "arn:"
"""How the holder begins where it is a function of a deployed environment."""


def read_lease(store: ObjectStore, name: str = DOCUMENTATION_LEASE) -> tuple[LeaseRecord | None, str | None]:
    """The lease of that name and its etag, as they are now.

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
        store: where it lies.
        clock: by which a term ends.
        name: what the right is for; leases of different names know nothing of each other.
    """

    def __init__(self, store: ObjectStore, clock: Clock, name: str = DOCUMENTATION_LEASE) -> None:
        self.store = store
        self.clock = clock
        self._name = name

    def read(self) -> tuple[LeaseRecord | None, str | None]:
        """The lease and its etag, as they are now; raises as `read_lease` does."""
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
        """The record with a term that begins now."""
        now = self.clock.real()
        return record.model_copy(update={"renewed_at": iso_timestamp(now), "expires_at": iso_timestamp(now + term)})

    def released(self, record: LeaseRecord) -> LeaseRecord:
        """The record of a lease that was given back."""
        return record.model_copy(update={"released": True, "renewed_at": iso_timestamp(self.clock.real())})

    def put(self, record: LeaseRecord, etag: str | None) -> str:
        """Write the record in place of the one with that etag, or as the first one, and return its etag.

        Raises:
            PreconditionFailed: when another one is there.
        """
        return self.store.put(lease_file(self._name), record.to_json(), if_match=etag, if_absent=etag is None)


def is_running(record: LeaseRecord, clock: Clock) -> bool:
    """Whether the term goes on."""
    return not record.released and datetime.fromisoformat(record.expires_at) > clock.real()


def same_holding(present: LeaseRecord, ours: LeaseRecord) -> bool:
    """Whether nobody took the lease between the two records."""
    return present.fencing_token == ours.fencing_token and present.run_id == ours.run_id and not present.released


def holder_text(record: LeaseRecord) -> str:
    """Who holds a lease, as a person is told."""
    if record.holder.startswith(_FUNCTION):
        function = record.holder.rpartition("/")[0].rpartition(":")[2]
        return f"the deployed environment (function {function})"
    host, _, process = record.holder.rpartition("/")
    return f"host {host!r} (process {process})"


def locked_error(store: ObjectStore, present: LeaseRecord | None) -> RunLocked:
    """What a run is told that does not get the lease."""
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
    """What a run is told whose lease another run has now."""
    if present is None or present.run_id == run_id:
        return LeaseLost(f"run {run_id!r} does not hold the lease any more; nothing more is published")
    return LeaseLost(
        f"run {present.run_id!r} of {present.holder} took the lease over from run {run_id!r}, "
        "which publishes nothing more; run the command again when that one has ended",
        context={"run_id": present.run_id, "holder": present.holder},
    )
