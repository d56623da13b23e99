"""A part of some areas, with a seed that changes nothing from run to run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.attack.__main__ import PAGE, with_rows
from tests.attack.areas import AREAS, WITH_A_SERVER
from tests.attack.outcome import Attack, Outcome

pytestmark = pytest.mark.slow
SEED = 20261122
EFFORT = 0.02
HERE = ("catalog", "masking of harmless texts", "scope", "damaged index", "tokens")
"""Areas whose smallest size takes seconds at most; `make verify` attacks all areas at full size."""


@pytest.mark.parametrize(
    "area", [pytest.param(area, marks=[pytest.mark.server] if area in WITH_A_SERVER else []) for area in HERE]
)
def test_what_the_attack_tries_breaks_through_no_more_often_than_its_goal(area: str, tmp_path: Path) -> None:
    broken = [str(outcome) for outcome in AREAS[area](Attack(SEED, EFFORT, tmp_path)) if not outcome.holds]

    assert broken == []


def test_the_page_has_a_row_for_every_area_and_a_new_attack_replaces_only_its_own() -> None:
    page = PAGE.read_text("utf-8")
    assert [area for area in AREAS if f"\n| {area} | " not in page] == []

    rows = [("tokens", Outcome("expired", 20, 1, goal=0.1)), ("tokens", Outcome("unsigned", 30, 1))]
    written = with_rows(page, rows, 7)

    changed = set(written.splitlines()) - set(page.splitlines())
    assert changed == {"| tokens | 1 of 2 | 50 | 2 | unsigned: 3.3%, goal 0% | 7 |"}
    assert with_rows(written, rows, 7) == written
