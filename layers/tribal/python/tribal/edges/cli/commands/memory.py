"""`tribal memory`: looks after all memories, whoever they belong to."""

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
    """Look after what is remembered."""


@memory.command("export")
@command
def export_memories(
    file: Annotated[Path, typer.Argument(help="Where to; - is standard output.")] = _STANDARD,
    layer: Annotated[list[str] | None, typer.Option(help="Only this layer; may be given more than once.")] = None,
    project: Project = _HERE,
) -> None:
    """Write every memory, whoever it belongs to, as a line of JSON: what an import elsewhere reads.

    Whoever reads the file reads what anybody remembered for himself.
    """
    from tribal.capabilities.memory.errors import MemoryInputInvalid
    from tribal.capabilities.memory.transfer import exported
    from tribal.ports.remembering.identity import LAYERS

    unknown = [each for each in layer or () if each not in LAYERS]
    if unknown:
        raise MemoryInputInvalid(f"there is no layer {unknown[0]!r}; the layers are {', '.join(LAYERS)}")
    with _looking_after(project) as (app, _):
        lines = exported(app.store(), layer or ())
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


@memory.command("import")
@command
def import_memories(
    file: Annotated[Path, typer.Argument(help="What an export wrote; - is standard input.")],
    project: Project = _HERE,
    as_json: Json = False,
) -> None:
    """Add the memories of an export, all of them or, where a line cannot be taken, none.

    They keep author, time and id. What is there already stays as it is, with the tags of both.
    """
    from tribal.capabilities.memory.tools import repository_for
    from tribal.capabilities.memory.transfer import imported

    with _looking_after(project) as (app, caller):
        if file == _STANDARD:
            found = imported(sys.stdin.buffer, repository_for(caller, app))
        else:
            with _opened(file, "rb") as lines:
                found = imported(lines, repository_for(caller, app))
    if as_json:
        print_json({"added": found.added, "known": found.known})
        return
    typer.echo(f"{_counted(found.added)} added, {found.known:,} there already.")


@memory.command("prune")
@command
def prune(project: Project = _HERE, as_json: Json = False) -> None:
    """Remove the memories of sessions that ended: nobody finds them any more.

    A session ends memory.session_days after it was last used.
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
