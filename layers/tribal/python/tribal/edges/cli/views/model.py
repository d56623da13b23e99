"""Formats the cost of a model: the quote before a run, and spending after it."""

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
    from tribal_contracts import (
        DocumentationPlan,
        ModelQuote,
        ModelSettings,
        ModelUsage,
        WorkUnitProgress,
        WrittenTexts,
    )


_LISTED_TABLES = 10
"""Tables listed per reason for waiting for a model; the rest is counted."""
_CALLS_TO_JUDGE_CACHE = 20
_LISTED_ACCOUNTS = 10
"""Accounts listed with what they spent today, the dearest first."""
_IN_CENTS = 0.1
_LEAST = 0.0001


def dollars(nanodollars: int) -> str:
    """An amount in dollars; amounts below ten cents get more digits."""
    from tribal_contracts import NANODOLLARS

    value = nanodollars / NANODOLLARS
    if value >= _IN_CENTS or not nanodollars:
        return f"${value:,.2f}"
    return f"${value:.4f}" if value >= _LEAST else f"under ${_LEAST}"


def usage_text(usage: ModelUsage) -> str:
    """The usage of calls, in one line."""
    calls = f"{usage.calls:,} call{'s' if usage.calls != 1 else ''} to the model"
    estimated = f" (estimated for {usage.estimated_calls:,})" * bool(usage.estimated_calls)
    cost = f"{usage.tokens:,} tokens{estimated}, {dollars(usage.nanodollars)}"
    return f"{calls}, {cost}, {usage.time_ms / 1000:.1f} s of waiting"


def cache_line(usage: ModelUsage) -> str:
    """One line if the provider's cache never served the part that all prompts share; otherwise empty.

    A provider that reports no writes either has no such cache, or the part is too short for it.
    """
    if usage.cache_read_tokens or not usage.cache_write_tokens or usage.calls < _CALLS_TO_JUDGE_CACHE:
        return ""
    return (
        f"the model's cache was written {usage.cache_write_tokens:,} tokens and never read, so each call paid for its "
        "whole prompt; if a gateway is in between, it may change or spread the requests"
    )


def unsupported_line(texts: WrittenTexts) -> str:
    """One line if texts were dropped because they had nothing to do with what they describe; otherwise empty."""
    if not texts.unsupported:
        return ""
    return (
        f"{texts.unsupported:,} of {texts.written:,} texts by the model ({texts.unsupported / texts.written:.0%}) were "
        "dropped: they do not mention anything about the table or column"
    )


def plan_quote(plan: DocumentationPlan) -> ModelQuote | None:
    """The cost of the model for the whole plan; `None` if it would not be called."""
    from tribal_contracts import ModelQuote

    quotes = [unit.quote for unit in plan.work_units if unit.quote is not None]
    return sum(quotes, start=ModelQuote()) if quotes else None


def quote_text(quote: ModelQuote) -> str:
    """A quote in one line."""
    return (
        f"about {quote.calls:,} call{'s' if quote.calls != 1 else ''} to the model, {quote.tokens:,} tokens, "
        f"{dollars(quote.nanodollars)} and {max(quote.seconds / 60, 0.1):.1f} min"
    )


def over_limit(quote: ModelQuote, model: ModelSettings | None) -> str:
    """One line if a run would cost more than the settings allow, otherwise empty."""
    if model is None or quote.nanodollars <= _nanodollars(model.per_run_usd):
        return ""
    limit = dollars(_nanodollars(model.per_run_usd))
    return f"this exceeds per_run_usd, {limit}: rules describe the remaining tables until the next run"


def agree(plan: DocumentationPlan, budget_usd: float | None, sink: ProgressSink) -> bool:
    """Whether to go ahead with a plan; asks on a terminal when the model would cost more than the budget."""
    quote = plan_quote(plan)
    if quote is None or budget_usd is None or quote.nanodollars <= _nanodollars(budget_usd):
        return True
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return True
    budget = dollars(_nanodollars(budget_usd))
    with paused(sink), _interruptible():
        typer.echo(f"This run would take {quote_text(quote)}, which exceeds --budget {budget}.", err=True)
        return typer.confirm("Use the model until the budget is spent, and rules for the rest?", err=True)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let Ctrl-C end the command at once within the block: no work is in progress."""
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
    """Tables that rules describe until a model answers, by reason."""
    from tribal.runs.reports.waiting import waiting_of

    for waiting in waiting_of(error for unit in units for error in unit.errors):
        yield f"rules describe {waiting.counted} until the next run calls the model: {waiting.reason}"
        more = len(waiting.tables) - _LISTED_TABLES
        names = ", ".join(waiting.tables[:_LISTED_TABLES])
        yield f"  {names}{f' and {more} more, which --json lists' if more > 0 else ''}"


def spending_lines(spent: Spending) -> Iterator[str]:
    """The cost of models today and in the last run that used one; nothing if none was ever used."""
    if spent.damaged:
        yield "model: progress/budget.json is damaged, so no model is called; check what was spent, then delete it"
    if not spent.run_id and not spent.day_usd:
        return
    day, run, unsettled, reserved = (
        dollars(_nanodollars(usd)) for usd in (spent.day_usd, spent.run_usd, spent.unsettled_usd, spent.reserved_usd)
    )
    unseen = f", of which {unsettled} for calls with unknown outcome" * bool(spent.unsettled_usd)
    aside = f", {reserved} more reserved" * bool(spent.reserved_usd)
    of_run = f"; {run} in run {spent.run_id}" * bool(spent.run_id)
    yield f"model: {day} spent today (UTC){unseen}{aside}{of_run}"
    dearest = sorted(spent.day_usd_by_account.items(), key=lambda item: (-item[1], item[0]))
    for account, usd in dearest[:_LISTED_ACCOUNTS]:
        yield f"  {dollars(_nanodollars(usd))} by {account}"
    if more := dearest[_LISTED_ACCOUNTS:]:
        yield f"  {dollars(_nanodollars(sum(usd for _, usd in more)))} by {len(more)} more"
    if spent.stopped:
        yield f"model: no more calls in that run: {spent.stopped}"
