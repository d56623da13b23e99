"""The help: every command under a heading, with an example that the command line accepts."""

from __future__ import annotations

import shlex
from typing import get_args

from typer.testing import CliRunner

from tests.edges.cli.every_command import every_command, parse
from tribal.edges.cli.app import app
from tribal.ports.tool import Heading


def help_of(*words: str) -> str:
    ran = CliRunner(env={"COLUMNS": "80"}).invoke(app, [*words, "--help"])
    assert ran.exit_code == 0, ran.output
    return ran.stdout


def test_the_help_lists_every_command_once_under_its_heading_and_cuts_no_sentence() -> None:
    lines = help_of().splitlines()
    headings = {line[:-1]: place for place, line in enumerate(lines) if line[:-1] in get_args(Heading)}
    assert list(headings) == list(get_args(Heading))
    listed = [line.split()[0] for line in lines[min(headings.values()) :] if line.startswith("  ") and line[2] != " "]
    names = {words.partition(" ")[0] for words in every_command()}
    assert sorted(name for name in listed if name in names) == sorted(names)
    assert [line for line in lines if line.endswith("...") and "ARGS" not in line] == []
    assert lines.index("  search          Find tables by what they hold, in plain words.") > headings["Ask"]


def test_the_help_of_every_command_ends_with_an_example_that_the_command_line_accepts() -> None:
    for words in every_command():
        name, *subcommands = words.split()
        *_, example = help_of(name, *subcommands).split("\nExample:\n")
        for line in example.splitlines():
            program, *rest = shlex.split(line)
            assert (program, rest[0]) == ("tribal", name), words
            assert [parse(rest).info_name] == subcommands or not subcommands, line


def test_the_commands_of_an_environment_have_examples_too() -> None:
    for name in ("run", "status", "tail"):
        *_, example = help_of("--profile", "dev", name).split("\nExample:\n")
        assert parse(shlex.split(example)[1:]).info_name == name
