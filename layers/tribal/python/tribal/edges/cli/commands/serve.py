"""`tribal serve`: the tools over HTTP."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Optional

import typer

from tribal.edges.cli.console import command
from tribal.edges.cli.options import Project

_HERE = Path()


@command
def serve(
    project: Project = _HERE,
    host: Annotated[str, typer.Option(help="The address to bind; beyond this machine, a token is required.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(help="The port; 0 for any free one.", min=0, max=65_535)] = 8080,
    workers: Annotated[int, typer.Option(help="Number of server processes.", min=1, max=64)] = 1,
    tools: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer reads it at run time
        typer.Option("--tools", metavar="NAME", help="Offer only this tool or capability; may be given several times."),
    ] = None,
    require_token: Annotated[
        bool, typer.Option("--require-token", help="Require a token on this machine too, for example behind a proxy.")
    ] = False,
    write: Annotated[
        bool,
        typer.Option(
            "--write",
            help="Let people on this machine correct descriptions and upload files; others need a token with a right.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the address as a JSON object.")] = False,
) -> None:
    """Serve people, programs and agents over HTTP.

    Ends with Ctrl-C or SIGTERM. The tools are at /v1/tools, documented at /docs and /openapi.json. It may start before
    the first run, and loads a new index without a restart. Callers on this machine need no token; others need one from
    tribal token, or from the issuer in databases.yaml under serve.
    """
    from tribal.edges.http.asgi.running import listen, run_server
    from tribal.edges.http.asgi.starting import ServerBlueprint, check_server
    from tribal.errors import EXIT_INTERRUPTED
    from tribal.settings import load_settings

    settings = load_settings(project=project, needs_databases=False)
    blueprint = ServerBlueprint(settings, host, require_token=require_token, tools=tuple(tools or ()), write=write)
    for warning in check_server(blueprint):
        typer.echo(f"warning: {warning}", err=True)
    with listen(host, port) as listening:
        address = _address(host, listening.getsockname()[1])
        if as_json:
            typer.echo(json.dumps({"address": address, "workers": workers}))
        else:
            typer.echo(f"serving {address}")
            typer.echo("Ctrl-C stops it.", err=True)
        if run_server(blueprint, listening, workers):
            raise typer.Exit(EXIT_INTERRUPTED)


def _address(host: str, port: int) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"
