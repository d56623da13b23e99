"""Calls to servers that may be slow."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from tests.fakes.memory_store import MemoryStore
from tests.fakes.scripted_model import ScriptedModel
from tests.fakes.simulation import Simulation
from tests.models.building import budget, capped, request
from tribal.ports import ModelFailure, ModelOutcome, ModelRequest, StopToken
from tribal_contracts import ModelUsage


@pytest.mark.parametrize(("left", "first"), [(math.inf, 1_800.0), (900.0, 880.0), (70.0, 60.0)])
def test_a_slow_attempt_may_take_longer_than_the_deadline_in_which_retries_begin(
    left: float, first: float, store: MemoryStore, simulation: Simulation
) -> None:
    def slow(_: ModelRequest, number: int) -> ModelOutcome:
        simulation.pause(30)
        return ModelFailure("unavailable", "no", ModelUsage(calls=1))

    model = ScriptedModel(slow)
    with budget(store, simulation) as money:
        asked = replace(request(60), longest_seconds=1_800.0, idle_seconds=60.0)
        capped(model, money, simulation, StopToken(lambda: left - simulation.monotonic())).ask(asked)
    deadlines = [each.deadline_seconds for each in model.requests]
    assert deadlines[0] == pytest.approx(first, abs=1)
    assert len(deadlines) <= 2
    assert simulation.monotonic() < 120
