"""Formats what `tribal check` finds about models: whether they can be called, and how one passed its test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import typer

from tribal.edges.cli.console import console

if TYPE_CHECKING:
    from tribal.ports import ModelAnnouncement, ModelReadiness
    from tribal_contracts import ModelTest

_MINUTES_IN_HOURS = 120


@dataclass(frozen=True, slots=True)
class RunEstimate:
    """What a run over all tables would take, by what the model needed for a built-in table."""

    tables: int
    usd: float
    seconds: float

    @classmethod
    def of(cls, model: ModelReadiness, tables: int) -> RunEstimate | None:
        """The estimate for this many tables; `None` if the model was not tested, or no table was found."""
        from tribal_contracts import NANODOLLARS

        test = model.test
        if test is None or not tables:
            return None
        usage, share = test.usage, tables / test.tables
        usd = usage.nanodollars / NANODOLLARS * share
        return cls(tables, round(usd, 6), round(usage.time_ms / 1000 * share / model.calls_at_once, 1))

    @property
    def text(self) -> str:
        """The estimate in one line."""
        minutes = max(self.seconds / 60, 0.1)
        time = f"{minutes:,.1f} min" if minutes < _MINUTES_IN_HOURS else f"{minutes / 60:,.1f} h"
        return (
            f"A run over {self.tables:,} tables would take about {time} and {_dollars(self.usd)}. This is an estimate "
            "from the small built-in tables; larger tables take more, and tables that need no text take nothing."
        )


def announce(announcements: Sequence[ModelAnnouncement]) -> None:
    """Say what is about to be sent to each model, and what that may cost."""
    for each in announcements:
        cost = f"costs at most {_dollars(each.most_usd)}" if each.most_usd else "costs nothing"
        section = each.section.replace(".", " ")
        typer.echo(f"note: sending to {section} {each.name}: {each.sends}; {cost}", err=True)


def model_data(model: ModelReadiness) -> dict[str, Any]:
    """The readiness of a model, as JSON."""
    test = model.test
    if test is None:
        return asdict(model)
    return {
        **asdict(model),
        "test": {**test.model_dump(mode="json"), "fit": test.is_fit, "problem": test.problem},
    }


def print_model(model: ModelReadiness) -> None:
    """Print whether a model can be called, and how it passed its test."""
    from tribal.edges.cli.safe_console import escape

    out = console()
    prices = f": prices from {escape(model.prices)}" * bool(model.prices)
    name = f"[bold]{escape(model.section.replace('.', ' '))} {escape(model.name)}[/]{prices}"
    if model.missing:
        out.print(f"[red]✗[/] {name}\n  {escape(model.missing)}", soft_wrap=True)
    elif model.test is not None:
        mark = "[green]✓[/]" if model.test.is_fit else "[red]✗[/]"
        out.print(f"{mark} {name}", soft_wrap=True)
        for line in _test_lines(model, model.test):
            out.print(f"  {escape(line)}", soft_wrap=True)
    else:
        there = "the package and the key are" if model.needs_key else "the package is"
        answered = f"it answered in {(model.answered_ms or 0) / 1000:.1f} s for {_dollars(model.usd)}"
        result = f"{there} available; nothing was sent" if model.answered_ms is None else answered
        out.print(f"[green]✓[/] {name}; {result}", soft_wrap=True)
    if model.warning:
        out.print(f"  [yellow]warning[/]: {escape(model.warning)}", soft_wrap=True)


def _test_lines(model: ModelReadiness, test: ModelTest) -> list[str]:
    speed = f", {test.tokens_per_second:,.1f} tokens a second" if test.tokens_per_second is not None else ""
    lines = [
        f"{test.tables} built-in tables: {test.read} answers read, {test.right} right, {test.invented} invented, "
        f"{test.obeyed} obeyed{speed}, {_dollars(model.usd)}"
    ]
    if model.unread:
        lines.append(f"why an answer could not be read: {model.unread}")
    if test.is_fit:
        return [*lines, "fit to describe tables"]
    return [
        *lines,
        f"not fit to describe tables: {test.problem}",
        "configure another model; `tribal run --anyway`, or `model.accept_unfit: true`, uses this one",
    ]


def _dollars(usd: float) -> str:
    return f"${usd:.6f}" if usd else "$0"
