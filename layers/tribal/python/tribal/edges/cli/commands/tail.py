"""`tribal tail` for a run in a local folder, a bucket or a deployed environment."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from tribal.edges.cli.console import command, print_json, progress
from tribal.edges.cli.options import Json, Project, RunId

if TYPE_CHECKING:
    from tribal.ports import Clock, ObjectStore

_HERE = Path()
LOOK_SECONDS = 1.0
"""Seconds between two reads of a run's progress."""


@command
def tail(run: RunId = None, project: Project = _HERE, as_json: Json = False) -> None:
    """Follow a run until it ends, line by line.

    Ends with the exit code of the run. Ctrl-C stops following, not the run.
    """
    from tribal.app.local import local_application
    from tribal.settings import load_settings

    app = local_application(load_settings(project=project, needs_databases=False))
    store, clock = app.store(), app.clock
    run_id = run or last_run(store, clock)
    require_recorded(run_id, store)
    follow(run_id, store, clock, as_json=as_json, again=f"tribal tail {run_id}")


def last_run(store: ObjectStore, clock: Clock) -> str:
    """The run that holds the lease, or held it last.

    Raises:
        PlanError: when no run is found.
    """
    from tribal.errors import PlanError
    from tribal.jobs.lease_file import find_lease

    found = find_lease(store, clock)
    if found.damaged:
        raise PlanError(
            f"the lease in {store.location} is damaged, so the last run is unknown; name a run: the folders in "
            "progress/runs are named after them",
            code="DOC_PLAN_NOT_FOUND",
        )
    if found.record is None:
        raise PlanError(f"no run has written to {store.location} yet", code="DOC_PLAN_NOT_FOUND")
    return found.record.run_id


def require_recorded(run_id: str, store: ObjectStore) -> None:
    """Make sure that a run exists.

    Raises:
        PlanError: when the store has no run with that id.
    """
    from tribal.errors import PlanError
    from tribal.runs.reports.following import run_record

    if run_record(run_id, store) is None:
        raise PlanError(
            f"no run {run_id!r} is recorded in {store.location}; `tribal status` shows the last one",
            code="DOC_PLAN_NOT_FOUND",
        )


def follow(
    run_id: str,
    store: ObjectStore,
    clock: Clock,
    *,
    as_json: bool,
    again: str,
    ended: Callable[[], None] | None = None,
    next_step: str = "",
) -> None:
    """Print the progress of a run until it ends, and exit with its code.

    Args:
        run_id: the run to follow.
        store: the store that it writes to.
        clock: used to check whether its lease has expired.
        as_json: print only its record, at the end.
        again: the command that resumes following it.
        ended: raises when the execution behind the run has ended.
        next_step: what to suggest then.
    """
    from threading import Event

    from tribal.edges.cli.views.run_report import print_record, record_exit_code
    from tribal.errors import EXIT_INTERRUPTED
    from tribal.runs.reports.following import Following
    from tribal.runs.workers.pool import ThreadWorkerPool

    pause = Event()
    try:
        with progress(clock, quiet=as_json) as sink:
            sink.note(f"following run {run_id}")
            following = Following(run_id, store, clock, ThreadWorkerPool(), sink, ended)
            record = following.until_end(lambda: pause.wait(LOOK_SECONDS))
    except KeyboardInterrupt:
        typer.echo(f"\nstopped following; the run continues, and `{again}` follows it again", err=True)
        raise typer.Exit(EXIT_INTERRUPTED) from None
    if as_json:
        print_json(record)
    else:
        print_record(record)
        if next_step:
            typer.echo(next_step)
    raise typer.Exit(record_exit_code(record))
