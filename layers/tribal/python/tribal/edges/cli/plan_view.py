"""A plan as a person reads it."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from tribal.catalog.locations import PLAN_FILE
from tribal.edges.cli.console import console

if TYPE_CHECKING:
    from tribal_contracts import DocumentationPlan


def print_plan(plan: DocumentationPlan, store: Path) -> None:
    """Domains with their tables and work, then moves, errors and where the plan lies."""
    from rich.markup import escape
    from rich.table import Table

    out = console()
    view = Table(title=None, box=None, pad_edge=False, header_style="bold")
    for heading, justify in (("database", "left"), ("domain", "left"), ("tables", "right"), ("to do", "right")):
        view.add_column(heading, justify=justify)  # type: ignore[arg-type]  # rich names its literals privately
    view.add_column("work units")
    tables: Counter[tuple[str, str]] = Counter()
    work: Counter[tuple[str, str]] = Counter()
    units: dict[tuple[str, str], list[str]] = defaultdict(list)
    for unit in plan.work_units:
        key = (unit.database, unit.domain)
        tables[key] += len(unit.tables)
        work[key] += sum(spec.has_work is not False for spec in unit.tables)
        units[key].append(unit.id)
    for key in sorted(units):
        view.add_row(escape(key[0]), escape(key[1]), str(tables[key]), str(work[key]), escape(", ".join(units[key])))
    out.print(view)
    summary = plan.summary
    out.print(
        f"{summary.total_tables} tables in {summary.domain_count} domains, {summary.total_work_units} work units, "
        f"about {summary.total_estimated_minutes:g} min"
    )
    for move in plan.moves or ():
        out.print(f"moved: {escape(move.table)} from {move.from_domain} to {move.to_domain}")
    for error in plan.errors:
        out.print(f"[yellow]{error.severity}[/]: {escape(error.message)}")
    out.print(f"Plan: {escape(str(store / PLAN_FILE))} (you may move tables between its domains)")
    out.print("Next: `tribal document`.")
