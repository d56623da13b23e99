"""`tribal interrogations`: lists, shows, resumes and removes sessions and exams."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from tribal.edges.cli.console import command, console, counted, print_json
from tribal.edges.cli.options import Json, Project

if TYPE_CHECKING:
    from tribal.capabilities.interrogation.interrogations import Interrogations
    from tribal_contracts.interrogation.sessions import SessionListItem

_HERE = Path()
_Id = Annotated[str, typer.Argument(metavar="ID", help="The id of a session or an exam.")]

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
    from tribal.edges.cli.interrogation.running import run_shown
    from tribal.tools.call import call_tool

    with _service(project) as service:
        if resume is not None:
            run_shown(service, resume, lambda report: service.run(resume, report=report), as_json=as_json)
            return
        arguments = {"limit": limit, **({} if status is None else {"status": status})}
        answer = call_tool("list_interrogations", arguments, service.caller, service.app)
    _show_list(answer, as_json=as_json)


@interrogations.command("show")
@command
def show(session_id: _Id, project: Project = _HERE, as_json: Json = False) -> None:
    """Show a session: its questions, answers, gaps and audit."""
    from tribal.capabilities.interrogation.listing import visible_session
    from tribal.capabilities.interrogation.sessions.repository import foreign_notes
    from tribal.edges.cli.interrogation.running import print_end, print_pair

    with _service(project) as service:
        session = visible_session(service.sessions, session_id, service.caller).record
    for note in foreign_notes(session):
        typer.echo(f"note: {note}", err=True)
    if as_json:
        print_json(session)
        return
    console().print(f"{session.hypothesis.text}\n", markup=False)
    for pair in session.qa_pairs:
        print_pair(pair, console())
    print_end(session, console())


@interrogations.command("stop")
@command
def stop(session_id: _Id, project: Project = _HERE, as_json: Json = False) -> None:
    """Stop a session before its next question."""
    with _service(project) as service:
        session, stopping = service.stop(session_id)
    if as_json:
        print_json({"success": True, "sessionId": session.id, "status": session.status, "stopping": stopping})
    else:
        typer.echo("It stops before its next question." if stopping else f"It is {session.status}.")


@interrogations.command("remove")
@command
def remove(session_id: _Id, project: Project = _HERE, as_json: Json = False) -> None:
    """Remove a session or an exam of your own."""
    from tribal.capabilities.interrogation.listing import remove as remove_own

    with _service(project) as service:
        remove_own(service.sessions, session_id, service.caller)
    print_json({"success": True, "removed": session_id}) if as_json else typer.echo(f"{session_id} is removed.")


@contextmanager
def _service(project: Path) -> Iterator[Interrogations]:
    from tribal.app.local import local_application
    from tribal.capabilities.interrogation.interrogations import Interrogations
    from tribal.edges.local_caller import local_caller
    from tribal.settings import load_settings

    settings = load_settings(project=project, needs_databases=False)
    with closing(local_application(settings, limits=False)) as app:
        yield Interrogations(app, local_caller(settings))


def _show_list(answer: object, *, as_json: bool) -> None:
    from tribal.edges.cli.tools.answers import print_error
    from tribal.tools.error_classes import error_class_of
    from tribal_contracts.answering.answers import FailedAnswer
    from tribal_contracts.interrogation.tools import ListInterrogationsOutput

    if as_json:
        print_json(answer)
    if isinstance(answer, FailedAnswer):
        if not as_json:
            print_error(answer.error)
        raise typer.Exit(error_class_of(answer.error.code).exit_code)
    if as_json or not isinstance(answer, ListInterrogationsOutput):
        return
    for session in answer.sessions:
        console().print(_line(session), markup=False)
    for warning in answer.warnings or ():
        typer.echo(f"note: {warning.message}", err=True)
    shown, total = len(answer.sessions), answer.total or 0
    if not shown:
        typer.echo('There are no interrogations yet; start one: tribal interrogate "..."')
    elif total > shown:
        typer.echo(f"the newest {shown} of {counted(total, 'interrogation')}; more with --limit")


def _line(session: SessionListItem) -> str:
    score = "" if session.consistency_score is None else f"{session.consistency_score:3d}"
    start = session.start_time[:16].replace("T", " ")
    return f"{session.id}  {start}  {session.status:13} {score:3}  {session.hypothesis}"
