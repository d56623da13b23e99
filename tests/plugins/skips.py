"""What a test does when something that it needs is not to be had here."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def skip_or_fail(reason: str) -> NoReturn:
    """Skip the test; with `CI=true` fail it, since there everything is to be had and a skip would go unnoticed."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"cannot be skipped with CI=true: {reason}", pytrace=False)
    pytest.skip(reason)
