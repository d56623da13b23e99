"""Every test of memory writes as if no one had written before: the rate is counted in the process."""

from __future__ import annotations

import pytest

from tribal.capabilities.memory import change
from tribal.rate_limits import TokenBuckets


@pytest.fixture(autouse=True)
def _no_one_has_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(change, "_WRITES", TokenBuckets())
