"""The detective of the tests keeps the port's contract."""

from __future__ import annotations

import pytest

from tests.conformance.detective import *  # noqa: F403
from tests.fakes.interrogation import ScriptedDetective, ScriptedWitness, gap


@pytest.fixture
def detective() -> ScriptedDetective:
    return ScriptedDetective((gap("shop.sales.orders", "high"), gap("revenue"), gap("customer", "low")))


@pytest.fixture
def witness() -> ScriptedWitness:
    return ScriptedWitness({"shop.sales.orders": "One row is an order.", "revenue": "It is disputed."})
