"""A lease that many processes of one run pass through."""

from __future__ import annotations

import pytest

from tests.fakes import FixedClock, MemoryStore
from tribal.errors import LeaseLost, RunLocked
from tribal.identity.locations import LEASE_FILE
from tribal.jobs.lease import RunLease, SharedLease
from tribal.jobs.lease_file import LeaseFile
from tribal.ports import Lease
from tribal_contracts import LeaseRecord


def shared(store: MemoryStore, clock: FixedClock, run_id: str = "r1") -> SharedLease:
    return SharedLease(LeaseFile(store, clock), run_id, holder="states/planner", term_seconds=300)


def record(store: MemoryStore) -> LeaseRecord:
    return LeaseRecord.from_json(store.get(LEASE_FILE).data)


def test_processes_of_a_run_share_its_lease_and_others_are_kept_out(store: MemoryStore, clock: FixedClock) -> None:
    shared(store, clock).open()
    lease: Lease = shared(store, clock)
    lease.check()
    assert (lease.run_id, record(store).fencing_token) == ("r1", 1)
    for other in (shared(store, clock, "r2").open, RunLease(LeaseFile(store, clock), "r3").acquire):
        with pytest.raises(RunLocked, match="'r1'"):
            other()
    with pytest.raises(LeaseLost):
        shared(store, clock, "r2").check()


def test_a_repeated_start_of_the_same_run_joins_it(store: MemoryStore, clock: FixedClock) -> None:
    shared(store, clock).open()
    before = record(store)
    shared(store, clock).open()
    assert record(store) == before


def test_a_holder_that_finds_a_third_of_the_term_gone_renews_it(store: MemoryStore, clock: FixedClock) -> None:
    shared(store, clock).open()
    first = record(store)
    clock.advance(99)
    shared(store, clock).check()
    assert record(store) == first
    for _ in range(10):
        clock.advance(100)
        shared(store, clock).check()
    assert record(store).fencing_token == 1
    with pytest.raises(RunLocked):
        shared(store, clock, "r2").open()


def test_a_run_that_fell_silent_is_replaced_and_publishes_nothing_more(store: MemoryStore, clock: FixedClock) -> None:
    shared(store, clock).open()
    clock.advance(300)
    shared(store, clock, "r2").open()
    with pytest.raises(LeaseLost, match="'r2'"):
        shared(store, clock).check()
    shared(store, clock).close()
    assert not record(store).released
    shared(store, clock, "r2").close()
    assert record(store).released


def test_a_run_that_gave_its_lease_back_is_over(store: MemoryStore, clock: FixedClock) -> None:
    shared(store, clock).open()
    shared(store, clock).close()
    shared(store, clock).close()
    with pytest.raises(LeaseLost):
        shared(store, clock).check()
    with RunLease(LeaseFile(store, clock), "r2") as lease:
        assert lease.fencing_token == 2


class Racing(MemoryStore):
    """Lets another process renew just before our put."""

    def __init__(self, clock: FixedClock) -> None:
        super().__init__()
        self._clock = clock
        self.racer = "r1"

    def put(self, key: str, data: bytes, *, if_match: str | None = None, if_absent: bool = False) -> str:
        if if_match is not None and self.racer:
            racer, self.racer = self.racer, ""
            present = LeaseRecord.from_json(self.get(key).data)
            super().put(key, present.model_copy(update={"run_id": racer, "holder": "racer/1"}).to_json())
        return super().put(key, data, if_match=if_match, if_absent=if_absent)


def test_two_processes_of_a_run_may_renew_at_the_same_time(clock: FixedClock) -> None:
    store = Racing(clock)
    shared(store, clock).open()
    clock.advance(150)
    shared(store, clock).check()
    assert record(store).holder == "racer/1"


def test_a_renewal_that_another_run_overtakes_is_a_loss(clock: FixedClock) -> None:
    store = Racing(clock)
    store.racer = "r2"
    shared(store, clock).open()
    clock.advance(150)
    with pytest.raises(LeaseLost, match="'r2'"):
        shared(store, clock).check()


def test_closing_survives_a_renewal_in_between(clock: FixedClock) -> None:
    store = Racing(clock)
    shared(store, clock).open()
    shared(store, clock).close()
    assert record(store).released
