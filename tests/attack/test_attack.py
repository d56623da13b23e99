"""A part of every area, with a seed that changes nothing from run to run."""

from __future__ import annotations

from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from tests.attack.areas import AREAS, WITH_SERVERS
from tests.attack.outcome import Attack

SEED = 20261122
EFFORT = 0.02


def _marked(area: str) -> ParameterSet:
    return pytest.param(area, marks=pytest.mark.server if area in WITH_SERVERS else ())


@pytest.mark.parametrize("area", [_marked(area) for area in AREAS])
def test_what_the_attack_tries_breaks_through_no_more_often_than_its_goal(area: str, tmp_path: Path) -> None:
    broken = [str(outcome) for outcome in AREAS[area](Attack(SEED, EFFORT, tmp_path)) if not outcome.holds]

    assert broken == []
