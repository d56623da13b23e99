"""The help of commands: under headings, each with an example."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

import typer
from typer.core import TyperCommand, TyperGroup

from tribal.ports.tool import Heading


class _WithExample:
    """Shows the epilog of a command as its example."""

    epilog: str | None

    def format_epilog(self, _: Any, formatter: Any) -> None:
        if not self.epilog:
            return
        with formatter.section("Example"):
            for line in self.epilog.splitlines():
                formatter.write(f"{'':>{formatter.current_indent}}{line}\n")


class Command(_WithExample, TyperCommand):
    """A command with an example."""


class Group(_WithExample, TyperGroup):
    """A command that has subcommands, with an example."""


def click_command(name: str, target: Any, example: str, text: str | None = None) -> Any:
    """Build a Click command.

    Args:
        name: of the command.
        target: a function, or a `typer.Typer` with subcommands.
        example: command lines.
        text: the help; by default, the docstring of the function.
    """
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    if not isinstance(target, typer.Typer):
        app.command(name, cls=Command, help=text, epilog=example)(target)
        return typer.main.get_command(app)
    for subcommand in target.registered_commands:
        subcommand.cls = Command
    app.add_typer(target, name=name, cls=Group, help=text, epilog=example)
    return typer.main.get_group(app).commands[name]


def write_commands(commands: Mapping[str, Any], formatter: Any) -> None:
    """Write commands under their headings, all with the same column of descriptions."""
    shown = {name: command for name, command in commands.items() if not command.hidden}
    width = max(map(len, shown))
    for heading in get_args(Heading):
        rows = [
            (name.ljust(width), command.get_short_help_str(formatter.width - width - 6))
            for name, command in shown.items()
            if command.rich_help_panel == heading
        ]
        with formatter.section(heading):
            formatter.write_dl(rows)
