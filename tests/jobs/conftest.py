"""What leases are taken in, and the clock that they run by."""

from __future__ import annotations

import pytest

from tests.fakes import FixedClock, MemoryStore


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()
