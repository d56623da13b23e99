"""Stand-ins for OpenAI, Gemini, Groq and Ollama for every test, by way of `tests/conftest.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.fakes.openai import FakeOpenAI
    from tests.fakes.openai.vendor import VendorName


@pytest.fixture
def open_vendor() -> Iterator[Callable[[VendorName], FakeOpenAI]]:
    """Opens a vendor on a port; a test fails when a field was used that the SDK's types do not have."""
    # It reads the SDK's types, and importing those takes seconds.
    from tests.fakes.openai import FakeOpenAI

    opened: list[FakeOpenAI] = []

    def open_one(vendor: VendorName) -> FakeOpenAI:
        opened.append(FakeOpenAI(vendor=vendor))
        return opened[-1]

    yield open_one
    for each in opened:
        each.stop()
    for each in opened:
        assert each.violations == []
