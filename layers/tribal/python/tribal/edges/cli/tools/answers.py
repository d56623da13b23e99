"""Prints tool results.

The default view has one line per value, a grid for uniform rows, and nested values indented below their name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tribal.edges.cli.console import console
from tribal.edges.cli.tools.layout import print_grid, print_indented

if TYPE_CHECKING:
    from rich.console import Console

    from tribal.edges.cli.hints import Place
    from tribal_contracts import AgentError, Contract


def print_answer(tool: str, answer: Contract) -> None:
    """Print the answer on standard output, and its warnings on standard error."""
    from tribal.edges.cli.safe_console import escape
    from tribal.edges.cli.tools.views import VIEWS

    VIEWS.get(tool, _print_plain)(answer, console())
    for warning in getattr(answer, "warnings", None) or ():
        console(stderr=True).print(f"[yellow]note:[/] {escape(getattr(warning, 'message', None) or str(warning))}")


def print_error(error: AgentError, place: Place | None = None) -> None:
    """Print an error and its suggestions on standard error; `place` completes the commands in its message."""
    from tribal.edges.cli.hints import with_typed_commands
    from tribal.edges.cli.safe_console import escape

    err = console(stderr=True)
    message = error.message if place is None else with_typed_commands(error.message, place)
    err.print(f"[red]error:[/] {escape(message)}")
    context = error.context or {}
    suggestions = context.get("suggestions") or context.get("nearMisses")
    if isinstance(suggestions, list) and suggestions:
        err.print(f"Did you mean {escape(', '.join(str(name) for name in suggestions))}?")


_INDENT = 3
_SHOWN_ELSEWHERE = {"success", "tokens_used", "error", "warnings"}
"""Fields that the exit code or standard error already show."""


def _print_plain(answer: Contract, out: Console) -> None:
    """Print every field of an answer, in order, under its JSON name."""
    _print_fields(answer.model_dump(mode="json", by_alias=True, exclude=_SHOWN_ELSEWHERE), out, 0)


def _print_fields(fields: dict[str, Any], out: Console, indent: int) -> None:
    from tribal.edges.cli.safe_console import escape

    for name, value in fields.items():
        heading = f"[bold]{escape(name)}:[/]"
        if not isinstance(value, dict | list) or not value or _is_line(value):
            print_indented(out, f"{heading} {escape(_text(value))}", indent)
            continue
        print_indented(out, heading, indent)
        if isinstance(value, dict):
            _print_fields(value, out, indent + _INDENT)
        else:
            _print_items(value, out, indent + _INDENT)


def _print_items(items: list[Any], out: Console, indent: int) -> None:
    from tribal.edges.cli.safe_console import escape

    if all(isinstance(item, dict) and all(_is_line(value) for value in item.values()) for item in items):
        names = list(dict.fromkeys(name for item in items for name in item))
        rows = [[escape(_text(item.get(name))) for name in names] for item in items]
        print_grid(out, [escape(name) for name in names], rows, indent)
        return
    for place, item in enumerate(items, start=1):
        if isinstance(item, dict):
            print_indented(out, f"[dim]{place}.[/]", indent)
            _print_fields(item, out, indent + _INDENT)
        else:
            _print_fields({str(place): item}, out, indent)


def _is_line(value: Any) -> bool:
    return not isinstance(value, dict) and (
        not isinstance(value, list) or not any(isinstance(item, dict | list) for item in value)
    )


def _text(value: Any) -> str:
    if value is None or value in ([], {}):
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(_text(item) for item in value)
    return str(value)
