"""Which tests run in `make verify` only: tests of what tests rely on, and suites at their full size."""

from __future__ import annotations

import pytest
from hypothesis import settings

from tests import ROOT

VERIFY_FOLDERS = ("fakes", "servers")
"""Folders whose tests are about servers and fakes for tests; `representative` keeps a test in `make test`."""
EXAMPLES = 30
"""Examples of a property in `make test`; `--hypothesis-profile=thorough` has hypothesis's own 100."""

# A slow machine is not a failure: speed is measured in bench/, never asserted.
settings.register_profile("brief", deadline=None, max_examples=EXAMPLES)
settings.register_profile("thorough", deadline=None)
settings.load_profile("brief")


def examples(brief: int, thorough: int) -> int:
    """How many examples a property gets whose number matters to it."""
    return thorough if settings.get_current_profile_name() == "thorough" else brief


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of those folders before marks choose what runs."""
    folders = [ROOT / "tests" / folder for folder in VERIFY_FOLDERS]
    for item in items:
        inside = any(item.path.is_relative_to(folder) for folder in folders)
        if inside and item.get_closest_marker("representative") is None:
            item.add_marker(pytest.mark.verify)
