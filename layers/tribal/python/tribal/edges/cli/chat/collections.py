"""`tribal collections`: what collections there are, what they hold, and removing files from them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tribal.edges.cli.chat.working import adding_text, exit_unfinished, opened_uploads
from tribal.edges.cli.console import command, console, counted, interruptible, print_json
from tribal.edges.cli.options import Json, Project

if TYPE_CHECKING:
    from tribal_contracts.chat.collections import CollectionSummary

_HERE = Path()
_Name = Annotated[str, typer.Argument(metavar="NAME", help="The name of the collection.")]

collections = typer.Typer(add_completion=False, rich_markup_mode=None, invoke_without_command=True)


@collections.callback()
@command
def list_collections(context: typer.Context, project: Project = _HERE, as_json: Json = False) -> None:
    """List collections; show one, or remove a file from it."""
    if context.invoked_subcommand is not None:
        return
    with opened_uploads(context, project) as uploads:
        found = uploads.collections()
    if as_json:
        print_json(found)
        return
    for each in found.collections:
        console().print(_line(each))
    if not found.collections:
        typer.echo(f"There are no collections yet; to create one, {adding_text('handbook', context.obj or project)}")


@collections.command("show", epilog="tribal collections show handbook")
@command
def show(context: typer.Context, name: _Name, project: Project = _HERE, as_json: Json = False) -> None:
    """Show the files of a collection."""
    from tribal.capabilities.chat.collections.removal import shown_names
    from tribal.edges.cli.safe_console import escape

    with opened_uploads(context, project) as uploads:
        found = uploads.collection(name)
    if as_json:
        print_json(found)
        return
    out = console()
    out.print(_line(found))
    for each in found.sources:
        names = ", ".join(map(escape, shown_names(each)))
        numbers = f"{counted(each.pages, 'page')}, {counted(each.passages, 'passage')}"
        out.print(f"  {names}: {each.kind}, {numbers}, added {each.added_at[:10]}  [dim]{each.source_id[:12]}[/]")


@collections.command("remove", epilog="tribal collections remove handbook returns.pdf")
@command
def remove(
    context: typer.Context,
    name: _Name,
    file: Annotated[str, typer.Argument(metavar="FILE", help="A file: its name, path in an archive, or id.")],
    project: Project = _HERE,
    as_json: Json = False,
) -> None:
    """Remove a file from a collection: at once from answers, then its original, passages and vectors."""
    from tribal.edges.cli.safe_console import escape
    from tribal.errors import RunInterrupted
    from tribal.ports.stopping import StopToken

    ctrl_c = RunInterrupted("stopped by Ctrl-C")
    with opened_uploads(context, project) as uploads, interruptible(StopToken(), ctrl_c) as stop:
        report = uploads.remove(name, file)
        job = uploads.finish(uploads.job(report.job_id), stop, lambda _: None)
    if as_json:
        print_json(report)
    else:
        names = ", ".join(map(escape, report.names))
        console().print(f"{names} is removed from collection {report.collection}.")
    if job.status == "processing":
        exit_unfinished(job, context.obj or project)


def _line(collection: CollectionSummary) -> str:
    from tribal.edges.cli.safe_console import escape

    numbers = f"{counted(collection.files, 'file')}, {counted(collection.passages, 'passage')}"
    models = ", ".join(collection.models) or "no model"
    layer = collection.layer if collection.owner is None else f"{collection.layer} {collection.owner}"
    return f"[bold]{collection.name}[/]  {collection.profile}  {escape(layer)}  {numbers}  {models}"
