"""`tribal interrogate`: a detective questions the documentation, about one hypothesis or a whole exam."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from tribal.edges.cli.console import command, print_json
from tribal.edges.cli.options import Json, Project

if TYPE_CHECKING:
    from tribal.capabilities.interrogation.interrogations import Interrogations
    from tribal_contracts.interrogation.exams import ExamResult

_HERE = Path()


@command
def interrogate(
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
    database: Annotated[
        Optional[str],  # noqa: UP045 - typer reads it at run time
        typer.Option("--database", metavar="NAME", help="Only tables of this database."),
    ] = None,
    domain: Annotated[
        Optional[str],  # noqa: UP045 - typer reads it at run time
        typer.Option("--domain", metavar="NAME", help="Only tables of this business domain."),
    ] = None,
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
    """Have a detective question the documentation, and audit its answers.

    Shows each question with its answer, and which gaps are left: what is missing, ambiguous, inconsistent or vague. An
    exam reports how many questions the documentation answers and what to write first. Ctrl-C keeps what there is.
    """
    from tribal.app.local import local_application
    from tribal.capabilities.interrogation.interrogations import Interrogations
    from tribal.edges.cli.interrogation.exam import ExamOptions, print_exam, take_exam
    from tribal.edges.local_caller import local_caller
    from tribal.errors import EXIT_PARTIAL
    from tribal.settings import load_settings

    _require_one(hypothesis, questions)
    settings = load_settings(project=project, needs_databases=False)
    with closing(local_application(settings, limits=False)) as app:
        service = Interrogations(app, local_caller(settings), asks_models=questions is None or models)
        if questions is None:
            _examine(service, hypothesis or "", iterations, database, domain, as_json=as_json)
            return
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
    service: Interrogations,
    hypothesis: str,
    iterations: int | None,
    database: str | None,
    domain: str | None,
    *,
    as_json: bool,
) -> None:
    from tribal.edges.cli.interrogation.running import run_shown

    session = service.new(hypothesis, iterations, database, domain)
    run_shown(service, session.id, lambda report: service.examine(session, report=report), as_json=as_json)


def _write_report(file: Path, result: ExamResult) -> None:
    from tribal.capabilities.interrogation.exams.report import report
    from tribal.errors import StoreUnwritable

    try:
        file.write_text(report(result), encoding="utf-8")
    except OSError as error:
        raise StoreUnwritable(f"{file} cannot be written: {error.strerror or error}") from error
