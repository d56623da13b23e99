"""The right to write, held by one run at a time."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes import FixedClock, MemoryStore
from tribal.adapters.local.folder import FolderLock, FolderStore
from tribal.errors import LeaseLost, RunLocked, StoreUnwritable
from tribal.identity.locations import LEASE_FILE
from tribal.jobs.clock import SystemClock
from tribal.jobs.lease import RunLease, this_process
from tribal.jobs.lease_file import LeaseFile
from tribal.ports import Lease
from tribal_contracts import LeaseRecord

PATIENCE_SECONDS = 30.0


class OneLock:
    """Plays the operating system's lock: `owner` is shared, and emptied when a process 'dies'."""

    def __init__(self, owner: list[object]) -> None:
        self._owner = owner

    def try_acquire(self) -> bool:
        if self._owner and self._owner[0] is not self:
            return False
        self._owner[:] = [self]
        return True

    def release(self) -> None:
        if self._owner and self._owner[0] is self:
            self._owner.clear()


def _record(store: MemoryStore) -> LeaseRecord:
    return LeaseRecord.from_json(store.get(LEASE_FILE).data)


def _left_behind(store: MemoryStore, clock: FixedClock, holder: str) -> None:
    """A lease as a run leaves it that is killed right after acquiring it."""
    lease = RunLease(LeaseFile(store, clock), "dead", holder=holder)
    with lease:
        record = _record(store)
    store.put(LEASE_FILE, record.to_json())


def test_a_lease_tells_who_holds_it_and_until_when(store: MemoryStore, clock: FixedClock) -> None:
    with RunLease(LeaseFile(store, clock), "r1", holder="laptop/4711") as lease:
        held: Lease = lease
        held.check()
        assert held.run_id == "r1"
        assert _record(store) == LeaseRecord(
            schema_version="1.0",
            run_id="r1",
            holder="laptop/4711",
            fencing_token=1,
            acquired_at="2026-11-21T02:45:00.000Z",
            renewed_at="2026-11-21T02:45:00.000Z",
            expires_at="2026-11-21T02:46:00.000Z",
            released=False,
        )
    assert _record(store).released


def test_the_fencing_token_rises_with_every_holder(store: MemoryStore, clock: FixedClock) -> None:
    tokens = []
    for run_id in ("r1", "r2", "r3"):
        with RunLease(LeaseFile(store, clock), run_id) as lease:
            tokens.append((lease.fencing_token, _record(store).fencing_token))
        assert lease.fencing_token == 0
    assert tokens == [(1, 1), (2, 2), (3, 3)]


def test_a_second_run_is_shown_who_holds_the_lease_and_what_to_do(store: MemoryStore, clock: FixedClock) -> None:
    with RunLease(LeaseFile(store, clock), "r1", holder="laptop/4711"):
        clock.advance(59)
        with pytest.raises(RunLocked) as caught:
            RunLease(LeaseFile(store, clock), "r2").acquire()
    message = caught.value.message
    for part in ("'r1'", "'laptop'", "4711", "2026-11-21T02:45:00.000Z", "memory", "tribal status"):
        assert part in message
    assert caught.value.context is not None
    assert caught.value.context["run_id"] == "r1"
    assert caught.value.context["process"] == "4711"


def test_an_expired_lease_is_taken_over_and_its_holder_may_publish_nothing_more(
    store: MemoryStore, clock: FixedClock
) -> None:
    with RunLease(LeaseFile(store, clock), "r1") as slow:
        clock.advance(60)
        with RunLease(LeaseFile(store, clock), "r2") as quick:
            assert quick.fencing_token == 2
            for _ in range(2):
                with pytest.raises(LeaseLost, match="nothing more"):
                    slow.check()
            with pytest.raises(LeaseLost):
                slow.renew()
            quick.check()
            slow.release()
            quick.check()
            assert not _record(store).released


def test_an_expired_lease_that_no_one_took_is_renewed_by_the_check(store: MemoryStore, clock: FixedClock) -> None:
    with RunLease(LeaseFile(store, clock), "r1") as lease:
        clock.advance(3600)
        lease.check()
        assert _record(store).expires_at == "2026-11-21T03:46:00.000Z"
        with pytest.raises(RunLocked):
            RunLease(LeaseFile(store, clock), "r2").acquire()


