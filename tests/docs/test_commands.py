"""Every command of README and of the documents is run as it is written, and prints what the page shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests import ROOT
from tests.cases import each_case
from tests.docs.blocks import PAGES, blocks_of_page
from tests.docs.conftest import OpenShell
from tests.docs.not_run import NOT_RUN, left_out_by
from tests.edges.cli.every_command import parse

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("pages")]

PLAYED_ELSEWHERE = ROOT / "docs" / "tour.md"
"""The page that tests/scenario/test_tour.py plays."""
_FENCE = re.compile(r"^ *```", re.MULTILINE)
LANGUAGES = set("caddyfile console diff html json markdown nginx python sh sql text tsx yaml".split())
"""`console` shows commands with their output, `sh` commands without."""
COMMANDS = [
    (page, command)
    for page in PAGES
    if page != PLAYED_ELSEWHERE
    for block in blocks_of_page(page)
    for command in block.commands
]
PLAYED = list(dict.fromkeys(page for page, command in COMMANDS if left_out_by(page, command) is None))
LEFT_OUT = [(page, command) for page, command in COMMANDS if left_out_by(page, command) is not None]


@pytest.mark.parametrize("page", PLAYED, ids=lambda page: page.stem)
def test_every_command_of_a_page_prints_what_the_page_shows(page: Path, open_shell: OpenShell) -> None:
    with open_shell(page) as shell:
        shell.play(blocks_of_page(page), leave_out=lambda command: left_out_by(page, command) is not None)


def test_the_list_of_commands_that_are_not_run_is_exact() -> None:
    assert set(NOT_RUN) == {left_out_by(page, command) for page, command in LEFT_OUT}


@each_case("text", [command.text for _, command in LEFT_OUT if command.text.startswith("tribal ")])
def test_a_command_of_tribal_that_is_not_run_can_be_parsed(text: str) -> None:
    parse(shlex.split(text, comments=True)[1:])


@each_case("page", PAGES, ids=lambda page: page.name)
def test_every_block_has_a_language(page: Path) -> None:
    blocks = blocks_of_page(page)
    assert [block.place for block in blocks if block.language not in LANGUAGES] == []
    # One that is indented or not closed would be overlooked.
    text = page.read_text(encoding="utf-8")
    inside = sum(len(_FENCE.findall(block.text)) for block in blocks)
    assert len(_FENCE.findall(text)) - inside == 2 * len(blocks)


def test_every_make_target_of_a_command_and_of_the_readme_exists() -> None:
    named = {shlex.split(command.text)[1] for _, command in COMMANDS if command.text.startswith("make ")}
    named |= set(re.findall(r"`make ([a-z-]+)`", (ROOT / "README.md").read_text(encoding="utf-8")))
    targets = re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert named - set(targets) == set()
