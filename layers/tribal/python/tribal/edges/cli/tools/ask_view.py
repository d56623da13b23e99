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
    from tribal.rendering.words import listing

    if answer.verdict == "refused":
        out.print(escape(answer.governor_reason or "This is not answered here."))
    if answer.verdict == "not_documented":
        says_so = answer.statements and answer.statements[0].text.startswith("This is not documented")
        if not says_so:
            nearest = " The nearest:" if answer.statements else ""
            out.print(f"[bold]This is not documented.[/]{nearest}")
    for each in answer.statements:
        numbers = "".join(f"[{source}]" for source in each.sources)
        print_indented(out, f"{escape(each.text)} [dim]{escape(numbers)}[/]", _INDENT)
    if answer.sql is not None:
        out.print()
        print_indented(out, escape(answer.sql), _INDENT)
    if answer.unexplained:
        words = listing([f"“{word}”" for word in answer.unexplained])
        out.print(f"\n[yellow]Nothing documented explains {escape(words)}.[/]")
    if answer.sources:
        out.print("\n[dim]Sources[/]")
    for source in answer.sources:
        out.print(f"[dim]  {escape(f'[{source.id}]')} {source.kind} {escape(source.name)}[/]")


ASK_VIEWS: dict[str, Callable[[Any, Console], None]] = {"ask": _print_answer}
