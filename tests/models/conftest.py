"""Stores and simulated time for budgets."""

from __future__ import annotations

import pytest

from tests.fakes.memory_store import MemoryStore
from tests.fakes.simulation import Simulation


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def simulation() -> Simulation:
    return Simulation()
