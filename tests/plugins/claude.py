"""A stand-in for Claude for every test, by way of `tests/conftest.py`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.fakes.claude import FakeClaude


@pytest.fixture
def claude() -> Iterator[FakeClaude]:
    """Claude on a port of this machine; a test fails when a field was used that the vendor does not have."""
    # It reads the SDK's types, and importing those takes a second or two.
    from tests.fakes.claude import FakeClaude

    server = FakeClaude()
    yield server
    server.stop()
    assert server.violations == []
