"""Completes the commands in messages, so that they work when typed."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import NoReturn

import typer

_COMMAND = re.compile(
    r"`tribal (check|plan|document|index|run|status|tail|diff|lint|todo|queries|search|table|join|domains?|mcp"
    r"|jobs|collections|upload|contribute|proposals|sync)\b"
    r"([^`]*)`"
)
_HERE_ONLY = frozenset(("check", "plan", "document", "index", "lint", "mcp"))
_CONNECTING = frozenset(("check", "plan", "document", "run", "diff"))
_EXAMPLE = "postgresql://user@host/database"

Place = Path | str
"""Where a command works: in the folder of a project, or in the environment of the profile of that name."""


def as_typed(command: str, place: Place, dsn: str | None = None) -> str:
    """A command in backticks, with the folder, or the profile, and the database that it needs.

    Args:
        command: without `tribal`.
        place: the project folder, or the name of the profile, as given.
        dsn: the database given on the command line.
    """
    name = command.partition(" ")[0]
    if isinstance(place, str):
        return f"`tribal {command}`" if name in _HERE_ONLY else f"`tribal --profile {place} {command}`"
    source = f" {_source(dsn)}" if name in _CONNECTING and "://" not in command and not _knows_source(place) else ""
    folder = "" if place == Path() or "--project" in command else f" --project {shlex.quote(str(place))}"
    return f"`tribal {command}{source}{folder}`"


def with_typed_commands(text: str, place: Place, dsn: str | None = None) -> str:
    """A message with its commands completed; arguments as for `as_typed`."""
    return _COMMAND.sub(lambda match: as_typed(match[1] + match[2], place, dsn), text)


def stop_watching(command: str, profile: str) -> NoReturn:
    """Say that an environment continues what a command no longer watches, and which command shows it, and exit."""
    from tribal.errors import EXIT_INTERRUPTED

    typer.echo(f"\nstopped watching; the environment continues, and {as_typed(command, profile)} shows it", err=True)
    raise typer.Exit(EXIT_INTERRUPTED)


def _source(dsn: str | None) -> str:
    from tribal.errors import ConfigurationError
    from tribal.settings import read_environment
    from tribal.settings.entries import portable_dsn

    if dsn is None:
        return _EXAMPLE
    try:
        return shlex.quote(portable_dsn(dsn, read_environment()))
    except ConfigurationError:
        return _EXAMPLE


def _knows_source(project: Path) -> bool:
    """Whether the folder records its databases."""
    from tribal.identity.locations import SOURCE_FILE
    from tribal.settings import PROJECT_FILE

    try:
        return any((project / name).exists() for name in (PROJECT_FILE, SOURCE_FILE))
    except OSError:
        return True
