"""Every command of `tribal`, as the command line builds it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import typer

from tribal.edges.cli.app import app

ROOT: Any = typer.main.get_command(app)


def every_command(*, hidden: bool = False) -> dict[str, Any]:
    """The Click commands by their words, such as `queries verify`, with the hidden ones if wanted."""
    found: dict[str, Any] = {}
    for name, listed in ROOT.commands.items():
        if hidden or not listed.hidden:
            found[name] = command_of(name)
            found |= {f"{name} {each}": sub for each, sub in getattr(found[name], "commands", {}).items()}
    return found


def command_of(name: str) -> Any:
    """The Click command of that name."""
    _, command, _ = ROOT.resolve_command(ROOT.make_context("tribal", [name]), [name])
    return command


def parse(words: Sequence[str]) -> Any:
    """The context of the command that these words run; they are parsed as they would be, and nothing runs."""
    context = ROOT.make_context("tribal", [*words])
    while (rest := [*context._protected_args, *context.args]) and hasattr(context.command, "commands"):
        name, command, rest = context.command.resolve_command(context, rest)
        context = command.make_context(name, rest, parent=context)
    return context
