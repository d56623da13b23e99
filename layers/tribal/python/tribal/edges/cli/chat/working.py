"""Opens the uploads of a command, and prints jobs and what became of their files."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import typer

from tribal.edges.cli.console import console, counted
from tribal.edges.cli.hints import as_typed, stop_watching
from tribal.edges.cli.options import client_of, opened_folder

if TYPE_CHECKING:
    from rich.console import Console

    from tribal.edges.cli.chat.upload_clients import UploadsClient
    from tribal.edges.cli.hints import Place
    from tribal_contracts.chat.jobs import UploadedFile, UploadJob

LISTED_FILES = 20
"""The most files of one job that a list names."""
_INDENT = "  "


@contextmanager
def opened_uploads(context: typer.Context, project: Path) -> Iterator[UploadsClient]:
    """The uploads of a command's caller."""
    if context.obj is not None:
        from tribal.edges.cli.chat.upload_clients import DeployedUploads

        yield DeployedUploads(client_of(context))
        return
    from tribal.edges.cli.chat.upload_clients import LocalUploads

    with opened_folder(project) as (app, caller):
        yield LocalUploads(app, caller)


def adding_text(name: str, place: Place) -> str:
    """Say how to add a collection."""
    where = "databases.yaml" if isinstance(place, Path) else "the environment's file, and deploy it again"
    return f"add it to {where}:\n  collections:\n    - name: {name}"


class JobPrinter:
    """Prints each finished file of a job once, and on a terminal how many there are."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._shown = 0

    def show(self, job: UploadJob) -> None:
        """Print the files that were not printed yet."""
        if self._quiet:
            return
        counts = sys.stderr.isatty() and job.status == "processing" and (job.total_files or 0) > 1
        for file in job.files[self._shown :]:
            console().print(file_line(file))
        self._shown = len(job.files)
        if counts:
            typer.echo(f"\r{self._shown:,} of {counted(job.total_files or 0, 'file')}\r", err=True, nl=False)


def file_line(file: UploadedFile) -> str:
    """What became of a file, with markup."""
    from tribal.edges.cli.safe_console import escape

    color = {"indexed": "green", "unchanged": "dim"}.get(file.status, "yellow")
    what = f"{_INDENT}{escape(file.source_path or file.filename)}: [{color}]{file.status.replace('_', ' ')}[/]"
    if file.status not in ("indexed", "unchanged"):
        return f"{what}: {escape(file.reason or 'no reason is recorded')}"
    numbers = f"{counted(file.pages, 'page')}, {counted(file.passages, 'passage')}"
    return f"{what}, {numbers}{_without_text(file.pages_without_text or [])}"


def _without_text(pages: list[int]) -> str:
    """Which pages have no text, with runs of pages in short."""
    if not pages:
        return ""
    runs = [
        [page for _, page in run]
        for _, run in groupby(enumerate(pages), key=lambda numbered: numbered[1] - numbered[0])
    ]
    listed = ", ".join(f"{run[0]}" if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs[:LISTED_FILES])
    more = " ..." if len(runs) > LISTED_FILES else ""
    if len(pages) == 1:
        return f"; [yellow]page {listed} has no text[/]: if it is a scan, run OCR first"
    return f"; [yellow]pages {listed}{more} have no text[/]: if they are scans, run OCR first"


def print_job(job: UploadJob, out: Console) -> None:
    """Print a job, and those of its files that are not indexed as a whole."""
    from tribal.edges.cli.safe_console import escape

    created = job.created_at[:16].replace("T", " ")
    what = "removal of " if job.removes is not None else ""
    out.print(
        f"[bold]{job.job_id}[/]  {created}  {job.status}  {job.collection}  {what}{escape(job.filename)}{_count(job)}"
    )
    listed = [each for each in job.files if each.pages_without_text or each.status not in ("indexed", "unchanged")]
    for file in listed[:LISTED_FILES]:
        out.print(file_line(file))
    if len(listed) > LISTED_FILES:
        out.print(f"{_INDENT}[dim]and {counted(len(listed) - LISTED_FILES, 'other file')}; all of them with --json[/]")
    if job.error is not None:
        out.print(f"{_INDENT}[red]{escape(job.error.message)}[/]")


def _count(job: UploadJob) -> str:
    if job.removes is not None or job.total_files is None:
        return ""
    good = sum(each.status in ("indexed", "unchanged") for each in job.files)
    if job.status == "processing":
        return f"  {len(job.files):,} of {counted(job.total_files, 'file')} finished"
    return f"  {good:,} of {counted(job.total_files, 'file')} indexed"


def exit_code(job: UploadJob) -> int:
    """The exit code of a job that has ended: 0, 1 if it is done in part, else that of what failed."""
    from tribal.capabilities.chat.errors import UploadUnreadable
    from tribal.errors import EXIT_DONE, EXIT_PARTIAL
    from tribal.tools.error_classes import error_class_of

    if job.status == "completed":
        return EXIT_DONE
    if job.status == "partial":
        return EXIT_PARTIAL
    return UploadUnreadable.exit_code if job.error is None else error_class_of(job.error.code).exit_code


def exit_unfinished(job: UploadJob, place: Place) -> NoReturn:
    """Say how a stopped job is resumed, or what an environment does with it, and exit."""
    from tribal.errors import EXIT_INTERRUPTED

    if isinstance(place, str):
        stop_watching("jobs --watch", place)
    resume = as_typed(f"jobs --resume {job.job_id}", place)
    typer.echo(f"stopped; finished work is kept, and {resume} resumes it", err=True)
    raise typer.Exit(EXIT_INTERRUPTED)
