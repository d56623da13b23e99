"""`tribal mcp`: the tools for agents, over the Model Context Protocol, and the settings entries for MCP clients.

In an entry, commands and folders are absolute: a desktop client has neither the shell's working directory nor its PATH.
"""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from tribal.edges.cli.completion.names import databases
from tribal.edges.cli.console import command, print_json
from tribal.edges.cli.options import Project

if TYPE_CHECKING:
    from tribal.identity.scope import Scope
    from tribal.settings import Settings
    from tribal.tools.registry import Registry


_HERE = Path()


@command
def mcp(
    project: Project = _HERE,
    database: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer reads it at run time
        typer.Option(
            "--database",
            metavar="NAME",
            help="Show only this database; may be given several times.",
            autocompletion=databases,
        ),
    ] = None,
    schema: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer reads it at run time
        typer.Option(
            "--schema",
            metavar="DATABASE.SCHEMA",
            help="Show only this schema; may be given several times. Other databases are hidden.",
        ),
    ] = None,
    tools: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer reads it at run time
        typer.Option("--tools", metavar="NAME", help="Offer only this tool or capability; may be given several times."),
    ] = None,
    client: Annotated[
        Optional[McpClient],  # noqa: UP045 - typer reads it at run time
        typer.Option("--client", help="Do not serve; print the settings entry for this client."),
    ] = None,
    url: Annotated[
        Optional[str],  # noqa: UP045 - typer reads it at run time
        typer.Option("--url", help="With --client: the URL of a running server, such as tribal serve."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Do not serve; print the settings entry for MCP clients.")
    ] = False,
) -> None:
    """Serve agents over MCP on standard input and output.

    An MCP client starts it, and it ends with its input; tribal mcp --json prints the entry for the client's settings.
    It may start before the first run: each call reads the current index.
    """
    from tribal.errors import EXIT_INTERRUPTED
    from tribal.settings import load_settings
    from tribal.tools.registry import offered as offered_tools

    scope = _scope(database or [], schema or [])
    settings = load_settings(project=project, needs_databases=False)
    offered = offered_tools(settings.sections, has_model=settings.asks_models).narrowed(tools or [])
    if as_json or client or url:
        start = _command(settings.project, database or [], schema or [], tools or [])
        print_json(_client_settings(client, start, url))
        return
    try:
        _serve(settings, scope, offered)
    except KeyboardInterrupt:
        raise typer.Exit(EXIT_INTERRUPTED) from None


def _serve(settings: Settings, scope: Scope, tools: Registry) -> None:
    from tribal.app.local import local_application
    from tribal.edges.local_caller import local_caller, new_session
    from tribal.edges.mcp.server import serve
    from tribal.edges.mcp.stdio import claim_standard_streams

    caller = local_caller(settings, scope, session=new_session())
    is_terminal = sys.stdin is not None and sys.stdin.isatty()
    reading, writing = claim_standard_streams()
    app = local_application(settings)
    # An interrupt in the middle of an import could be lost.
    if is_terminal:
        typer.echo("MCP server: waiting for a client on standard input; Ctrl-C stops it.", err=True)
        typer.echo("MCP clients start it themselves; tribal mcp --json prints their settings.", err=True)
    try:
        serve(app, caller, reading, writing, tools)
    finally:
        app.close()


def _scope(databases: list[str], schemas: list[str]) -> Scope:
    from tribal.errors import ConfigurationError
    from tribal.identity.scope import EVERYTHING, Scope
    from tribal.identity.table_names import parse_name

    pairs = set()
    for text in schemas:
        try:
            name, part = parse_name(text)
        except ValueError:
            raise ConfigurationError(f"--schema {text!r} is not DATABASE.SCHEMA, such as sales.public") from None
        if databases and name not in databases:
            raise ConfigurationError(f"--schema {text!r} is in a database that --database excludes; add that database")
        pairs.add((name, part))
    if pairs:
        return Scope(schemas=frozenset(pairs))
    return Scope(frozenset(databases)) if databases else EVERYTHING


def _command(project: Path, databases: list[str], schemas: list[str], tools: list[str]) -> list[str]:
    """The command that starts this server from any folder."""
    command = [str(Path(sys.argv[0]).absolute()), "mcp", "--project", str(project)]
    for option, values in (("--database", databases), ("--schema", schemas), ("--tools", tools)):
        for value in values:
            command += [option, value]
    return command


_NAME = "tribal-knowledge"


class McpClient(StrEnum):
    """A client whose settings format is known."""

    CLAUDE = "claude"
    VSCODE = "vscode"
    CURSOR = "cursor"
    DESKTOP = "desktop"


def _client_settings(client: McpClient | None, command: list[str], url: str | None) -> dict[str, Any]:
    """The entry for this server: input of `claude mcp add-json` or `code --add-mcp`, or the content of a settings file.

    Args:
        client: the client; `None` for the format that most clients share.
        command: starts the server on standard input and output.
        url: the address of a running server, used instead of the command.

    Raises:
        ConfigurationError: when the client does not support the entry.
    """
    local = {"command": command[0], "args": command[1:]}
    typed: dict[str, Any] = {"type": "stdio", **local} if url is None else {"type": "http", "url": url}
    match client:
        case McpClient.CLAUDE:
            return typed
        case McpClient.VSCODE:
            return {"name": _NAME, **typed}
        case McpClient.DESKTOP if url is not None:
            from tribal.errors import ConfigurationError

            raise ConfigurationError(
                "claude_desktop_config.json supports only commands; add the URL in Claude Desktop under Settings, "
                "Connectors, or leave out --url"
            )
    return {"mcpServers": {_NAME: local if url is None else {"url": url}}}
