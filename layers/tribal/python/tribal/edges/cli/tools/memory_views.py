"""Custom views of memories."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tribal.edges.cli.tools.layout import print_match

if TYPE_CHECKING:
    from rich.console import Console

    from tribal_contracts import ChangedTable
    from tribal_contracts.memory import MemoryAddOutput, MemoryDeleteOutput, MemorySearchOutput


def _print_added(answer: MemoryAddOutput, out: Console) -> None:
    from tribal.edges.cli.safe_console import escape

    out.print(f"[bold]{escape(answer.memory_id)}[/]  [dim]{escape(answer.message)}[/]")


def _print_found(answer: MemorySearchOutput, out: Console) -> None:
    from tribal.edges.cli.safe_console import escape

    layers = ", ".join(answer.searched_layers)
    if not answer.results:
        out.print(f"No memory matches (layers: {layers}).")
        return
    for place, memory in enumerate(answer.results, start=1):
        facts = [f"{memory.score:.2f}", memory.layer]
        facts += [f"by {memory.author}"] if memory.author else []
        facts += [memory.created_at[:10]] if memory.created_at else []
        texts = [escape(memory.content), *change_lines(memory.changed_tables)]
        for label, words in (("tags", ", ".join(memory.tags or ())), ("source", memory.source or "")):
            texts += [f"[dim]{label}:[/] {escape(words)}"] if words else []
        print_match(out, place, memory.memory_id, facts, texts, memory.reasons)
    shown = len(answer.results)
    if answer.total_count > shown:
        out.print(f"[dim]the best {shown} of {answer.total_count:,} matching memories; more with --limit[/]")


def _print_deleted(answer: MemoryDeleteOutput, out: Console) -> None:
    from tribal.edges.cli.safe_console import escape

    out.print(f"{escape(answer.message)}.")


def change_lines(changes: Sequence[ChangedTable] | None) -> list[str]:
    """Say in markup which of the tables that a text names have changed since it was written."""
    from tribal.edges.cli.safe_console import escape
    from tribal.identity.table_states import change_text

    return [f"[yellow]{escape(f'since then, {change_text(each)}')}[/]" for each in changes or ()]


MEMORY_VIEWS: dict[str, Callable[[Any, Console], None]] = {
    "memory_add": _print_added,
    "memory_search": _print_found,
    "memory_delete": _print_deleted,
}
"""Views by tool name."""
