"""Prints answers of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tribal.edges.cli.console import console

if TYPE_CHECKING:
    from pathlib import Path

    from tribal_contracts import AgentError, Contract


def print_answer(tool: str, answer: Contract) -> None:
    """Print the answer on standard output, and its warnings on standard error."""
    from rich.markup import escape

    from tribal.edges.cli.tools.plain_view import print_plain
    from tribal.edges.cli.tools.views import VIEWS

    VIEWS.get(tool, print_plain)(answer, console())
    for warning in getattr(answer, "warnings", None) or ():
        console(stderr=True).print(f"[yellow]note:[/] {escape(getattr(warning, 'message', None) or str(warning))}")


def print_error(error: AgentError, project: Path | None = None) -> None:
    """Print an error and its suggestions on standard error; `project` is the folder of a local index."""
    from rich.markup import escape

    from tribal.edges.cli.hints import with_typed_commands

    err = console(stderr=True)
    message = error.message if project is None else with_typed_commands(error.message, project)
    err.print(f"[red]error:[/] {escape(message)}")
    context = error.context or {}
    suggestions = context.get("suggestions") or context.get("nearMisses")
    if isinstance(suggestions, list) and suggestions:
        err.print(f"Did you mean {escape(', '.join(str(name) for name in suggestions))}?")
