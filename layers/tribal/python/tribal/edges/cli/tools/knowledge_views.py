"""Custom views of decisions, policies and syncs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tribal.edges.cli.console import counted
from tribal.edges.cli.tools.layout import print_grid, print_indented, print_match

if TYPE_CHECKING:
    from rich.console import Console

    from tribal_contracts.knowledge import (
        Constraint,
        KnowledgeQueryOutput,
        KnowledgeShowOutput,
        SyncNowOutput,
        SyncStatusOutput,
    )

_INDENT = 3


def _print_found(answer: KnowledgeQueryOutput, out: Console) -> None:
    from tribal.edges.cli.safe_console import escape

    if not answer.items:
        out.print("No decision or policy matches.")
        return
    for place, item in enumerate(answer.items, start=1):
        facts = [item.type, item.layer, item.status, *(["with constraints"] if item.has_constraints else [])]
        print_match(out, place, item.id, facts, map(escape, dict.fromkeys((item.title, item.summary))), None)
    shown = len(answer.items)
    if answer.total_count > shown:
        out.print(f"[dim]{shown} of {answer.total_count:,}; more with --limit[/]")


def _print_item(answer: KnowledgeShowOutput, out: Console) -> None:
    from tribal.edges.cli.safe_console import escape

    item = answer.item
    facts = ", ".join([item.type, item.layer, item.status, *item.tags])
    out.print(f"[bold]{escape(item.title)}[/]  [dim]{escape(facts)}[/]")
    out.print(f"[dim]{escape(item.id)}, of {item.created_at[:10]}, last changed {item.updated_at[:10]}[/]")
    for label, ids in (("supersedes", [item.supersedes]), ("superseded by", item.superseded_by or [])):
        named = [each for each in ids if each is not None]
        if named:
            out.print(f"[dim]{label} {escape(', '.join(named))}[/]")
    out.print()
    print_indented(out, escape(item.content))
    if item.constraints:
        out.print("\n[bold]Constraints[/]")
        print_grid(
            out,
            ("demand", "of", "pattern", "severity", "message"),
            [_constraint(each, item.severity) for each in item.constraints],
        )
    if answer.history is not None:
        out.print("\n[bold]History[/]")
        rows = [
            (each.timestamp[:10], each.version[:10], escape(each.author), escape(each.message))
            for each in answer.history
        ]
        print_grid(out, (), rows, _INDENT)


def _constraint(constraint: Constraint, severity: str) -> tuple[str, ...]:
    from tribal.edges.cli.safe_console import escape

    where = f" in {constraint.applies_to}" if constraint.applies_to else ""
    return (
        constraint.operator,
        escape(f"{constraint.target}{where}"),
        escape(constraint.pattern),
        constraint.severity or severity,
        escape(constraint.message or ""),
    )


def _print_sync(answer: SyncNowOutput, out: Console) -> None:
    from tribal.edges.cli.safe_console import escape

    print_indented(out, escape(f"{answer.message}."))


def sync_text(answer: SyncStatusOutput) -> str:
    """Say in markup how current decisions are."""
    healthy = "[green]healthy[/]" if answer.healthy else "[red]not healthy[/]"
    ago = "never synced" if answer.last_sync_at is None else f"last synced {answer.time_since_sync} ago"
    return f"{healthy}, {ago}, {counted(answer.failed_items, 'unusable file')}"


def _print_status(answer: SyncStatusOutput, out: Console) -> None:
    out.print(sync_text(answer))
    stats = answer.stats
    out.print(
        f"[dim]{counted(stats.total_syncs, 'sync')}, {counted(stats.total_items_synced, 'item')} synced,"
        f" {stats.avg_sync_duration_ms:,} ms each[/]"
    )


KNOWLEDGE_VIEWS: dict[str, Callable[[Any, Console], None]] = {
    "knowledge_query": _print_found,
    "knowledge_show": _print_item,
    "sync_now": _print_sync,
    "sync_status": _print_status,
}
"""Views by tool name."""
