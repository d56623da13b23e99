"""`tribal memory`: looks after all memories, whoever they belong to."""

from __future__ import annotations

from pathlib import Path

import typer

from tribal.edges.cli.console import command, print_json
from tribal.edges.cli.options import Json, Project

_HERE = Path()

memory = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)


@memory.callback()
def group() -> None:
    """Look after what is remembered."""


@memory.command("prune")
@command
def prune(project: Project = _HERE, as_json: Json = False) -> None:
    """Remove the memories of sessions that ended: nobody finds them any more.

    A session ends memory.session_days after it was last used.
    """
    from tribal.app.local import local_application
    from tribal.memory.tools import prune_sessions
    from tribal.settings import load_settings

    app = local_application(load_settings(project=project, needs_databases=False))
    try:
        removed = prune_sessions(app)
    finally:
        app.close()
    if as_json:
        print_json({"removed": removed})
        return
    typer.echo(f"{removed:,} {'memory' if removed == 1 else 'memories'} of ended sessions removed.")
