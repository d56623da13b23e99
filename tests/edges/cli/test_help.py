"""The help: every command under a heading, with an example that the command line accepts."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any, get_args

import typer
from typer.testing import CliRunner

from tribal.edges.cli.app import app
from tribal.ports.tool import Heading

ROOT: Any = typer.main.get_command(app)


def parsed(words: list[str]) -> Any:
    """The context of the command that these words run; they are parsed as they would be, and nothing runs."""
    context = ROOT.make_context("tribal", words)
    while (rest := [*context._protected_args, *context.args]) and hasattr(context.command, "commands"):
        name, command, rest = context.command.resolve_command(context, rest)
        context = command.make_context(name, rest, parent=context)
    return context


def every_command() -> Iterator[list[str]]:
    """The words of each command and subcommand that the help lists."""
    for name, command in ROOT.commands.items():
        if not command.hidden:
            yield [name]
            yield from ([name, each] for each in getattr(command, "commands", ()))


def help_of(*words: str) -> str:
    ran = CliRunner(env={"COLUMNS": "80"}).invoke(app, [*words, "--help"])
    assert ran.exit_code == 0, ran.output
    return ran.stdout


def test_the_help_lists_every_command_once_under_its_heading_and_cuts_no_sentence() -> None:
    lines = help_of().splitlines()
    headings = {line[:-1]: place for place, line in enumerate(lines) if line[:-1] in get_args(Heading)}
    assert list(headings) == list(get_args(Heading))
    listed = [line.split()[0] for line in lines[min(headings.values()) :] if line.startswith("  ") and line[2] != " "]
    names = {words[0] for words in every_command()}
    assert sorted(name for name in listed if name in names) == sorted(names)
    assert [line for line in lines if line.endswith("...") and "ARGS" not in line] == []
    assert lines.index("  search          Find tables by what they hold, in plain words.") > headings["Ask"]


def test_the_help_of_every_command_ends_with_an_example_that_the_command_line_accepts() -> None:
    for words in every_command():
        *_, example = help_of(*words).split("\nExample:\n")
        for line in example.splitlines():
            program, *rest = shlex.split(line)
            assert (program, rest[0]) == ("tribal", words[0]), words
            context = parsed(rest)
            assert len(words) == 1 or context.info_name == words[1], line


def test_the_commands_of_an_environment_have_examples_too() -> None:
    for name in ("run", "status", "tail"):
        *_, example = help_of("--profile", "dev", name).split("\nExample:\n")
        assert parsed(shlex.split(example)[1:]).info_name == name
