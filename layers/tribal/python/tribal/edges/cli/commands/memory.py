"""`tribal memory`: maintains the memories of all callers."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Literal

import typer

from tribal.edges.cli.console import command, print_json
from tribal.edges.cli.options import Json, Project

if TYPE_CHECKING:
    from tribal.ports import Application, Caller

_HERE = Path()
_STANDARD = Path("-")

memory = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)


@memory.callback()
def group() -> None:
    """Maintain memories."""


@memory.command("export", epilog="tribal memory export memories.jsonl --layer project")
@command
def export_memories(
    file: Annotated[Path, typer.Argument(help="The file to write; - is standard output.")] = _STANDARD,
    layer: Annotated[list[str] | None, typer.Option(help="Only this layer; may be given more than once.")] = None,
    project: Project = _HERE,
) -> None:
    """Write the memories of all callers, one JSON object per line, for tribal memory import.

    The file contains private memories too.
    """
    from tribal.capabilities.memory.errors import MemoryInputInvalid
    from tribal.capabilities.memory.transfer import export_memories
    from tribal.ports.remembering.identity import LAYERS

    unknown = [each for each in layer or () if each not in LAYERS]
    if unknown:
        raise MemoryInputInvalid(f"unknown layer {unknown[0]!r}; the layers are {', '.join(LAYERS)}")
    with _looking_after(project) as (app, _):
        lines = export_memories(app.store(), layer or ())
        if file == _STANDARD:
            for line in lines:
                sys.stdout.buffer.write(line)
            sys.stdout.flush()
            return
        count = 0
        with _opened(file, "wb") as to:
            for line in lines:
                to.write(line)
                count += 1
    typer.echo(f"{_counted(count)} written to {file}.")


@memory.command("import", epilog="tribal memory import memories.jsonl")
@command
def import_memories(
    file: Annotated[Path, typer.Argument(help="A file written by tribal memory export; - is standard input.")],
    project: Project = _HERE,
    as_json: Json = False,
) -> None:
    """Add the memories of an export. If a line is invalid, nothing is added.

    Memories keep their author, time and id. Existing memories stay unchanged, except that tags are merged.
    """
    from tribal.capabilities.memory.tools import repository_for
    from tribal.capabilities.memory.transfer import import_memories

    with _looking_after(project) as (app, caller):
        if file == _STANDARD:
            found = import_memories(sys.stdin.buffer, repository_for(caller, app))
        else:
            with _opened(file, "rb") as lines:
                found = import_memories(lines, repository_for(caller, app))
    if as_json:
        print_json({"added": found.added, "known": found.known})
        return
    typer.echo(f"{_counted(found.added)} added, {found.known:,} already existed.")


@memory.command("prune", epilog="tribal memory prune")
@command
def prune(project: Project = _HERE, as_json: Json = False) -> None:
    """Remove the memories of ended sessions, which no search returns.

    A session ends memory.session_days after its last use.
    """

    with _looking_after(project) as (app, caller):
        assert app.pointers is not None
        removed = app.pointers(caller).expire()
    if as_json:
        print_json({"removed": removed})
        return
    typer.echo(f"{_counted(removed)} of ended sessions removed.")


@contextmanager
def _looking_after(project: Path) -> Iterator[tuple[Application, Caller]]:
    from tribal.app.local import local_application
    from tribal.edges.local_caller import local_caller
    from tribal.settings import load_settings

    settings = load_settings(project=project, needs_databases=False)
    with closing(local_application(settings)) as app:
        yield app, local_caller(settings)


@contextmanager
def _opened(file: Path, mode: Literal["rb", "wb"]) -> Iterator[IO[bytes]]:
    from tribal.errors import MemoryStoreFailed

    try:
        with file.open(mode) as opened:
            yield opened
    except OSError as error:
        done = "read" if mode == "rb" else "written"
        raise MemoryStoreFailed(f"{str(file)!r} cannot be {done}: {error.strerror}") from error


def _counted(count: int) -> str:
    return f"{count:,} {'memory' if count == 1 else 'memories'}"
