"""The scenario on one machine."""

from __future__ import annotations

import json

import pytest

from tests.scenario.one_machine import OneMachine
from tests.scenario.steps import ANSWERS, play

# Starts servers, and takes half a minute.
pytestmark = pytest.mark.slow


def test_five_systems_are_one_product(machine: OneMachine) -> None:
    assert play(machine) == json.loads(ANSWERS.read_text(encoding="utf-8"))
