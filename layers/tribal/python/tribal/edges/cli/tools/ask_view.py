"""The view of an answer of `ask`: statements with numbered sources, SQL, and what is not explained."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tribal.edges.cli.tools.layout import print_indented

if TYPE_CHECKING:
    from rich.console import Console

    from tribal_contracts.answering.answers import Answer

_INDENT = 2


def _print_answer(answer: Answer, out: Console) -> None:
    from tribal.edges.cli.safe_console import escape

    if answer.verdict == "refused":
        out.print(escape(answer.governor_reason or "This is not answered here."))
    if answer.verdict == "not_documented":
        nearest = " The nearest that it has:" if answer.statements else ""
        out.print(f"[bold]The documentation does not say.[/]{nearest}")
    for each in answer.statements:
        numbers = "".join(f"[{source}]" for source in each.sources)
        print_indented(out, f"{escape(each.text)} [dim]{escape(numbers)}[/]", _INDENT)
    if answer.sql is not None:
        out.print()
        print_indented(out, escape(answer.sql), _INDENT)
    if answer.unexplained:
        words = ", ".join(f"“{word}”" for word in answer.unexplained)
        out.print(f"\n[yellow]Not documented:[/] {escape(words)}")
    if answer.sources:
        out.print("\n[dim]Sources[/]")
    for source in answer.sources:
        out.print(f"[dim]  {escape(f'[{source.id}]')} {source.kind} {escape(source.name)}[/]")
    if answer.truncated:
        out.print(f"[dim]{answer.returned} of {answer.total} statements; ask more precisely for the others[/]")


ASK_VIEWS: dict[str, Callable[[Any, Console], None]] = {"ask": _print_answer}
