"""The commands that work on a deployed environment: `tribal --profile NAME ...`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tribal.edges.cli.command_list import COMMANDS
from tribal.edges.cli.console import command, fail, print_json
from tribal.edges.cli.help import click_command
from tribal.edges.cli.options import (
    Databases,
    Domains,
    Interval,
    Json,
    NewProse,
    Project,
    Replan,
    RetryFailed,
    RunId,
    Watch,
    WorkUnits,
    deployed,
)

if TYPE_CHECKING:
    from tribal.edges.cli.commands.status import IndexState
    from tribal.ports import Application
    from tribal.ports.environment import DeployedEnvironment, DeployedRuns
    from tribal_contracts import RunRequest

_HERE = Path()
Force = Annotated[bool, typer.Option("--force", help="Document unchanged tables too.")]
Follow = Annotated[bool, typer.Option("--follow", help="Follow the run until it ends, as tribal tail does.")]


def profile_command(name: str, found: Any, arguments: Sequence[str]) -> Any:
    """The command that works with a deployed environment; one that works only here is refused.

    Args:
        name: of the command.
        found: the command as it is without a profile.
        arguments: after its name.
    """
    spec = COMMANDS.get(name)
    if spec is not None and spec.here_only is not None:
        from tribal.errors import ConfigurationError

        fail(
            ConfigurationError(f"tribal {name} works only without --profile: {spec.here_only}"),
            as_json="--json" in arguments,
        )
    commands: dict[str, tuple[Callable[..., None], str]] = {
        "run": (run, "tribal --profile dev run --follow"),
        "status": (status, "tribal --profile dev status --watch"),
        "tail": (tail, "tribal --profile dev tail"),
    }
    return click_command(name, *commands[name]) if name in commands else found


@command
def status(
    context: typer.Context,
    watch: Watch = False,
    interval: Interval = 5.0,
    _project: Project = _HERE,
    as_json: Json = False,
) -> None:
    """Show how far the last run of the deployed environment has come.

    Shows progress by work unit, whether the index is up to date, when decisions were synced, and what waits for you.
    """
    from tribal.edges.cli.commands.status import show_status
    from tribal.edges.cli.profile.client import Client
    from tribal.ports import Caller

    app, environment = deployed(context)
    show_status(
        app,
        Caller(f"profile:{context.obj}"),
        context.obj,
        lambda tool, arguments: Client(environment.api()).call(tool, arguments),
        watch=watch,
        interval=interval,
        as_json=as_json,
        index=lambda: _index_state(environment),
    )


def _index_state(environment: DeployedEnvironment) -> IndexState:
    """The API's report on the index; an unreachable API is part of the status, not an error."""
    from tribal.edges.cli.commands.status import IndexState
    from tribal.errors import TribalError

    try:
        return IndexState(environment.api().health())
    except TribalError as error:
        return IndexState({"error": error.message})


@command
def run(
    context: typer.Context,
    database: Databases = None,
    domain: Domains = None,
    work_unit: WorkUnits = None,
    force: Force = False,
    retry_failed: RetryFailed = False,
    replan: Replan = False,
    new_prose: NewProse = False,
    follow: Follow = False,
    _project: Project = _HERE,
    as_json: Json = False,
) -> None:
    """Start a documentation run in the deployed environment.

    The run continues if this command is stopped. Its documents are indexed automatically.
    """
    from tribal.runs.records import execution_run_id, new_run_id

    request = _request(
        databases=database or [],
        domains=domain or [],
        units=work_unit or [],
        force=force,
        retry_failed=retry_failed,
        replan=replan,
        new_prose=new_prose,
    )
    app, environment = deployed(context)
    machine = environment.runs()
    _require_no_other(app, context.obj)
    started = machine.start(f"cli-{new_run_id(app.clock)}", request.to_compact_json())
    run_id = execution_run_id(started.arn, started.started_at)
    if follow:
        typer.echo(f"Started: execution {started.name} ({run_id}).", err=True)
        _follow(context, app, run_id, _end_of(machine, started.arn), as_json=as_json)
        return
    if as_json:
        print_json({"run_id": run_id, "execution": started.arn, "name": started.name, "state_machine": machine.arn})
        return
    typer.echo(f"Started: execution {started.name}.")
    typer.echo(f"Next: `tribal --profile {context.obj} tail {run_id}` follows it until it ends.")


def _request(**asked: Any) -> RunRequest:
    from pydantic import ValidationError

    from tribal.errors import ConfigurationError
    from tribal_contracts import RunRequest

    try:
        return RunRequest(**asked)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        what = "a domain" if first["loc"][0] == "domains" else "a name"
        raise ConfigurationError(
            f"{first['input']!r} is not {what}; `tribal domains` lists the existing ones"
        ) from error


def _require_no_other(app: Application, profile: str) -> None:
    """Fail early if another run is in progress, as the execution would.

    Raises:
        RunLocked: when another run is in progress.
    """
    from tribal.errors import RunLocked, StoreError
    from tribal.jobs.lease_file import holder_text, is_running, read_lease

    try:
        lease, _ = read_lease(app.store(), app.clock)
    except StoreError:
        return  # Starting a run does not require read access to the store; the lease still excludes other runs.
    if lease is not None and is_running(lease, app.clock):
        raise RunLocked(
            f"run {lease.run_id!r} of {holder_text(lease)} has been running since {lease.acquired_at}; wait until it "
            f"has finished: `tribal --profile {profile} tail` follows it"
        )


@command
def tail(context: typer.Context, run: RunId = None, _project: Project = _HERE, as_json: Json = False) -> None:
    """Follow a run of the deployed environment until it ends, line by line.

    Ends with the exit code of the run. Ctrl-C stops following, not the run.
    """
    from tribal.edges.cli.commands.tail import last_run, require_recorded
    from tribal.errors import DeploymentRefused
    from tribal.runs.records import execution_run_id

    app, environment = deployed(context)
    store = app.store()
    run_id = run or last_run(store, app.clock)
    try:
        machine = environment.runs()
        found = next((one for one in machine.recent() if execution_run_id(one.arn, one.started_at) == run_id), None)
        ended = None if found is None else _end_of(machine, found.arn)
    except DeploymentRefused:
        ended = None  # The store shows the end of the run too, only later.
    if ended is None:
        require_recorded(run_id, store)
    _follow(context, app, run_id, ended, as_json=as_json)


def _follow(
    context: typer.Context, app: Application, run_id: str, ended: Callable[[], None] | None, *, as_json: bool
) -> None:
    from tribal.edges.cli.commands.tail import follow

    profile = f"tribal --profile {context.obj}"
    follow(
        run_id,
        app.store(),
        app.clock,
        as_json=as_json,
        again=f"{profile} tail {run_id}",
        ended=ended,
        next_step=f"New documents are indexed automatically; `{profile} status` shows when that is done.",
    )


def _end_of(machine: DeployedRuns, execution: str) -> Callable[[], None]:
    """Build a function that raises once the execution has ended, for runs that end without a record."""
    from tribal.errors import RunInterrupted, RunLocked
    from tribal.tools.error_classes import error_from_name

    def ended() -> None:
        status = machine.status(execution)
        if status in ("RUNNING", "PENDING_REDRIVE"):
            return
        if status == "SUCCEEDED":
            raise RunLocked(
                f"{execution!r} did not start a run: another run is in progress; wait until it has finished"
            )
        name, message = machine.failure(execution) if status == "FAILED" else ("", "")
        if name:
            raise error_from_name(name, message)
        raise RunInterrupted(f"{execution!r} ended ({status}) before its run was complete; the next run resumes it")

    return ended
