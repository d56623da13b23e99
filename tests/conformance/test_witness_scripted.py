"""The witness of the tests keeps the port's contract."""

from __future__ import annotations

import pytest

from tests.conformance.witness import *  # noqa: F403
from tests.fakes.interrogation import ScriptedWitness


@pytest.fixture
def witness() -> ScriptedWitness:
    return ScriptedWitness({"revenue": "It is without tax."})


@pytest.fixture
def known() -> str:
    return "What is revenue?"
