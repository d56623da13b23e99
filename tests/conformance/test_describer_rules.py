"""The rules describer keeps the port's contract."""

from __future__ import annotations

import pytest

from tests.conformance.describer import *  # noqa: F403
from tribal.describing import RulesDescriber


@pytest.fixture
def describer() -> RulesDescriber:
    return RulesDescriber()
