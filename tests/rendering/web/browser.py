"""A real browser for the HTML page, started once a session."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from servers.chromium import PROGRAMS, Chromium, Tab, installed_chromium
from tests.plugins.skips import skip_or_fail

SHOWN = """
document.querySelector('main h1') && document.querySelector('main').ariaBusy !== 'true'
  && !document.querySelector('main .loading')
"""
"""Whether a view is there with all that it loads."""


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
    tab.until(SHOWN)
    yield tab
    # What was said last comes before this answer.
    assert tab.value("document.title")
    assert tab.problems == []
    assert tab.requests == [address.partition("#")[0]]


def search_for(tab: Tab, text: str) -> None:
    """Type a search, and wait for what it finds."""
    tab.until(SHOWN)
    tab.press("/")
    tab.type(text)
    tab.until(f"document.querySelector('#results')?.dataset.query === {json.dumps(text)}")
