"""The fake store keeps the port's contract."""

from __future__ import annotations

import pytest

from tests.conformance.object_store import *  # noqa: F403
from tests.fakes import MemoryStore


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()
