"""Read, take and renew the file of a lease, and the errors for runs that do not hold it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from pydantic import ValidationError

from tribal.errors import LeaseLost, ObjectDamaged, ObjectNotFound, PreconditionFailed, RunLocked
from tribal.identity.locations import DOCUMENTATION_LEASE, lease_file
from tribal.jobs.clock import iso_timestamp
from tribal.ports import Clock, ObjectStore
from tribal.store import report_damage, require_seal, sealed
from tribal_contracts import LeaseRecord

LONGEST_TERM_SECONDS = 1_200.0
"""The longest term of any lease."""

# Every lost race was won by another run; after this many in a row, the lease counts as held.
_ATTEMPTS = 5
_FUNCTION = "arn:"
"""Prefix of a holder that is a Lambda function."""


@dataclass(frozen=True, slots=True)
class FoundLease:
    """The state of a lease's file; a damaged one has no record, and no etag if its bytes cannot be read."""

    record: LeaseRecord | None = None
    etag: str | None = None
    modified_at: datetime | None = None
    damaged: bool = False

    def expires_at(self) -> datetime | None:
        """When a damaged lease has certainly expired; `None` if the store does not say when it was written."""
        return self.modified_at + timedelta(seconds=LONGEST_TERM_SECONDS) if self.modified_at else None


def find_lease(store: ObjectStore, clock: Clock, name: str = DOCUMENTATION_LEASE) -> FoundLease:
    """The current lease of that name.

    A lease whose dates say that it ends later than a term from now was written by a wrong clock. It ends one term after
    the store says that it was last written.
    """
    key = lease_file(name)
    try:
        found = store.get(key)
    except ObjectNotFound:
        return FoundLease()
    except ObjectDamaged:
        return FoundLease(damaged=True)
    try:
        require_seal(key, found.data)
        record = LeaseRecord.from_json(found.data)
        expires, renewed = (datetime.fromisoformat(text) for text in (record.expires_at, record.renewed_at))
    except (ObjectDamaged, ValidationError, ValueError):
        return FoundLease(None, found.etag, found.modified_at, damaged=True)
    term = min(max(expires - renewed, timedelta(0)), timedelta(seconds=LONGEST_TERM_SECONDS))
    if found.modified_at is not None and expires > clock.real() + term:
        expires = min(expires, found.modified_at + term)
        record = record.model_copy(update={"expires_at": iso_timestamp(expires)})
    return FoundLease(record, found.etag, found.modified_at)


def read_lease(
    store: ObjectStore, clock: Clock, name: str = DOCUMENTATION_LEASE
) -> tuple[LeaseRecord | None, str | None]:
    """The current lease of that name and its etag; a damaged one counts as missing."""
    found = find_lease(store, clock, name)
    return found.record, found.etag


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
        """The current lease and its etag; a damaged one counts as missing."""
        return read_lease(self.store, self.clock, self._name)

    def take(
        self, run_id: str, holder: str, term: timedelta, *, is_held: Callable[[LeaseRecord], bool], alone: bool = False
    ) -> tuple[LeaseRecord, str]:
        """Take the lease if it is free; `is_held` decides for one that is neither released nor expired.

        A damaged lease does not name its holder. If the operating system's lock shows that this process is `alone`, it
        is taken immediately, otherwise once it has certainly expired; another holder notices before it publishes.

        Raises:
            RunLocked: when another run holds it.
        """
        for _ in range(_ATTEMPTS):
            found = find_lease(self.store, self.clock, self._name)
            present = found.record
            if found.damaged:
                if not alone:
                    self._require_expired(found)
                report_damage(self.store, lease_file(self._name))
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
                return record, self.put(record, found.etag, overwrite=found.damaged and found.etag is None)
        raise locked_error(self.store, self.read()[0])

    def _require_expired(self, found: FoundLease) -> None:
        expires = found.expires_at()
        if expires is not None and expires > self.clock.real():
            ends = iso_timestamp(expires)
            raise RunLocked(
                f"{lease_file(self._name)} in {self.store.location} is damaged, so it is unknown whether a run is in "
                f"progress; the lease expires by {ends} at the latest: run the command again then",
                context={"expires_at": ends},
            )

    def renewed(self, record: LeaseRecord, term: timedelta) -> LeaseRecord:
        """The record with a term that starts now."""
        now = self.clock.real()
        return record.model_copy(update={"renewed_at": iso_timestamp(now), "expires_at": iso_timestamp(now + term)})

    def released(self, record: LeaseRecord) -> LeaseRecord:
        """The record of the released lease."""
        return record.model_copy(update={"released": True, "renewed_at": iso_timestamp(self.clock.real())})

    def put(self, record: LeaseRecord, etag: str | None, *, overwrite: bool = False) -> str:
        """Replace the record with that etag, or write the first record if there is no etag; returns the new etag.

        Args:
            record: the new record.
            etag: the etag of the record to replace.
            overwrite: replace an unreadable file, which has no etag.

        Raises:
            PreconditionFailed: when the file holds a different record.
        """
        key = lease_file(self._name)
        data = sealed(key, record.to_json())
        return self.store.put(key, data, if_match=etag, if_absent=etag is None and not overwrite)


def is_running(record: LeaseRecord, clock: Clock) -> bool:
    """Whether the lease is neither released nor expired."""
    return not record.released and datetime.fromisoformat(record.expires_at) > clock.real()


def same_holding(present: LeaseRecord, ours: LeaseRecord) -> bool:
    """Whether two records belong to the same acquisition."""
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
        return RunLocked(f"another run is starting on {where}; wait until it has finished and run the command again")
    host, _, process = present.holder.rpartition("/")
    what = "execution in Step Functions" if present.holder.startswith(_FUNCTION) else "process"
    return RunLocked(
        f"run {present.run_id!r} on {holder_text(present)} has been writing to {where} since "
        f"{present.acquired_at}; wait until it has finished (`tribal status` shows its progress) or stop that "
        f"{what}, then run the command again; if it has died, its lease expires at {present.expires_at}",
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
        return LeaseLost(f"run {run_id!r} no longer holds the lease; nothing more is published")
    return LeaseLost(
        f"run {present.run_id!r} of {present.holder} took over the lease of run {run_id!r}, "
        "which publishes nothing more; run the command again when the other run has finished",
        context={"run_id": present.run_id, "holder": present.holder},
    )
