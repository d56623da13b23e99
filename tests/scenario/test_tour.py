"""docs/tour.md, played as it is written."""

from __future__ import annotations

import re

import pytest

from tests import ROOT
from tests.docs.blocks import Block, blocks_of
from tests.docs.names import Names
from tests.docs.shell import Shell
from tests.scenario.company import DECISIONS, WIDER, manuals, migrations_in_order
from tests.scenario.one_machine import OneMachine
from tests.scenario.steps import RATE_LIMITED_FOR_AN_HOUR

pytestmark = pytest.mark.slow
_SECTION = re.compile(r"^## (\d+)\. ", re.MULTILINE)


def test_every_command_of_the_tour_prints_what_the_page_shows(machine: OneMachine) -> None:
    machine.decide(DECISIONS)
    machine.put("manuals.zip", manuals(files=3))
    between = {9: _limit_the_first_model, 11: _merge_and_migrate, 12: _widen_the_column}
    shell = Shell(machine.project, Names(), lambda: machine.environment | machine.profiles())
    for number, blocks in _sections().items():
        between.get(number, _do_nothing)(machine)
        shell.play(blocks)


def _sections() -> dict[int, list[Block]]:
    """Return the blocks of each step."""
    _, *parts = _SECTION.split((ROOT / "docs" / "tour.md").read_text(encoding="utf-8"))
    return {
        int(number): blocks_of(text, f"tour.md, step {number}")
        for number, text in zip(parts[::2], parts[1::2], strict=True)
    }


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
