"""A lease that is damaged, or dated by a wrong clock, blocks no one for long."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.cases import each_case
from tests.fakes import FixedClock, MemoryStore
from tests.jobs.test_lease import OneLock
from tribal.adapters.local.folder import FolderStore
from tribal.errors import RunLocked
from tribal.identity.locations import LEASE_FILE
from tribal.jobs.lease import RunLease
from tribal.jobs.lease_file import LeaseFile, find_lease

DAMAGES = (b"", b"{", b"[]", b"\0" * 300)


@each_case("damage", DAMAGES, ids=["emptied", "cut", "another shape", "NUL"])
def test_a_damaged_lease_is_taken_at_once_where_the_lock_shows_that_no_one_runs(damage: bytes, tmp_path: Path) -> None:
    store, clock = FolderStore(tmp_path), FixedClock(datetime.now(UTC))
    store.put(LEASE_FILE, damage)
    with RunLease(LeaseFile(store, clock), "r1", lock=OneLock([])) as lease:
        lease.check()
        found = find_lease(store, clock).record
        assert found is not None
        assert found.run_id == "r1"


def test_a_lease_with_one_bit_flipped_is_damaged(store: MemoryStore, clock: FixedClock) -> None:
    with RunLease(LeaseFile(store, clock), "r1"):
        data = store.get(LEASE_FILE).data
    store.put(LEASE_FILE, data.replace(b'"r1"', b'"r0"'))
    assert find_lease(store, clock).damaged
    assert find_lease(store, clock).record is None


def test_without_a_lock_a_damaged_lease_runs_out_the_longest_term_after_it_was_written(tmp_path: Path) -> None:
    folder, now = FolderStore(tmp_path), datetime.now(UTC)
    folder.put(LEASE_FILE, b"")
    soon, later = FixedClock(now + timedelta(minutes=19)), FixedClock(now + timedelta(minutes=21))
    with pytest.raises(RunLocked, match="is damaged, so it is unknown whether a run is in progress"):
        RunLease(LeaseFile(folder, soon), "r1").acquire()
    assert folder.get(LEASE_FILE).data == b""
    with RunLease(LeaseFile(folder, later), "r1") as lease:
        lease.check()


def test_a_lease_that_a_wrong_clock_dated_2099_runs_out_a_term_after_the_store_saw_it_renewed(tmp_path: Path) -> None:
    folder, now = FolderStore(tmp_path), datetime.now(UTC)
    with RunLease(LeaseFile(folder, FixedClock(datetime(2099, 1, 1, tzinfo=UTC))), "far", holder="elsewhere/1"):
        with pytest.raises(RunLocked, match="'far' on host 'elsewhere'"):
            RunLease(LeaseFile(folder, FixedClock(now + timedelta(seconds=30))), "r1", holder="here/1").acquire()
        with RunLease(LeaseFile(folder, FixedClock(now + timedelta(seconds=90))), "r1", holder="here/1") as lease:
            lease.check()


def test_a_lease_within_its_term_counts_by_its_own_date_even_where_the_clock_of_the_store_is_slow(
    tmp_path: Path,
) -> None:
    folder, now = FolderStore(tmp_path), datetime.now(UTC)
    ahead = FixedClock(now + timedelta(minutes=5))
    with RunLease(LeaseFile(folder, ahead), "r1"), pytest.raises(RunLocked, match="'r1'"):
        RunLease(LeaseFile(folder, ahead), "r2").acquire()
