"""What a model costs, for people: quoted before a run, and told after it."""

from __future__ import annotations

import signal
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from tribal.edges.cli.console import paused

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tribal.ports import ProgressSink, Spending
    from tribal_contracts import DocumentationPlan, ModelQuote, ModelSettings, ModelUsage, WorkUnitProgress


_LISTED_TABLES = 10
"""Tables that wait for a model, of those with one reason; the rest is counted."""
_IN_CENTS = 0.1
_LEAST = 0.0001


def dollars(nanodollars: int) -> str:
    """A sum of money: in cents, or, where it is less than ten of them, with as many digits as tell it from nothing."""
    from tribal_contracts import NANODOLLARS

    value = nanodollars / NANODOLLARS
    if value >= _IN_CENTS or not nanodollars:
        return f"${value:,.2f}"
    return f"${value:.4f}" if value >= _LEAST else f"under ${_LEAST}"


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


def over_limit(quote: ModelQuote, model: ModelSettings | None) -> str:
    """One line where a run would cost more than the settings let it; empty elsewhere."""
    if model is None or quote.nanodollars <= _nanodollars(model.per_run_usd):
        return ""
    limit = dollars(_nanodollars(model.per_run_usd))
    return f"that is more than per_run_usd, {limit}: what it does not pay for waits for the next run, in words of rules"


def agree(plan: DocumentationPlan, budget_usd: float | None, sink: ProgressSink) -> bool:
    """Whether to go on with a plan: on a terminal somebody is asked where the model would cost more than the budget."""
    quote = plan_quote(plan)
    if quote is None or budget_usd is None or quote.nanodollars <= _nanodollars(budget_usd):
        return True
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return True
    budget = dollars(_nanodollars(budget_usd))
    with paused(sink), _interruptible():
        typer.echo(f"This run would take {quote_text(quote)}: more than the {budget} of --budget.", err=True)
        return typer.confirm("Ask the model for as much as the budget pays for, and leave the rest to rules?", err=True)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Within the block Ctrl-C ends the command at once: nothing is under way that would have to be finished."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    except typer.Abort:
        raise KeyboardInterrupt from None
    finally:
        signal.signal(signal.SIGINT, before)


def _nanodollars(usd: float) -> int:
    from tribal_contracts import NANODOLLARS

    return round(usd * NANODOLLARS)


def waiting_lines(units: Iterable[WorkUnitProgress]) -> Iterator[str]:
    """Which tables have rules' words until a model answers, by reason."""
    from tribal.runs.waiting import waiting_of

    for waiting in waiting_of(error for unit in units for error in unit.errors):
        yield f"rules describe {waiting.counted} until the next run asks the model: {waiting.reason}"
        more = len(waiting.tables) - _LISTED_TABLES
        names = ", ".join(waiting.tables[:_LISTED_TABLES])
        yield f"  {names}{f' and {more} more, which --json lists' if more > 0 else ''}"


def spending_lines(spent: Spending) -> Iterator[str]:
    """What models have cost today and in the last run that asked one; nothing where none ever was."""
    if spent.damaged:
        yield "model: progress/budget.json is damaged, so no model is asked; look at what was spent, then delete it"
    if not spent.run_id:
        return
    day, run, unsettled, reserved = (
        dollars(_nanodollars(usd)) for usd in (spent.day_usd, spent.run_usd, spent.unsettled_usd, spent.reserved_usd)
    )
    unseen = f", of which {unsettled} are for calls whose end nobody saw" * bool(spent.unsettled_usd)
    aside = f", {reserved} more set aside" * bool(spent.reserved_usd)
    yield f"model: {day} spent today (UTC){unseen}{aside}; {run} in run {spent.run_id}"
    if spent.stopped:
        yield f"model: no more calls in that run: {spent.stopped}"
