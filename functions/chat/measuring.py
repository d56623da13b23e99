"""Metrics of answers: how they ended, which law refused them, and what models have cost today.

They are written when an answer ends, which is after the handler has returned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from aws_lambda_powertools.metrics import EphemeralMetrics, MetricUnit

from tribal.capabilities.chat.events import Finished
from tribal.ports.stopping import StopToken
from tribal_contracts import NANODOLLARS, BudgetRecord

ALL = "all"
"""The dimension of what everything has cost."""


def measure_answer(finished: Finished | None, stop: StopToken) -> None:
    """Write the metrics of an answer.

    Args:
        finished: how it ended; `None` when its client has disconnected before.
        stop: whether it was asked to stop.
    """
    cut_off = finished is None or stop.requested
    reason = None if finished is None or cut_off else finished.reason
    answered = reason in ("stop", "length")
    counts = {"Answers": answered, "AnswersFailed": reason == "error", "StreamsCutOff": cut_off}
    write_metrics({}, {name: int(value) for name, value in counts.items()})
    verdict = None if finished is None else finished.governor
    if verdict is not None and verdict.law_violated is not None:
        write_metrics({"law": verdict.law_violated}, {"Refusals": 1})


def measure_spending(record: BudgetRecord) -> None:
    """Write what each kind of account, such as `chat`, has cost today in dollars."""
    spent: Counter[str] = Counter()
    for name, account in record.accounts.items():
        spent[name.partition(":")[0]] += account.day_spend.nanodollars
    spent[ALL] = record.day_spend.nanodollars
    for kind, nanodollars in spent.items():
        write_metrics({"account": kind}, {"SpentUsd": nanodollars / NANODOLLARS})


def write_metrics(dimensions: Mapping[str, str], values: Mapping[str, float]) -> None:
    """Write metrics at once."""
    metrics = EphemeralMetrics()
    for name, value in dimensions.items():
        metrics.add_dimension(name=name, value=value)
    for name, number in values.items():
        metrics.add_metric(name=name, unit=MetricUnit.NoUnit if name == "SpentUsd" else MetricUnit.Count, value=number)
    metrics.flush_metrics()
