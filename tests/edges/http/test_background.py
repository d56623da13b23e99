"""What makes room for requests, and how long threads wait for each other."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator

import pytest

from tribal.edges.http.asgi.tuning import SWITCH_SECONDS, be_responsive, lower_priority


@pytest.fixture(name="interval", autouse=True)
def interval_fixture() -> Iterator[None]:
    before = sys.getswitchinterval()
    yield
    sys.setswitchinterval(before)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has priorities of threads")
def test_only_the_least_urgent_thread_has_to_wait() -> None:
    def priority() -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    before, seen = priority(), list[int]()

    def work() -> None:
        lower_priority()
        seen.append(priority())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert (seen, priority()) == ([19], before)


def test_a_thread_goes_on_where_priorities_cannot_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    refused = list[int]()

    def refuse(*_: int) -> None:
        refused.append(1)
        raise PermissionError

    monkeypatch.setattr(os, "setpriority", refuse)
    lower_priority()
    monkeypatch.setattr(sys, "platform", "darwin")
    lower_priority()
    assert refused == [1]


def test_threads_wait_for_each_other_only_shortly() -> None:
    be_responsive()
    assert sys.getswitchinterval() == pytest.approx(SWITCH_SECONDS)
