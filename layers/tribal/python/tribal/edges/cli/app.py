"""The command `tribal` and its subcommands. Imports little to keep `--help` fast."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Optional

import typer
from typer.core import TyperGroup

from tribal.edges.cli.command_list import COMMANDS
from tribal.edges.cli.help import click_command, write_commands
from tribal.edges.cli.usage import require_no_dsn, unquoted
from tribal.edges.cli.version import print_version
from tribal.ports.capability import CommandSpec, load
from tribal.tools.registry import EVERYTHING, Registry

_GIVEN = "tribal.arguments"


class _Group(TyperGroup):
    """Replaces a placeholder with the actual command when it runs: a listed one, a tool's, or one for a profile."""

    tools: Registry

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        given = tuple(args)
        with unquoted(given):
            context = super().make_context(info_name, args, parent, **extra)
        context.meta[_GIVEN] = given
        return context

    def invoke(self, ctx: Any) -> Any:
        with unquoted(ctx.meta[_GIVEN]):
            return super().invoke(ctx)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        spec, tool = COMMANDS.get(name or ""), self.tools.commands.get(name or "")
        if spec is not None:
            command = _built(spec)
        require_no_dsn(name or "", command, rest)
        if name is not None and ctx.params.get("profile") is not None:
            from tribal.edges.cli.commands.profile import profile_command

            command = profile_command(name, command, rest)
        if spec is None and tool is not None:
            from tribal.edges.cli.tools.command import derived_command

            command = derived_command(tool, self.tools)
        return name, command, rest

    def format_commands(self, _: Any, formatter: Any) -> None:
        write_commands(self.commands, formatter)


def _print_version(wanted: bool) -> None:
    if wanted:
        print_version()
        raise typer.Exit


def tribal(
    context: typer.Context,
    profile: Annotated[
        Optional[str],  # noqa: UP045 - typer reads it at run time
        typer.Option(
            "--profile",
            metavar="NAME",
            help="Work with a deployed environment instead of a local folder. "
            "NAME is an environment, or a profile in ~/.config/tribal/profiles.yaml.",
            show_default=False,
        ),
    ] = None,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version, and where it is installed."
        ),
    ] = False,
) -> None:
    """Keep the profile for the command that runs."""
    context.obj = profile


def _placeholder() -> None:
    """A placeholder for the help; `_Group` replaces it with the actual command. Building all takes 0.1 s."""


@cache
def _built(spec: CommandSpec) -> Any:
    return click_command(spec.name, load(spec.target), spec.example, spec.help)


def command_line(tools: Registry) -> typer.Typer:
    """Build the command `tribal` with a command for each tool."""
    app = typer.Typer(
        cls=type("Group", (_Group,), {"tools": tools}),
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        help="Write down what your databases mean, and ask about it.\n\n"
        "tribal run postgresql://user@host/database reads a database, documents every table and builds the "
        "index; then tribal search, table, join, domain and domains answer, and tribal mcp answers agents.",
        epilog="Exit codes: 0 done, 1 done in part, 2 usage or configuration, 3 database, 4 another run, 5 store, "
        "6 nothing to work on yet, 7 not found, 8 deployed environment, 9 refused by a law of the chat, "
        "130 interrupted.",
    )
    app.callback()(tribal)
    for name, spec in COMMANDS.items():
        app.command(name, help=spec.help or load(spec.target).__doc__, rich_help_panel=spec.heading)(_placeholder)
    for name, tool in tools.commands.items():
        if name not in COMMANDS:
            heading = tools.group_of(tool.name).heading
            app.command(name, help=tool.summary, rich_help_panel=heading, hidden=tool.is_earlier_command)(_placeholder)
    return app


app = command_line(EVERYTHING)


def main() -> None:
    """Run the command line."""
    app(prog_name="tribal")