def test_of_two_runs_that_find_an_expired_lease_one_gets_it(clock: FixedClock) -> None:
    class Overtaken(MemoryStore):
        """Another run takes the lease between our reading and our writing."""

        rival: RunLease | None = None

        def put(self, key: str, data: bytes, *, if_match: str | None = None, if_absent: bool = False) -> str:
            if self.rival is not None:
                rival, self.rival = self.rival, None
                rival.acquire()
            return super().put(key, data, if_match=if_match, if_absent=if_absent)

    store = Overtaken()
    rival = RunLease(LeaseFile(store, clock), "rival")
    store.rival = rival
    with pytest.raises(RunLocked, match="rival"):
        RunLease(LeaseFile(store, clock), "r1").acquire()
    rival.check()
    rival.release()


def test_a_lease_that_is_gone_or_given_back_is_lost(store: MemoryStore, clock: FixedClock) -> None:
    lease = RunLease(LeaseFile(store, clock), "r1")
    with pytest.raises(LeaseLost):
        lease.check()
    with lease:
        store.delete(LEASE_FILE)
        with pytest.raises(LeaseLost):
            lease.check()
    with pytest.raises(LeaseLost):
        lease.check()
    lease.release()


def test_a_lease_can_be_taken_again_after_it_was_given_back(store: MemoryStore, clock: FixedClock) -> None:
    lease = RunLease(LeaseFile(store, clock), "r1")
    for token in (1, 2):
        with lease:
            lease.check()
            assert lease.fencing_token == token


def test_with_a_process_lock_what_a_dead_run_of_this_host_left_is_taken_over_at_once(
    store: MemoryStore, clock: FixedClock
) -> None:
    _left_behind(store, clock, "laptop/1")
    with RunLease(LeaseFile(store, clock), "r2", lock=OneLock([]), holder="laptop/2") as lease:
        assert lease.fencing_token == 2
        lease.check()


def test_without_a_process_lock_what_a_dead_run_left_counts_until_it_expires(
    store: MemoryStore, clock: FixedClock
) -> None:
    _left_behind(store, clock, "laptop/1")
    lease = RunLease(LeaseFile(store, clock), "r2", holder="laptop/2")
    with pytest.raises(RunLocked):
        lease.acquire()
    clock.advance(60)
    with lease:
        lease.check()


def test_a_lease_of_another_host_counts_until_it_expires_and_the_process_lock_is_given_back(
    store: MemoryStore, clock: FixedClock
) -> None:
    _left_behind(store, clock, "server/1")
    owner: list[object] = []
    lease = RunLease(LeaseFile(store, clock), "r2", lock=OneLock(owner), holder="laptop/2")
    with pytest.raises(RunLocked, match="'server'"):
        lease.acquire()
    assert owner == []
    clock.advance(60)
    with lease:
        assert owner != []
    assert owner == []


def test_while_the_process_lock_is_held_elsewhere_even_an_expired_lease_is_locked(
    store: MemoryStore, clock: FixedClock
) -> None:
    owner: list[object] = []
    with RunLease(LeaseFile(store, clock), "r1", lock=OneLock(owner), holder="laptop/1"):
        clock.advance(3600)
        with pytest.raises(RunLocked, match=r"'r1'.*process 1"):
            RunLease(LeaseFile(store, clock), "r2", lock=OneLock(owner), holder="laptop/2").acquire()


def test_a_run_that_is_just_starting_locks_out_another_though_it_has_no_name_yet(
    store: MemoryStore, clock: FixedClock
) -> None:
    owner: list[object] = []
    OneLock(owner).try_acquire()
    with pytest.raises(RunLocked, match="another run is starting"):
        RunLease(LeaseFile(store, clock), "r2", lock=OneLock(owner)).acquire()


class WatchedStore(MemoryStore):
    """Tells when the lease was written often enough, and can refuse to be written."""

    def __init__(self, wanted: int) -> None:
        super().__init__()
        self.wanted = wanted
        self.reached = threading.Event()
        self.refusing = False

    def put(self, key: str, data: bytes, *, if_match: str | None = None, if_absent: bool = False) -> str:
        self.wanted -= 1
        if self.wanted <= 0:
            self.reached.set()
        if self.refusing:
            raise StoreUnwritable("the disk is full")
        return super().put(key, data, if_match=if_match, if_absent=if_absent)


def _renewals() -> Iterator[threading.Thread]:
    return (thread for thread in threading.enumerate() if thread.name == "lease-renewal")


