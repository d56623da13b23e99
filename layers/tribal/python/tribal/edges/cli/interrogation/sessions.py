"""`tribal interrogations`: lists, shows, resumes and removes sessions, exams and marks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from tribal.edges.cli.console import command, console, counted, print_json
from tribal.edges.cli.hints import as_typed
from tribal.edges.cli.options import Json, Project, refuse_with_profile

if TYPE_CHECKING:
    from tribal.edges.cli.hints import Place
    from tribal_contracts.interrogation.sessions import SessionListItem

_HERE = Path()
_Id = Annotated[str, typer.Argument(metavar="ID", help="The id of a session; to remove, also of an exam or a mark.")]

interrogations = typer.Typer(add_completion=False, rich_markup_mode=None, invoke_without_command=True)


@interrogations.callback()
@command
def list_interrogations(
    context: typer.Context,
    status: Annotated[
        Optional[str],  # noqa: UP045 - typer reads it at run time
        typer.Option("--status", metavar="running|completed|failed|limit-reached", help="Only these."),
    ] = None,
    resume: Annotated[
        Optional[str],  # noqa: UP045 - typer reads it at run time
        typer.Option("--resume", metavar="ID", help="Resume a session that was killed."),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=100, help="How many to list.")] = 20,
    project: Project = _HERE,
    as_json: Json = False,
) -> None:
    """List interrogations, newest first; show, resume or remove one."""
    if context.invoked_subcommand is not None:
        return
    if resume is not None:
        refuse_with_profile(
            context, "--resume", "the environment resumes its sessions by itself; `show ID` shows the progress of one"
        )
        _resume(resume, project, as_json=as_json)
        return
    from tribal.edges.cli.tools.calling import opened_tools

    arguments = {"limit": limit, **({} if status is None else {"status": status})}
    with opened_tools(context, project, limited=True) as call:
        answer = call("list_interrogations", arguments)
    _show_list(answer, context.obj or project, as_json=as_json)


def _resume(session_id: str, project: Path, *, as_json: bool) -> None:
    from tribal.edges.cli.interrogation.clients import LocalSessions, opened_interrogations
    from tribal.edges.cli.interrogation.running import run_shown

    with opened_interrogations(project) as service:
        run_shown(
            LocalSessions(service), session_id, lambda report: service.run(session_id, report=report), as_json=as_json
        )


@interrogations.command("show", epilog="tribal interrogations show ID")
@command
def show(context: typer.Context, session_id: _Id, project: Project = _HERE, as_json: Json = False) -> None:
    """Show a session: its questions, answers, gaps and audit."""
    from tribal.edges.cli.interrogation.clients import opened_sessions
    from tribal.edges.cli.interrogation.running import print_end, print_pair

    with opened_sessions(context, project) as service:
        session, notes = service.session(session_id)
    for note in notes:
        typer.echo(f"note: {note}", err=True)
    if as_json:
        print_json(session)
        return
    console().print(f"{session.hypothesis.text}\n", markup=False)
    for pair in session.qa_pairs:
        print_pair(pair, console())
    print_end(session, console())


@interrogations.command("stop", epilog="tribal interrogations stop ID")
@command
def stop(context: typer.Context, session_id: _Id, project: Project = _HERE, as_json: Json = False) -> None:
    """Stop a session before its next question."""
    from tribal.edges.cli.interrogation.clients import opened_sessions
    from tribal.edges.cli.interrogation.running import STOPPING

    with opened_sessions(context, project) as service:
        session, stopping = service.stop(session_id)
    if as_json:
        print_json({"success": True, "sessionId": session.id, "status": session.status, "stopping": stopping})
    else:
        typer.echo(STOPPING if stopping else f"It is {session.status}.")


@interrogations.command("remove", epilog="tribal interrogations remove ID")
@command
def remove(context: typer.Context, session_id: _Id, project: Project = _HERE, as_json: Json = False) -> None:
    """Remove a session or an exam of your own, or close a mark.

    Everyone closes a mark who sees all that its owner could see.
    """
    refuse_with_profile(
        context,
        "interrogations remove",
        "no tool removes sessions; the environment removes them after `interrogation.sessions_days`, so lower that in "
        "the environment's file to remove them earlier",
    )
    from tribal.capabilities.interrogation.errors import SessionNotFound
    from tribal.capabilities.interrogation.listing import remove as remove_own
    from tribal.capabilities.interrogation.marks import Marks
    from tribal.edges.cli.interrogation.clients import opened_interrogations

    with opened_interrogations(project) as service:
        try:
            Marks(service.app, service.caller).close(session_id)
        except SessionNotFound:
            remove_own(service.sessions, session_id, service.caller)
    print_json({"success": True, "removed": session_id}) if as_json else typer.echo(f"{session_id} is removed.")


def _show_list(answer: object, place: Place, *, as_json: bool) -> None:
    from tribal.edges.cli.tools.answers import print_error
    from tribal.tools.error_classes import error_class_of
    from tribal_contracts.answering.answers import FailedAnswer
    from tribal_contracts.interrogation.tools import ListInterrogationsOutput

    if as_json:
        print_json(answer)
    if isinstance(answer, FailedAnswer):
        if not as_json:
            print_error(answer.error, place)
        raise typer.Exit(error_class_of(answer.error.code).exit_code)
    if as_json or not isinstance(answer, ListInterrogationsOutput):
        return
    for session in answer.sessions:
        console().print(_line(session), markup=False)
    for warning in answer.warnings or ():
        typer.echo(f"note: {warning.message}", err=True)
    shown, total = len(answer.sessions), answer.total or 0
    if not shown:
        start = as_typed('interrogate "..."', place)
        typer.echo(f"There are no interrogations yet; start with {start}")
    elif total > shown:
        typer.echo(f"the newest {shown} of {counted(total, 'interrogation')}; more with --limit")


def _line(session: SessionListItem) -> str:
    score = "" if session.consistency_score is None else f"{session.consistency_score:3d}"
    start = session.start_time[:16].replace("T", " ")
    return f"{session.id}  {start}  {session.status:13} {score:3}  {session.hypothesis}"
