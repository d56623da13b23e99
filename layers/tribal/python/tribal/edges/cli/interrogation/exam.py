"""Takes an exam on the command line, and prints its result."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from tribal.edges.cli.console import console, counted, interruptible

if TYPE_CHECKING:
    from tribal.capabilities.interrogation.exams.taking import Report
    from tribal.capabilities.interrogation.interrogations import Interrogations
    from tribal_contracts.interrogation.exams import ExamResult

_SHOWN = 10
"""The most gaps that are printed."""


@dataclass(frozen=True, slots=True)
class ExamOptions:
    """What an exam is taken from."""

    questions: Path
    database: str | None
    domain: str | None
    baseline: Path | None
    keeps_sessions: bool
    asks_models: bool
    confirms: bool


def take_exam(service: Interrogations, options: ExamOptions, *, quiet: bool) -> ExamResult:
    """Read the questions, and examine them; Ctrl-C keeps the result so far."""
    from tribal.capabilities.interrogation.exams.questions import read_questions
    from tribal.capabilities.interrogation.exams.taking import Exam
    from tribal.errors import RunInterrupted
    from tribal.ports.stopping import StopToken

    questions = read_questions(options.questions.name, _read(options.questions))
    if options.asks_models:
        _confirm(service, len(questions), asks=options.confirms)
    stop = StopToken()
    exam = Exam(
        service=service,
        database=options.database,
        domain=options.domain,
        keeps_sessions=options.keeps_sessions,
        baseline=None if options.baseline is None else _baseline(options.baseline),
        stop=stop,
        report=_silent if quiet else _progress(),
    )
    with interruptible(stop, RunInterrupted("stopped by Ctrl-C")):
        return exam.take(questions)


def _confirm(service: Interrogations, questions: int, *, asks: bool) -> None:
    """Print what the models of an exam may cost, and ask on a terminal before anything is sent."""
    from tribal.capabilities.interrogation.errors import ConfigurationInvalid
    from tribal_contracts import NANODOLLARS

    if service.models is None:
        raise ConfigurationInvalid("--models needs models: name them under `interrogation:` in databases.yaml")
    quote = service.models.quote(questions, service.settings.iterations)
    dollars, cap = quote.nanodollars / NANODOLLARS, service.settings.per_exam_usd
    typer.echo(f"Up to {counted(quote.calls, 'call')} and ${dollars:,.2f}; the exam ends at ${cap:,.2f}.", err=True)
    if not asks:
        return
    if not sys.stdin.isatty():
        raise ConfigurationInvalid("the exam was not taken: confirm on a terminal, or add --yes")
    typer.confirm("Take the exam?", abort=True, err=True)


def print_exam(result: ExamResult, report: Path | None) -> None:
    """Print how many questions are answered, and what to write first."""
    from tribal.capabilities.interrogation.exams.report import gap_name, summary_line
    from tribal.edges.cli.safe_console import escape

    out = console()
    out.print(f"[bold]{summary_line(result)}[/]")
    if result.gaps:
        out.print("What to write first:")
    for gap in result.gaps[:_SHOWN]:
        what = "" if gap_name(gap) == gap.description else f": {escape(gap.description)}"
        out.print(f"  {counted(gap.question_count, 'question')}  [bold]{escape(gap_name(gap))}[/]{what}")
    if len(result.gaps) > _SHOWN:
        out.print(f"[dim]and {counted(len(result.gaps) - _SHOWN, 'other gap')}; all of them with --report or --json[/]")
    if result.baseline is not None:
        new, lost = len(result.baseline.newly_answered), len(result.baseline.newly_failing)
        out.print(f"Since the baseline: {counted(new, 'question')} newly answered, {lost} no longer answered.")
    if report is not None:
        out.print(f"The report is in {escape(str(report))}.")
    out.print(f"[dim]exam {result.id}[/]")


def _read(file: Path) -> bytes:
    from tribal.capabilities.interrogation.errors import ExamInvalid

    try:
        return file.read_bytes()
    except OSError as error:
        raise ExamInvalid(f"{file} cannot be read: {error.strerror or error}") from error


def _baseline(file: Path) -> ExamResult:
    from pydantic import ValidationError

    from tribal.capabilities.interrogation.errors import ExamInvalid
    from tribal_contracts.interrogation.exams import ExamResult

    try:
        return ExamResult.from_json(_read(file))
    except ValidationError as error:
        raise ExamInvalid(
            f"{file} is not the result of an exam; write one with `tribal interrogate --questions FILE --json`"
        ) from error


def _silent(_: int, __: int) -> None:
    return None


def _progress() -> Report:
    """A line on the terminal that counts the questions; nothing elsewhere."""
    if not sys.stderr.isatty():
        return _silent

    def show(done: int, total: int) -> None:
        end = "\n" if done == total else ""
        typer.echo(f"\r{done:,} of {counted(total, 'question')}{end}", err=True, nl=False)

    return show