def test_a_held_lease_is_renewed_by_itself_until_it_is_given_back(clock: FixedClock) -> None:
    store = WatchedStore(wanted=4)
    before = len(list(_renewals()))
    with RunLease(LeaseFile(store, clock), "r1", term_seconds=0.03) as lease:
        clock.advance(100)
        assert store.reached.wait(PATIENCE_SECONDS)
        lease.check()
        assert _record(store).fencing_token == 1
        assert _record(store).renewed_at == "2026-11-21T02:46:40.000Z"
    assert len(list(_renewals())) == before


def test_a_lost_lease_is_no_longer_renewed(store: MemoryStore, clock: FixedClock) -> None:
    with RunLease(LeaseFile(store, clock), "r1", term_seconds=0.03) as lease:
        (renewal,) = _renewals()
        taken = _record(store).model_copy(update={"run_id": "r2", "fencing_token": 2})
        store.put(LEASE_FILE, taken.to_json())
        renewal.join(PATIENCE_SECONDS)
        assert not renewal.is_alive()
        with pytest.raises(LeaseLost):
            lease.check()
    assert _record(store) == taken


def test_a_store_that_refuses_for_a_while_does_not_cost_the_lease(clock: FixedClock) -> None:
    store = WatchedStore(wanted=3)
    with RunLease(LeaseFile(store, clock), "r1", term_seconds=0.03) as lease:
        store.refusing = True
        assert store.reached.wait(PATIENCE_SECONDS)
        with pytest.raises(StoreUnwritable):
            lease.renew()
        clock.advance(1)
        with pytest.raises(StoreUnwritable):
            lease.check()
        store.refusing = False
        lease.check()
    assert _record(store).released


def test_a_renewal_that_took_place_though_it_was_reported_as_failed_is_recognised(
    store: MemoryStore, clock: FixedClock
) -> None:
    with RunLease(LeaseFile(store, clock), "r1") as lease:
        moved = _record(store).model_copy(update={"renewed_at": "2026-11-21T02:45:01.000Z"})
        store.put(LEASE_FILE, moved.to_json())
        lease.renew()
        lease.check()
    assert _record(store).released


def test_a_lease_that_cannot_be_given_back_does_not_hide_how_the_run_ended(clock: FixedClock) -> None:
    store = WatchedStore(wanted=0)
    owner: list[object] = []

    def run() -> None:
        with RunLease(LeaseFile(store, clock), "r1", lock=OneLock(owner)):
            store.refusing = True
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run()
    assert owner == []


def test_of_many_that_want_a_folder_at_once_one_gets_it(tmp_path: Path, clock: FixedClock) -> None:
    leases = [RunLease(LeaseFile(FolderStore(tmp_path), clock), f"r{n}", lock=FolderLock(tmp_path)) for n in range(6)]
    barrier = threading.Barrier(len(leases))
    held: list[RunLease] = []

    def acquire(lease: RunLease) -> None:
        barrier.wait()
        try:
            lease.acquire()
        except RunLocked:
            return
        held.append(lease)

    threads = [threading.Thread(target=acquire, args=(lease,)) for lease in leases]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(held) == 1
    held[0].check()
    held[0].release()
    with leases[0]:
        leases[0].check()


_RUN_FOR_EVER = """
import sys
from pathlib import Path
from tribal.adapters.local.folder import FolderLock, FolderStore
from tribal.jobs.clock import SystemClock
from tribal.jobs.lease import RunLease
from tribal.jobs.lease_file import LeaseFile
root = Path(sys.argv[1])
with RunLease(LeaseFile(FolderStore(root), SystemClock()), "r1", lock=FolderLock(root)):
    print("running", flush=True)
    input()
"""


def test_a_killed_process_blocks_the_next_run_not_for_a_moment(tmp_path: Path) -> None:
    other = subprocess.Popen(
        [sys.executable, "-c", _RUN_FOR_EVER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert other.stdout is not None
    assert other.stdout.readline() == "running\n"
    lease = RunLease(LeaseFile(FolderStore(tmp_path), SystemClock()), "r2", lock=FolderLock(tmp_path))
    with pytest.raises(RunLocked, match=f"'r1'.*process {other.pid}"):
        lease.acquire()
    other.kill()
    other.communicate()
    with lease:
        lease.check()
        assert lease.fencing_token == 2


def test_a_holder_is_a_host_and_a_process() -> None:
    host, _, process = this_process().rpartition("/")
    assert host
    assert process.isdigit()
