"""The view of how a question was read, for `--explain`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tribal.edges.cli.console import console

if TYPE_CHECKING:
    from tribal_contracts import QuestionReading


def print_reading(answer: object) -> None:
    """Print how the question of an answer was read, if it says so."""
    from tribal.edges.cli.safe_console import escape

    interpretation = getattr(answer, "query_interpretation", None)
    reading: QuestionReading | None = getattr(interpretation or answer, "reading", None)
    if reading is None:
        return
    out = console()
    out.print(f"\n[bold]How the question was read:[/] {reading.intent}")
    for each in reading.mentions:
        spelling = "" if each.exact else ", in another spelling"
        out.print(f"  [dim]names[/] {each.kind} {escape(each.name)} [dim]({escape(each.text[:80])}{spelling})[/]")
    for word in reading.words:
        denied = ", denied" if word.negated else ""
        out.print(f"  [dim]word[/] {escape(word.word)}: {word.explained_by or 'nothing explains it'}{denied}")
