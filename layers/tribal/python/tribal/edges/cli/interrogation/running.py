"""Runs a session on the terminal, question by question."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from tribal.edges.cli.console import console, print_json

if TYPE_CHECKING:
    from rich.console import Console

    from tribal.edges.cli.interrogation.clients import Run, SessionsClient
    from tribal_contracts.interrogation.sessions import AuditResult, Gap, InterrogationSession, QuestionAnswerPair

STOPPING = "It stops before its next question."
_INDENT = 3


def run_shown(service: SessionsClient, session_id: str, run: Run, *, as_json: bool) -> None:
    """Run a session and show each question when it is answered; Ctrl-C stops it and keeps what there is."""
    from tribal.errors import EXIT_INTERRUPTED, EXIT_PARTIAL

    printer = _Printer(console())
    is_stopped = stopping = False
    try:
        session = run((lambda _: None) if as_json else printer.show)
    except KeyboardInterrupt:
        session, stopping = service.stop(session_id)
        is_stopped = True
    if as_json:
        print_json(session)
    else:
        printer.show(session)
        print_end(session, console())
    if stopping:
        typer.echo(STOPPING, err=True)
    if is_stopped:
        raise typer.Exit(EXIT_INTERRUPTED)
    if session.status not in ("completed", "limit-reached"):
        raise typer.Exit(EXIT_PARTIAL)


class _Printer:
    """Prints each pair of a session once."""

    def __init__(self, out: Console) -> None:
        self._out = out
        self._shown = 0

    def show(self, session: InterrogationSession) -> None:
        """Print the pairs that were not printed yet."""
        for pair in session.qa_pairs[self._shown :]:
            print_pair(pair, self._out)
        self._shown = len(session.qa_pairs)


def print_pair(pair: QuestionAnswerPair, out: Console) -> None:
    """Print a question and its answer."""
    from tribal.edges.cli.safe_console import escape
    from tribal.edges.cli.tools.layout import print_indented

    out.print(f"[bold]{pair.sequence}. {escape(pair.question)}[/]")
    for line in pair.answer.splitlines() or ["The documentation says nothing."]:
        print_indented(out, escape(line), _INDENT)


def print_end(session: InterrogationSession, out: Console) -> None:
    """Print how a session ended: score, gaps and contradictions."""
    from tribal.edges.cli.console import counted
    from tribal.edges.cli.safe_console import escape

    out.print()
    audit = session.audit_result or session.interim_audit
    score = f", consistency {audit.consistency_score} of 100" if audit is not None else ""
    out.print(f"[bold]{session.status.capitalize()}[/]{score}, {counted(len(session.qa_pairs), 'question')}.")
    for gap in session.open_gaps:
        out.print(_gap(gap))
    if audit is not None:
        _print_contradictions(audit, out)
        if not session.open_gaps and not audit.contradictions:
            out.print("The documentation answers it.")
    for entry in session.audit_trail:
        out.print(f"[dim]{entry.event.replace('_', ' ')}: {escape(entry.reason)}[/]")
    out.print(f"[dim]session {session.id}[/]")


def _gap(gap: Gap) -> str:
    from tribal.edges.cli.safe_console import escape

    color = {"high": "red", "medium": "yellow", "low": "dim"}[gap.severity]
    return f"[{color}]{gap.severity} gap:[/] {escape(gap.description)}"


def _print_contradictions(audit: AuditResult, out: Console) -> None:
    from tribal.edges.cli.safe_console import escape

    for each in audit.contradictions:
        out.print(f"[red]contradiction:[/] {escape(each.description)}")
