"""`tribal demo`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tribal.edges.cli.console import command


@command
def demo(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder for the sample.")] = Path("tribal-demo"),
) -> None:
    """Show what Tribal Knowledge does, on a sample company.

    Starts a PostgreSQL server with the sample in the folder, documents it, and stops the server at the end. To use an
    empty database of your own instead, set TRIBAL_DEMO_DSN to its DSN.
    """
    from tribal_demo.story import play

    raise typer.Exit(play(folder))
