"""Text, columns and matches: wrapped on a terminal, one line per item in a pipe."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

_NARROWEST = 30
"""Minimum width of wrapped text, however narrow the terminal."""
_GAP = "  "
_INDENT = 3


def print_indented(out: Console, markup: str, indent: int = 0) -> None:
    """Print a paragraph with every line indented; nothing if it is empty."""
    from rich.text import Text

    if not markup:
        return

    text, margin = out.render_str(markup), Text(" " * indent)
    text.rstrip()
    if out.soft_wrap:
        for line in text.split("\n"):
            out.print(margin + line)
        return
    for line in text.wrap(out, max(out.width - indent, _NARROWEST)):
        line.rstrip()
        out.print(margin + line, soft_wrap=True)


def print_match(
    out: Console, place: int, name: str, facts: Sequence[str], texts: Iterable[str], reasons: Sequence[str] | None
) -> None:
    """Print a match of a search.

    Args:
        out: the console.
        place: its number.
        name: what it is called.
        facts: such as its score.
        texts: paragraphs of markup.
        reasons: why it matches.
    """
    from tribal.edges.cli.safe_console import escape

    out.print(f"[bold]{place}. {escape(name)}[/]  [dim]{escape(', '.join(facts))}[/]")
    for text in texts:
        print_indented(out, text, _INDENT)
    if reasons:
        print_indented(out, f"[dim]because:[/] {escape('; '.join(reasons))}", _INDENT)


def print_grid(out: Console, headings: Sequence[str], rows: Sequence[Sequence[str]], indent: int = 0) -> None:
    """Print rows of markup below their headings, if any; in a pipe, each row is one line without trailing spaces."""
    if not rows:
        return
    if out.soft_wrap:
        _print_lines(out, headings, rows, indent)
        return
    from rich.padding import Padding
    from rich.table import Table

    view = Table(box=None, pad_edge=False, header_style="bold", show_edge=False, show_header=bool(headings))
    for place in range(len(rows[0])):
        view.add_column(headings[place] if headings else "", overflow="fold")
    for row in rows:
        view.add_row(*row)
    out.print(Padding.indent(view, indent))


def _print_lines(out: Console, headings: Sequence[str], rows: Sequence[Sequence[str]], indent: int) -> None:
    from rich.cells import cell_len
    from rich.text import Text

    plain = [[" ".join(out.render_str(cell).plain.split()) for cell in row] for row in rows]
    lines = [list(headings), *plain] if headings else plain
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = (cell + " " * (width - cell_len(cell)) for cell, width in zip(line, widths, strict=True))
        out.print(Text((" " * indent + _GAP.join(cells)).rstrip()))
