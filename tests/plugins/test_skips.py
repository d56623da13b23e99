"""A test that cannot run is skipped on a laptop and fails in CI."""

from __future__ import annotations

import pytest

from tests.plugins.skips import skip_or_fail


def test_what_cannot_run_is_skipped_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no server"):
        skip_or_fail("no server")


def test_in_ci_the_same_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="no server"):
        skip_or_fail("no server")
