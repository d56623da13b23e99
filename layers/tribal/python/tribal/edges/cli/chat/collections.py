"""`tribal collections`: what collections there are, what they hold, and removing files from them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tribal.edges.cli.chat.working import exit_unfinished, opened_uploads, work_through
from tribal.edges.cli.console import command, console, counted, interruptible, print_json
from tribal.edges.cli.options import Json, Project

if TYPE_CHECKING:
    from tribal.capabilities.chat.uploads.uploads import CollectionState
    from tribal_contracts.chat.settings import CollectionEntry

_HERE = Path()
_Name = Annotated[str, typer.Argument(metavar="NAME", help="The name of the collection.")]

collections = typer.Typer(add_completion=False, rich_markup_mode=None, invoke_without_command=True)


@collections.callback()
@command
def list_collections(context: typer.Context, project: Project = _HERE, as_json: Json = False) -> None:
    """List collections; show one, or remove a file from it."""
    if context.invoked_subcommand is not None:
        return
    with opened_uploads(project) as uploads:
        states = uploads.states()
    if as_json:
        print_json({"collections": [_summary(each) for each in states]})
        return
    for each in states:
        console().print(_line(each))
    if not states:
        typer.echo("There are no collections; add one to databases.yaml:\n  collections:\n    - name: handbook")


@collections.command("show")
@command
def show(name: _Name, project: Project = _HERE, as_json: Json = False) -> None:
    """Show the files of a collection."""
    from tribal.capabilities.chat.collections.removal import shown_names
    from tribal.edges.cli.safe_console import escape

    with opened_uploads(project) as uploads:
        state = uploads.state(name)
    sources = state.manifest.sources
    if as_json:
        print_json(_summary(state) | {"sources": [each.model_dump(mode="json") for each in sources]})
        return
    out = console()
    out.print(_line(state))
    for each in sources:
        names = ", ".join(map(escape, shown_names(each)))
        numbers = f"{counted(each.pages, 'page')}, {counted(each.passages, 'passage')}"
        out.print(f"  {names}: {each.kind}, {numbers}, added {each.added_at[:10]}  [dim]{each.source_id[:12]}[/]")


@collections.command("remove")
@command
def remove(
    name: _Name,
    file: Annotated[str, typer.Argument(metavar="FILE", help="A file: its name, path in an archive, or id.")],
    project: Project = _HERE,
    as_json: Json = False,
) -> None:
    """Remove a file from a collection: at once from answers, then its original, passages and vectors."""
    from tribal.edges.cli.safe_console import escape
    from tribal.errors import RunInterrupted
    from tribal.ports.stopping import StopToken

    with opened_uploads(project) as uploads, interruptible(StopToken(), RunInterrupted("stopped by Ctrl-C")) as stop:
        report = uploads.remove(name, file)
        job = work_through(uploads, uploads.job(report.job_id), stop, lambda _: None)
    if as_json:
        print_json(report)
    else:
        names = ", ".join(map(escape, report.names))
        console().print(f"{names} is removed from collection {report.collection}.")
    if job.status == "processing":
        exit_unfinished(job, project)


def _summary(state: CollectionState) -> dict[str, Any]:
    entry, sources = state.entry, state.manifest.sources
    embedding = None if state.record is None else state.record.embedding.model_dump(mode="json")
    return {
        "name": entry.title,
        "profile": entry.profile,
        "layer": entry.layer,
        "owner": entry.owner,
        "course_id": entry.course,
        "models": entry.every_model,
        "embedding": embedding,
        "files": len(sources),
        "passages": sum(each.passages for each in sources),
    }


def _line(state: CollectionState) -> str:
    from tribal.edges.cli.safe_console import escape

    sources = state.manifest.sources
    numbers = f"{counted(len(sources), 'file')}, {counted(sum(each.passages for each in sources), 'passage')}"
    models = ", ".join(state.entry.every_model) or "no model"
    return f"[bold]{state.entry.title}[/]  {state.entry.profile}  {escape(_layer(state.entry))}  {numbers}  {models}"


def _layer(entry: CollectionEntry) -> str:
    return entry.layer if entry.owner is None else f"{entry.layer} {entry.owner}"
