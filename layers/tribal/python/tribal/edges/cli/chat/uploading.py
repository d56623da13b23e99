"""`tribal upload` and `tribal jobs`: files on their way into collections."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from tribal.edges.cli.chat.working import (
    JobPrinter,
    adding_text,
    exit_code,
    exit_unfinished,
    opened_uploads,
    print_job,
)
from tribal.edges.cli.console import command, console, counted, interruptible, print_json
from tribal.edges.cli.hints import as_typed
from tribal.edges.cli.options import Interval, Json, Project, refuse_with_profile

if TYPE_CHECKING:
    from tribal.edges.cli.chat.upload_clients import UploadsClient
    from tribal.edges.cli.hints import Place
    from tribal.errors import TribalError
    from tribal_contracts.chat.jobs import JobList, UploadJob

_HERE = Path()


@command
def upload(
    context: typer.Context,
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help=".pdf, .docx, .md, .txt, .html or .zip.")],
    collection: Annotated[
        Optional[str],  # noqa: UP045 - typer reads it at run time
        typer.Option(
            "--collection", metavar="NAME", help="The collection; not needed if there is only one.", show_default=False
        ),
    ] = None,
    project: Project = _HERE,
    as_json: Json = False,
) -> None:
    """Add files to a collection, and show what became of each.

    An archive is read file by file; what cannot be read is named, and the other files are indexed. Ctrl-C stops, and
    `tribal jobs --resume ID` resumes. Exits with 1 if only some files are indexed.
    """
    from tribal.capabilities.chat.errors import UploadRefused
    from tribal.errors import EXIT_DONE, EXIT_PARTIAL, RunInterrupted, StoreError
    from tribal.ports.stopping import StopToken
    from tribal_contracts.chat.jobs import JobList

    done: list[UploadJob] = []
    codes: list[int] = []
    ctrl_c = RunInterrupted("stopped by Ctrl-C")
    with opened_uploads(context, project) as uploads, interruptible(StopToken(), ctrl_c) as stop:
        for file in files:
            try:
                job = _accepted(uploads, file, collection, context.obj or project)
            except (UploadRefused, StoreError) as error:
                _print_refusal(file, error)
                codes.append(error.exit_code)
                continue
            printer = JobPrinter(quiet=as_json)
            job = uploads.finish(job, stop, printer.show)
            done.append(job)
            if job.status == "processing":
                break
            _print_end(job, printer, as_json=as_json)
            codes.append(exit_code(job))
    if as_json:
        print_json(JobList(jobs=done, total=len(done), truncated=False))
    if done and done[-1].status == "processing":
        exit_unfinished(done[-1], context.obj or project)
    if any(codes):
        raise typer.Exit(EXIT_PARTIAL if {EXIT_DONE, EXIT_PARTIAL} & {*codes} else codes[0])


@command
def jobs(
    context: typer.Context,
    watch: Annotated[bool, typer.Option("--watch", help="Keep showing them until all have ended.")] = False,
    resume: Annotated[
        Optional[str],  # noqa: UP045 - typer reads it at run time
        typer.Option("--resume", metavar="ID", help="Resume a job that was stopped or killed.", show_default=False),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1_000, help="The most that are listed.")] = 20,
    interval: Interval = 1.0,
    project: Project = _HERE,
    as_json: Json = False,
) -> None:
    """List uploads and removals, newest first.

    Shows which files are not indexed, and why.
    """
    if resume is not None:
        refuse_with_profile(
            context, "--resume", "the environment resumes its jobs by itself; --watch shows them until they end"
        )
    with opened_uploads(context, project) as uploads:
        if resume is not None:
            _resume(uploads, resume, project, as_json=as_json)
            return
        found = uploads.jobs(limit)
        while watch and any(each.status == "processing" for each in found.jobs):
            if not as_json:
                _print_running(found)
            time.sleep(interval)
            found = uploads.jobs(limit)
    print_json(found) if as_json else _print_list(found, context.obj or project)


def _accepted(uploads: UploadsClient, file: Path, collection: str | None, place: Place) -> UploadJob:
    from tribal.capabilities.chat.errors import CollectionNotFound, UploadUnreadable

    if not file.is_file():
        raise UploadUnreadable(f"there is no file {str(file)!r}")
    try:
        return uploads.accept(file, file.name, collection)
    except CollectionNotFound as error:
        name = collection or "handbook"
        raise CollectionNotFound(f"{error.message}\nTo create it, {adding_text(name, place)}") from error
    except OSError as error:
        raise UploadUnreadable(f"{str(file)!r} cannot be read: {error.strerror or error}") from error


def _print_refusal(file: Path, error: TribalError) -> None:
    from tribal.rendering.markdown import show_invisible

    typer.echo(f"error: {show_invisible(file.name)}: {show_invisible(error.message)}", err=True)


def _print_end(job: UploadJob, printer: JobPrinter, *, as_json: bool) -> None:
    if as_json:
        return
    from tribal.edges.cli.safe_console import escape

    printer.show(job)
    good = sum(each.status in ("indexed", "unchanged") for each in job.files)
    total = counted(job.total_files or len(job.files), "file")
    cost = f" for at most ${job.embedding_usd:,.4f}" if job.embedding_usd else ""
    console().print(
        f"[bold]{escape(job.filename)}[/]: {good:,} of {total} indexed in collection {job.collection}{cost}"
    )
    if job.error is not None:
        typer.echo(f"error: {job.error.message}", err=True)


def _resume(uploads: UploadsClient, job_id: str, project: Path, *, as_json: bool) -> None:
    from tribal.errors import RunInterrupted
    from tribal.ports.stopping import StopToken

    printer = JobPrinter(quiet=as_json)
    with interruptible(StopToken(), RunInterrupted("stopped by Ctrl-C")) as stop:
        job = uploads.finish(uploads.job(job_id), stop, printer.show)
    print_json(job) if as_json else print_job(job, console())
    if stop.requested and job.status == "processing":
        exit_unfinished(job, project)
    if code := exit_code(job) if job.status != "processing" else 0:
        raise typer.Exit(code)


def _print_running(found: JobList) -> None:
    for each in reversed(found.jobs):
        if each.status == "processing":
            print_job(each, console(stderr=True))


def _print_list(found: JobList, place: Place) -> None:
    for each in found.jobs:
        print_job(each, console())
    if not found.jobs:
        typer.echo(f"Nothing was uploaded yet; start with {as_typed('upload FILE --collection NAME', place)}")
    elif found.truncated:
        typer.echo(f"the newest {len(found.jobs)} of {counted(found.total, 'job')}; more with --limit")
