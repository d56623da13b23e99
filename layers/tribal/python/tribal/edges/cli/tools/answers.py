"""Prints answers of the tools for humans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tribal.edges.cli.console import console

if TYPE_CHECKING:
    from tribal_contracts import AgentError, Contract


def print_answer(tool: str, answer: Contract) -> None:
    """Print the answer on standard output, and its warnings on standard error."""
    from rich.markup import escape

    from tribal.edges.cli.tools.plain_view import print_plain
    from tribal.edges.cli.tools.views import VIEWS

    VIEWS.get(tool, print_plain)(answer, console())
    for warning in getattr(answer, "warnings", None) or ():
        console(stderr=True).print(f"[yellow]note:[/] {escape(getattr(warning, 'message', None) or str(warning))}")


def print_error(error: AgentError) -> None:
    """Print an error and its suggestions on standard error."""
    from rich.markup import escape

    err = console(stderr=True)
    err.print(f"[red]error:[/] {escape(error.message)}")
    suggestions = (error.context or {}).get("suggestions")
    if isinstance(suggestions, list) and suggestions:
        err.print(f"Did you mean {escape(', '.join(str(name) for name in suggestions))}?")
