"""`tribal status`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tribal.edges.cli.console import command, console, print_json
from tribal.edges.cli.options import Json, Project

if TYPE_CHECKING:
    from tribal.runs.status import StatusReport

_HERE = Path()


@command
def status(
    project: Project = _HERE,
    watch: Annotated[bool, typer.Option("--watch", help="Keep showing it until the run has ended.")] = False,
    interval: Annotated[float, typer.Option(help="Seconds between two looks with --watch.", min=0.1)] = 1.0,
    as_json: Json = False,
) -> None:
    """Show how far the last run has come.

    Documenting by work unit, indexing, and who holds the lease.
    """
    from threading import Event

    from tribal.runs.status import read_status
    from tribal.settings import load_settings
    from tribal.wiring import clock_of, store_of

    settings = load_settings(project=project)
    store, clock = store_of(settings), clock_of(settings)
    pause = Event()
    while True:
        report = read_status(store, clock)
        if as_json:
            print_json(_data(report))
        else:
            if watch and sys.stdout.isatty():
                console().clear()
            _print(report, all_units=not (watch and report.running))
        if not watch or not report.running:
            return
        pause.wait(interval)


def _data(report: StatusReport) -> dict[str, Any]:
    def dump(contract: Any) -> Any:
        return contract.model_dump(mode="json") if contract is not None else None

    return {
        "running": report.running,
        "lease": dump(report.lease),
        "run": dump(report.run),
        "documenter": dump(report.documenter),
        "indexer": dump(report.indexer),
    }


def _print(report: StatusReport, *, all_units: bool) -> None:
    """Print it; while somebody watches, only the units that are worth a look."""
    from rich.markup import escape

    out = console()
    if report.lease is not None and report.running:
        out.print(f"[bold]running[/]: run {report.lease.run_id} by {escape(report.lease.holder)}")
    documenter = report.documenter
    if documenter is None:
        out.print("nothing has been planned here yet; start with `tribal run`")
        return
    stats = documenter.stats
    out.print(
        f"documenting: {documenter.status}, {stats.completed_tables} of {stats.total_tables} tables, "
        f"{stats.failed_tables} failed"
    )
    for unit_id, unit in sorted(documenter.work_units.items()):
        if not all_units and unit.status in ("pending", "completed"):
            continue
        failed = f", {unit.tables_failed} failed" if unit.tables_failed else ""
        out.print(f"  {escape(unit_id)}: {unit.status}, {unit.tables_completed} of {unit.tables_total}{failed}")
        for error in unit.errors:
            out.print(f"    [yellow]{error.code}[/] {escape(error.message)}")
    indexer = report.indexer
    if indexer is None:
        out.print("indexing: not yet; run `tribal index`")
    else:
        out.print(
            f"indexing: {indexer.status}, {indexer.files_indexed} of {indexer.files_total} files, "
            f"{indexer.files_failed} failed"
        )
        for error in indexer.errors:
            out.print(f"    [yellow]{error.code}[/] {escape(error.message)}")
