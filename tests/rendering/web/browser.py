"""A real browser for the HTML page, started once a session."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from servers.chromium import PROGRAMS, Chromium, Tab, installed_chromium
from tests.plugins.skips import skip_or_fail


@pytest.fixture(name="chromium", scope="session")
def chromium_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    program = installed_chromium()
    if program is None:
        skip_or_fail(f"none of {', '.join(PROGRAMS)} is installed; with one the HTML page is tried")
    with Chromium(program, tmp_path_factory.mktemp("chromium")) as browser:
        yield browser


@contextmanager
def reading(chromium: Chromium, address: str, *, scheme: str = "light") -> Iterator[Tab]:
    """The page in a tab, which asks for nothing but itself and says nothing on the console."""
    tab = chromium.open(address, scheme=scheme)
    yield tab
    # What was said last comes before this answer.
    assert tab.value("document.title")
    assert tab.problems == []
    assert tab.requests == [address.partition("#")[0]]
