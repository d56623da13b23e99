"""Prints plans."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tribal.edges.cli.console import console
from tribal.edges.cli.views.model import dollars, over_limit, plan_quote, quote_text
from tribal.edges.cli.views.run_report import LISTED_ERRORS
from tribal.errors import PlanError
from tribal.identity.locations import PLAN_FILE
from tribal.planning import load_plan
from tribal_contracts import ModelQuote

if TYPE_CHECKING:
    from rich.table import Table

    from tribal.ports import ObjectStore
    from tribal.settings import Settings
    from tribal_contracts import DocumentationPlan, WorkUnit

LISTED_TABLES = 10
"""Tables listed in one line of changes; the rest is only counted."""


def last_plan(store: ObjectStore) -> DocumentationPlan | None:
    """The plan in the store, for comparison with the next one; `None` when there is no readable one."""
    try:
        return load_plan(store)
    except PlanError:
        return None


def print_plan(
    plan: DocumentationPlan, settings: Settings, previous: DocumentationPlan | None = None, *, next_step: str
) -> None:
    """Print domains with their tables, work and time, changes since the last plan, errors, and the plan's location."""
    from tribal.edges.cli.safe_console import escape

    out = console()
    quote = plan_quote(plan)
    out.print(_domain_table(plan, with_model=quote is not None))
    summary = plan.summary
    out.print(
        f"{summary.total_tables} tables in {summary.domain_count} domains, {summary.total_work_units} work units, "
        f"about {summary.total_estimated_minutes:g} min"
    )
    if quote is not None:
        out.print(f"{quote_text(quote)}; samples and repairs are not included")
        if line := over_limit(quote, settings.model):
            out.print(line)
    for analysis in plan.databases:
        for cost in analysis.costs or ():
            out.print(escape(f"cost of {analysis.name}: {cost}"), soft_wrap=True)
    for line in changes(previous, plan) if previous else ():
        out.print(escape(line))
    for line in moves(plan):
        out.print(escape(line))
    for error in plan.errors[:LISTED_ERRORS]:
        out.print(f"[yellow]{error.severity}[/]: {escape(error.message)}", soft_wrap=True)
    if len(plan.errors) > LISTED_ERRORS:
        out.print(f"... and {len(plan.errors) - LISTED_ERRORS} more, listed at the end of the plan")
    out.print(f"Plan: {escape(settings.address(PLAN_FILE))} (you may move tables between its domains)")
    if settings.bucket is not None:
        out.print(f"View: aws s3 cp {escape(settings.address(PLAN_FILE))} . (copy it back after changes)")
    out.print(escape(next_step))


def changes(previous: DocumentationPlan, plan: DocumentationPlan) -> Iterator[str]:
    """One line each for new tables, tables no longer in the plan, and changed tables."""
    answered = {analysis.name for analysis in plan.databases if analysis.status == "reachable"}
    before, after = _hashes(previous, answered), _hashes(plan, answered)
    found = {
        "new": sorted(after.keys() - before.keys()),
        "removed": sorted(before.keys() - after.keys()),
        "changed": sorted(name for name in after.keys() & before.keys() if after[name] != before[name]),
    }
    for what, names in found.items():
        if names:
            more = f" and {len(names) - LISTED_TABLES} more" if len(names) > LISTED_TABLES else ""
            yield f"{what}: {', '.join(names[:LISTED_TABLES])}{more}"
    if not any(found.values()) and not plan.moves:
        yield "Nothing changed since the last plan."


def moves(plan: DocumentationPlan) -> Iterator[str]:
    """One line for each of the first tables that changed their domain, and one that counts the rest."""
    found = plan.moves or []
    for move in found[:LISTED_TABLES]:
        yield f"moved: {move.table} from {move.from_domain} to {move.to_domain}"
    if len(found) > LISTED_TABLES:
        yield f"moved: {len(found) - LISTED_TABLES} more, which the plan lists"


def _hashes(plan: DocumentationPlan, databases: set[str]) -> dict[str, str]:
    return {
        spec.fully_qualified_name: spec.metadata_hash
        for unit in plan.work_units
        if unit.database in databases
        for spec in unit.tables
    }


def _domain_table(plan: DocumentationPlan, *, with_model: bool) -> Table:
    from rich.table import Table

    from tribal.edges.cli.safe_console import escape

    view = Table(title=None, box=None, pad_edge=False, header_style="bold")
    for heading in ("database", "domain"):
        view.add_column(heading)
    for heading in ("tables", "core", "system", "to do", *(("calls", "tokens", "cost") * with_model), "minutes"):
        view.add_column(heading, justify="right")
    domains: dict[tuple[str, str], list[WorkUnit]] = defaultdict(list)
    for unit in plan.work_units:
        domains[unit.database, unit.domain].append(unit)
    for (database, domain), units in sorted(domains.items()):
        view.add_row(escape(database), escape(domain), *_numbers(units, with_model=with_model))
    return view


def _numbers(units: Sequence[WorkUnit], *, with_model: bool) -> list[str]:
    specs = [spec for unit in units for spec in unit.tables]
    priorities = Counter(spec.priority for spec in specs)
    todo = sum(spec.has_work is not False for spec in specs)
    quote = sum((unit.quote for unit in units if unit.quote is not None), start=ModelQuote())
    minutes = sum(unit.estimated_time_minutes for unit in units) + quote.seconds / 60
    costs = [f"{quote.calls:,}", f"{quote.tokens:,}", dollars(quote.nanodollars)] if with_model else []
    return [str(len(specs)), str(priorities[1]), str(priorities[3]), str(todo), *costs, f"{minutes:.2f}"]
