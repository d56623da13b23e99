"""The one answer to the question whether to stop."""

from __future__ import annotations

import math

import pytest

from tribal.errors import LeaseLost, RunInterrupted
from tribal.ports import StopToken


def test_without_a_deadline_the_time_is_infinite() -> None:
    stop = StopToken()
    assert stop.remaining_seconds() == math.inf
    assert stop.has_time_for(1e9)
    stop.check()


def test_a_deadline_that_is_near_leaves_no_room_and_is_no_failure() -> None:
    left = [90.0]
    stop = StopToken(lambda: left[0])
    assert stop.has_time_for(90)
    left[0] = 19.5
    assert not stop.has_time_for(20)
    assert not stop.requested
    stop.check()


def test_the_first_cause_is_the_one_that_is_raised() -> None:
    stop = StopToken()
    stop.request(LeaseLost("another run took over"))
    stop.request(RunInterrupted("Ctrl-C"))
    assert stop.requested
    assert not stop.has_time_for(0)
    for _ in range(2):
        with pytest.raises(LeaseLost, match="took over"):
            stop.check()
