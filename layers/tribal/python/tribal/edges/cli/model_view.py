"""What a model costs, for people: quoted before a run, and told after it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tribal.ports import Spending
    from tribal_contracts import DocumentationPlan, ModelQuote, ModelUsage


def dollars(nanodollars: int) -> str:
    """A sum of money, with as many digits as tell it from nothing."""
    from tribal_contracts import NANODOLLARS

    value = nanodollars / NANODOLLARS
    return f"${value:,.2f}" if value >= 1 or not nanodollars else f"${value:.4f}"


def usage_text(usage: ModelUsage) -> str:
    """What calls have used, in one line."""
    calls = f"{usage.calls:,} call{'s' if usage.calls != 1 else ''} of the model"
    return f"{calls}, {usage.tokens:,} tokens, {dollars(usage.nanodollars)}, {usage.time_ms / 1000:.1f} s of waiting"


def plan_quote(plan: DocumentationPlan) -> ModelQuote | None:
    """What the model would cost for the whole plan; `None` where it would not be asked."""
    from tribal_contracts import ModelQuote

    quotes = [unit.quote for unit in plan.work_units if unit.quote is not None]
    return sum(quotes, start=ModelQuote()) if quotes else None


def quote_text(quote: ModelQuote) -> str:
    """A quote in one line."""
    return (
        f"about {quote.calls:,} call{'s' if quote.calls != 1 else ''} of the model, {quote.tokens:,} tokens, "
        f"{dollars(quote.nanodollars)} and {max(quote.seconds / 60, 0.1):.1f} min"
    )


def agree(plan: DocumentationPlan, budget_usd: float | None) -> bool:
    """Whether to go on with a plan: on a terminal somebody is asked where the model would cost more than the budget."""
    from tribal_contracts import NANODOLLARS

    quote = plan_quote(plan)
    if quote is None or budget_usd is None or quote.nanodollars <= budget_usd * NANODOLLARS:
        return True
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return True
    typer.echo(f"This run would take {quote_text(quote)}: more than the ${budget_usd:,.2f} of --budget.", err=True)
    return typer.confirm("Ask the model for as much as the budget pays for, and leave the rest to rules?", err=True)


def spending_lines(spent: Spending) -> Iterator[str]:
    """What models have cost today and in the last run that asked one; nothing where none ever was."""
    if spent.damaged:
        yield "model: progress/budget.json is damaged, so no model is asked; look at what was spent, then delete it"
    if not spent.run_id:
        return
    unsettled = f", of which ${spent.unsettled_usd:.4f} are of calls whose end nobody saw" * bool(spent.unsettled_usd)
    reserved = f", ${spent.reserved_usd:.4f} more set aside" * bool(spent.reserved_usd)
    yield f"model: ${spent.day_usd:.4f} today (UTC){unsettled}{reserved}; run {spent.run_id}: ${spent.run_usd:.4f}"
    if spent.stopped:
        yield f"model: no more calls in that run: {spent.stopped}"
