"""Writes that are done while their maker goes on."""

from __future__ import annotations

import threading
from functools import partial

import pytest

from tests.fakes import MemoryStore
from tribal.errors import StoreUnwritable
from tribal.store import background_writes
from tribal.store.writing import WRITES_AT_ONCE


def test_all_writes_are_done_on_leaving() -> None:
    store = MemoryStore()
    with background_writes() as write:
        for number in range(200):
            write(partial(store.put, f"slices/{number}.json", b"%d" % number))
    assert [store.get(f"slices/{number}.json").data for number in range(200)] == [b"%d" % n for n in range(200)]


def test_writes_run_concurrently() -> None:
    together = threading.Barrier(WRITES_AT_ONCE, timeout=30)
    with background_writes() as write:
        for _ in range(WRITES_AT_ONCE):
            write(together.wait)
    assert not together.broken


def test_what_a_write_raised_ends_the_others_that_are_not_taken_yet() -> None:
    def fail() -> None:
        raise StoreUnwritable("cannot write 'x': no space left on device")

    taken: list[int] = []

    def write_many() -> None:
        with background_writes() as write:
            for number in range(1_000):
                write(fail)
                taken.append(number)

    with pytest.raises(StoreUnwritable, match="no space left"):
        write_many()
    assert len(taken) < 1_000


def test_the_last_write_that_fails_is_reported_too() -> None:
    def fail() -> None:
        raise StoreUnwritable("cannot write 'x': no space left on device")

    with pytest.raises(StoreUnwritable), background_writes() as write:
        write(fail)
