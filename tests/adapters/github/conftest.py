"""The stand-in for GitHub with a small repository."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.adapters.github.clients import FILES
from tests.fakes.github.server import FakeGitHub


@pytest.fixture(name="github")
def github_fixture() -> Iterator[FakeGitHub]:
    made = FakeGitHub(FILES)
    yield made
    made.stop()
    assert made.leaks == []
