"""`tribal interrogate`: a detective questions the documentation, about one hypothesis or a whole exam."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from tribal.edges.cli.console import command, print_json
from tribal.edges.cli.options import Json, OnlyDatabase, OnlyDomain, Project, refuse_with_profile
from tribal.ports.capability import USE_STORE

if TYPE_CHECKING:
    from tribal_contracts.interrogation.exams import ExamResult

_HERE = Path()


@command
def interrogate(
    context: typer.Context,
    hypothesis: Annotated[
        Optional[str],  # noqa: UP045 - typer reads it at run time
        typer.Argument(metavar="[HYPOTHESIS]", help="A question or statement.", show_default=False),
    ] = None,
    questions: Annotated[
        Optional[Path],  # noqa: UP045 - typer reads it at run time
        typer.Option(
            "--questions", metavar="FILE", help="Take an exam: one question a line, a table or JSON lines (`question`)."
        ),
    ] = None,
    iterations: Annotated[
        Optional[int],  # noqa: UP045 - typer reads it at run time
        typer.Option("--iterations", metavar="5..20", help="The most questions of the detective.", show_default=False),
    ] = None,
    database: OnlyDatabase = None,
    domain: OnlyDomain = None,
    report: Annotated[
        Optional[Path],  # noqa: UP045 - typer reads it at run time
        typer.Option("--report", metavar="FILE", help="Exam: write the result as Markdown."),
    ] = None,
    minimum: Annotated[
        Optional[float],  # noqa: UP045 - typer reads it at run time
        typer.Option(
            "--minimum", metavar="PERCENT", min=0, max=100, help="Exam: exit with 1 if fewer questions are answered."
        ),
    ] = None,
    baseline: Annotated[
        Optional[Path],  # noqa: UP045 - typer reads it at run time
        typer.Option("--baseline", metavar="FILE", help="Exam: compare with an earlier one, as --json printed it."),
    ] = None,
    keep: Annotated[bool, typer.Option("--keep", help="Exam: keep the session of each question.")] = False,
    models: Annotated[bool, typer.Option("--models", help="Exam: ask the configured models.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Exam with models: do not ask before spending.")] = False,
    project: Project = _HERE,
    as_json: Json = False,
) -> None:
    """Question the documentation, and audit its answers.

    A detective asks about a question or statement. Shows each question with its answer, and which gaps are left: what
    is missing, ambiguous, inconsistent or vague. An exam reports how many questions the documentation answers and what
    to write first. Ctrl-C keeps what there is.
    """
    from tribal.edges.cli.interrogation.clients import opened_interrogations
    from tribal.edges.cli.interrogation.exam import ExamOptions, print_exam, take_exam
    from tribal.errors import EXIT_PARTIAL

    _require_one(hypothesis, questions)
    if questions is None:
        _examine(context, hypothesis or "", iterations, database, domain, project, as_json=as_json)
        return
    refuse_with_profile(
        context,
        "--questions",
        f"exams run on this machine, not in an environment; {USE_STORE}, and run `tribal index` there first",
    )
    with opened_interrogations(project, asks_models=models) as service:
        options = ExamOptions(
            questions, database, domain, baseline, keeps_sessions=keep, asks_models=models, confirms=not yes
        )
        result = take_exam(service, options, quiet=as_json)
    if report is not None:
        _write_report(report, result)
    print_json(result) if as_json else print_exam(result, report)
    if result.not_asked or (minimum is not None and 100 * result.share < minimum):
        raise typer.Exit(EXIT_PARTIAL)


def _require_one(hypothesis: str | None, questions: Path | None) -> None:
    if (hypothesis is None) == (questions is None):
        raise typer.BadParameter("give one question, or a file of them with --questions", param_hint="HYPOTHESIS")


def _examine(
    context: typer.Context,
    hypothesis: str,
    iterations: int | None,
    database: str | None,
    domain: str | None,
    project: Path,
    *,
    as_json: bool,
) -> None:
    from tribal.edges.cli.interrogation.clients import opened_sessions
    from tribal.edges.cli.interrogation.running import run_shown
    from tribal_contracts.interrogation.tools import StartInterrogationInput

    request = StartInterrogationInput(
        hypothesis=hypothesis, iteration_limit=iterations, database=database, domain=domain
    )
    with opened_sessions(context, project) as service:
        run_shown(service, *service.start(request), as_json=as_json)


def _write_report(file: Path, result: ExamResult) -> None:
    from tribal.capabilities.interrogation.exams.report import report
    from tribal.errors import StoreUnwritable

    try:
        file.write_text(report(result), encoding="utf-8")
    except OSError as error:
        raise StoreUnwritable(f"{file} cannot be written: {error.strerror or error}") from error
