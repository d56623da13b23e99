"""The default view of an answer: one line per value, a grid for uniform rows, nested values indented below their
name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tribal.edges.cli.tools.layout import print_grid, print_indented

if TYPE_CHECKING:
    from rich.console import Console

    from tribal_contracts import Contract

_INDENT = 3
_SHOWN_ELSEWHERE = {"success", "tokens_used", "error", "warnings"}
"""Fields that the exit code or standard error already show."""


def print_plain(answer: Contract, out: Console) -> None:
    """Print every field of an answer, in order, under its JSON name."""
    _print_fields(answer.model_dump(mode="json", by_alias=True, exclude=_SHOWN_ELSEWHERE), out, 0)


def _print_fields(fields: dict[str, Any], out: Console, indent: int) -> None:
    from rich.markup import escape

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
    from rich.markup import escape

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
