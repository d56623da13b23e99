"""The stand-in for Snowflake, one for each test that asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.fakes.snowflake import FakeSnowflake


@pytest.fixture
def snowflake() -> Iterator[FakeSnowflake]:
    """An empty account; the test fails where the connector told tales or the fake itself broke."""
    from tests.fakes.snowflake import FakeSnowflake

    fake = FakeSnowflake()
    try:
        yield fake
    finally:
        fake.stop()
    assert fake.telemetry == []
    assert fake.broken == []
