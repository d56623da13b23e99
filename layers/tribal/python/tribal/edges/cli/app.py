"""The command `tribal` and its subcommands. Imports little to keep `--help` fast."""

from __future__ import annotations

from typing import Annotated, Any, Optional

import typer
from typer.core import TyperGroup

from tribal.capabilities import capabilities
from tribal.edges.cli.commands import mcp, pipeline, project, queries, review, serve, site, status, tail, token
from tribal.edges.cli.usage import require_no_dsn, unquoted
from tribal.edges.cli.version import print_version
from tribal.ports.capability import load
from tribal.tools.registry import EVERYTHING, Registry
from tribal_demo.command import demo

_GIVEN = "tribal.arguments"
COMMANDS = [command for each in capabilities() for command in each.commands]
OWN_COMMANDS = frozenset(command.name for command in COMMANDS)
"""Commands of capabilities; one of them may show the answer of a tool in its own way."""


class _Group(TyperGroup):
    """Replaces a placeholder with the actual command when it runs: one derived from a tool, or one for a profile."""

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
        require_no_dsn(name or "", command, rest)
        if name is not None and ctx.params.get("profile") is not None:
            from tribal.edges.cli.commands.profile import profile_command

            command = profile_command(name, command, rest, COMMANDS)
        spec = self.tools.commands.get(name or "")
        if spec is not None and spec.command not in OWN_COMMANDS:
            from tribal.edges.cli.tools.command import derived_command

            command = derived_command(spec, self.tools)
        return name, command, rest


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
    """A placeholder for the help; `_Group` replaces it with the derived command."""


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
    app.command("demo")(demo)
    app.command("init")(project.init)
    app.command("check")(project.check)
    app.command("plan")(pipeline.plan)
    app.command("document")(pipeline.document)
    app.command("index")(pipeline.index)
    app.command("run")(pipeline.run)
    app.command("status")(status.status)
    app.command("tail")(tail.tail)
    app.command("diff")(review.diff)
    app.command("lint")(review.lint)
    app.command("todo")(review.todo)
    app.add_typer(queries.queries, name="queries", help="List verified queries and their status, or verify one.")
    app.command("site")(site.site)
    app.command("mcp")(mcp.mcp)
    app.command("serve")(serve.serve)
    app.add_typer(token.token, name="token", help="Create, list and revoke tokens for tribal serve.")
    for command in COMMANDS:
        target = load(command.target)
        if isinstance(target, typer.Typer):
            app.add_typer(target, name=command.name, help=command.help)
        else:
            app.command(command.name)(target)
    for name, spec in tools.commands.items():
        if name in OWN_COMMANDS:
            continue
        app.command(name, help=spec.summary)(_placeholder)
    return app


app = command_line(EVERYTHING)


def main() -> None:
    """Run the command line."""
    app(prog_name="tribal")
