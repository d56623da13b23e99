"""docs/tour.md, played as it is written."""

from __future__ import annotations

import pytest

from tests import ROOT
from tests.scenario.company import DECISIONS, WIDER, manuals, migrations_in_order
from tests.scenario.one_machine import OneMachine
from tests.scenario.steps import RATE_LIMITED_FOR_AN_HOUR
from tests.scenario.tour import play_section, sections

pytestmark = pytest.mark.slow


def test_every_command_of_the_tour_prints_what_the_page_shows(machine: OneMachine) -> None:
    machine.decide(DECISIONS)
    machine.put("manuals.zip", manuals(files=3))
    between = {9: _limit_the_first_model, 11: _merge_and_migrate, 12: _widen_the_column}
    for number, blocks in sections(ROOT / "docs" / "tour.md").items():
        between.get(number, _do_nothing)(machine)
        play_section(machine, blocks)


def _do_nothing(_: OneMachine) -> None:
    """Nothing happens outside of the tour's own commands."""


def _limit_the_first_model(machine: OneMachine) -> None:
    machine.vendor.fail(None, None, None, None, RATE_LIMITED_FOR_AN_HOUR)


def _merge_and_migrate(machine: OneMachine) -> None:
    (pull,) = machine.github.pulls.found
    machine.github.pulls.merge(pull.number)
    machine.migrate(migrations_in_order(machine.github.objects.files("main")), afresh=True)


def _widen_the_column(machine: OneMachine) -> None:
    machine.migrate([WIDER])
