"""`tribal answers`: stored questions and answers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tribal.edges.cli.console import command, console, print_json
from tribal.edges.cli.options import Json, Project, opened_folder

if TYPE_CHECKING:
    from tribal.capabilities.chat.asking.auditing import AuditedAnswers

_HERE = Path()
answers = typer.Typer(add_completion=False, rich_markup_mode=None, invoke_without_command=True)


@answers.callback()
@command
def list_answers(
    context: typer.Context,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1_000, help="The most that are listed.")] = 20,
    project: Project = _HERE,
    as_json: Json = False,
) -> None:
    """List stored questions with their answers, newest first: your own, or all with the right `chat:audit`."""
    if context.invoked_subcommand is not None:
        return
    from tribal.edges.cli.safe_console import escape

    with _opened(project) as service:
        found = service.list(limit)
    if as_json:
        print_json({"answers": [each.model_dump(mode="json") for each in found]})
        return
    out = console()
    if not found:
        out.print("No answer is stored; `chat.audit: true` in databases.yaml stores them.")
    for each in found:
        verdict = "answered" if each.approved else f"refused: {each.law_violated}"
        out.print(f"[bold]{escape(each.question)}[/]")
        out.print(f"[dim]{each.id}  {each.at}  {escape(each.subject)}  {each.collection}  {verdict}[/]")
        out.print(f"{escape(each.answer)}\n")


@answers.command("remove", epilog="tribal answers remove ID")
@command
def remove(
    answer_id: Annotated[str, typer.Argument(metavar="ID", help="As `tribal answers` lists it.")],
    project: Project = _HERE,
) -> None:
    """Delete a stored answer of your own."""
    with _opened(project) as service:
        service.remove(answer_id)
    typer.echo(f"removed {answer_id}")


@contextmanager
def _opened(project: Path) -> Iterator[AuditedAnswers]:
    from tribal.capabilities.chat.asking.auditing import AuditedAnswers

    with opened_folder(project) as (app, caller):
        yield AuditedAnswers(caller, app)
