"""The view of lineage: a tree of tables, each with the columns that lead to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tribal.edges.cli.console import counted
from tribal.edges.cli.tools.layout import print_indented

if TYPE_CHECKING:
    from rich.console import Console

    from tribal_contracts import GetLineageOutput, LineageEdge

_INDENT = 3
_MOST_COLUMNS = 6
"""Columns in one line; `--json` has all."""
_MOST_LINES = 500
"""Of a tree: a table that is reached over several ways is shown once for each."""


def _print_lineage(answer: GetLineageOutput, out: Console) -> None:
    from tribal.edges.cli.safe_console import escape

    of = f" {answer.column}" if answer.column else ""
    out.print(f"[bold]{escape(answer.table + of)}[/]")
    for note in answer.notes or ():
        out.print(escape(note))
    kinds = {node.table: node.kind for node in answer.nodes}
    into: dict[str, dict[str, list[LineageEdge]]] = {}
    out_of: dict[str, dict[str, list[LineageEdge]]] = {}
    for edge in answer.edges:
        into.setdefault(edge.to.table, {}).setdefault(edge.from_.table, []).append(edge)
        out_of.setdefault(edge.from_.table, {}).setdefault(edge.to.table, []).append(edge)
    for heading, ways in (("Made from", into), ("Goes into", out_of)):
        if answer.table in ways:
            out.print(f"\n[bold]{heading}[/]")
            lines = list(_lines(answer.table, ways, kinds))
            for depth, line in lines[:_MOST_LINES]:
                print_indented(out, escape(line), _INDENT * (depth + 1))
            if len(lines) > _MOST_LINES:
                print_indented(out, f"[dim]and {counted(len(lines) - _MOST_LINES, 'more line')}[/]", _INDENT)
    if not answer.edges:
        out.print("No view that is documented reads it, and it reads none.")
    if answer.truncated:
        out.print("[dim]there is more than is shown: ask with a smaller --depth, a --column or one --direction[/]")
    for each in answer.unresolved:
        out.print(f"[yellow]columns unknown:[/] {escape(f'{each.table}: {each.reason}')}")


def _lines(
    start: str, ways: Mapping[str, Mapping[str, Sequence[LineageEdge]]], kinds: Mapping[str, str]
) -> list[tuple[int, str]]:
    """Each table below the ones that lead to it, with its depth; what a table leads to is shown once."""
    found: list[tuple[int, str]] = []
    shown: set[str] = set()

    def add(table: str, depth: int) -> None:
        if table in shown or len(found) > _MOST_LINES:
            return
        shown.add(table)
        for other, edges in ways.get(table, {}).items():
            kind = kinds.get(other, "table")
            note = f" ({kind.replace('_', ' ')})" if kind != "table" else ""
            found.append((depth, f"{other}{note}: {_columns(edges)}"))
            add(other, depth + 1)

    add(start, 0)
    return found


def _columns(edges: Sequence[LineageEdge]) -> str:
    """The columns of some edges, such as `id, total -> sum (aggregated)`."""
    said = [_said(edge) for edge in edges]
    said.sort(key=lambda text: text.endswith("(filter)"))
    more = f" and {len(said) - _MOST_COLUMNS:,} more" if len(said) > _MOST_COLUMNS else ""
    return ", ".join(said[:_MOST_COLUMNS]) + more


def _said(edge: LineageEdge) -> str:
    own, other = edge.from_.column, edge.to.column
    if own is None:
        return "rows" if edge.via == "filter" else "columns unknown"
    name = own if other in (None, own) else f"{own} -> {other}"
    return name if edge.via == "direct" else f"{name} ({edge.via})"


LINEAGE_VIEWS: dict[str, Callable[[Any, Console], None]] = {"get_lineage": _print_lineage}
"""Views by tool name."""
