"""Leases of several names, and who hears of a lost one."""

from __future__ import annotations

import itertools
import threading
from pathlib import Path

import pytest

from tests.fakes import FixedClock, MemoryStore
from tribal.adapters.local.folder import FolderLock, FolderStore
from tribal.errors import LeaseLost, RunLocked
from tribal.identity.locations import LEASE_FILE
from tribal.jobs.clock import SystemClock
from tribal.jobs.lease import RunLease
from tribal.jobs.lease_file import LeaseFile
from tribal.ports import StopToken
from tribal.runs.workers.pool import ThreadWorkerPool
from tribal_contracts import LeaseRecord


def test_leases_of_two_names_know_nothing_of_each_other(tmp_path: Path) -> None:
    store, clock = FolderStore(tmp_path), FixedClock()
    documenting = RunLease(LeaseFile(store, clock), "r1", lock=FolderLock(tmp_path))
    syncing = RunLease(LeaseFile(store, clock, "knowledge"), "r2", lock=FolderLock(tmp_path, "knowledge"))
    with documenting, syncing:
        documenting.check()
        syncing.check()
        with pytest.raises(RunLocked, match="'r2'"):
            RunLease(LeaseFile(store, clock, "knowledge"), "r3").acquire()
    assert [key for key in store.keys("progress/") if "lease" in key] == [LEASE_FILE, "progress/leases/knowledge.json"]


def test_workers_are_told_to_stop_once_the_lease_is_lost() -> None:
    store, clock, stop = MemoryStore(), SystemClock(), StopToken()
    with RunLease(LeaseFile(store, clock), "slow", term_seconds=0.03, stop=stop):
        store.put(
            LEASE_FILE,
            LeaseRecord.from_json(store.get(LEASE_FILE).data)
            .model_copy(update={"run_id": "quick", "fencing_token": 2})
            .to_json(),
        )
        with pytest.raises(LeaseLost, match="'quick'"):
            list(ThreadWorkerPool(stop).run(lambda _: threading.Event().wait(0.001), itertools.count(), 1))
