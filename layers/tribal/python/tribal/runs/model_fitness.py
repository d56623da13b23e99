"""Whether the model of a run is fit to describe tables, asked before it is paid for anything."""

from __future__ import annotations

from collections.abc import Callable

from tribal.errors import ConfigurationError
from tribal.ports import RunContext
from tribal.ports.models.fitness import ModelTester
from tribal.store.model_tests import read_model_test
from tribal_contracts import NANODOLLARS, ModelTest

_REPORTED_LATER = ("stopped", "exhausted", "interrupted")
"""Outages that the run itself meets and reports, so that no one reads the reason twice."""


def require_fit_model(run: RunContext, would_ask: Callable[[], bool], *, may_test: bool) -> None:
    """Refuse a model that failed its test, and test one on this machine that was never tested.

    Args:
        run: its options name the model. would_ask: whether the run would ask the model anything.
        may_test: whether this process may call the model.

    Raises:
        ConfigurationError: when the model failed its test and neither --anyway nor the settings accept it.
        StoreError: when the result of a test cannot be recorded.
    """
    settings = run.options.model
    if settings is None or settings.accept_unfit:
        return
    tester = run.describers.tester
    if tester is None:
        return
    # The store of the run reports damage.
    test = read_model_test(run.store, settings, tester.version)
    if (test is not None and test.is_fit) or not would_ask():
        return
    name = settings.label
    if test is None and may_test and settings.is_on_this_machine:
        test = _tested(run, tester, name)
    elif test is None:
        run.sink.note(f"the model {name} is untested; `tribal check --ask` tests it{_price(tester)}")
    if test is not None and not test.is_fit:
        raise ConfigurationError(
            f"the model {name} failed the test with built-in tables: {test.problem} {_counts(test)}. "
            "Configure another model, or use this one with --anyway, or `model.accept_unfit: true` in databases.yaml. "
            "`tribal check --ask` tests it again"
        )


def _tested(run: RunContext, tester: ModelTester, name: str) -> ModelTest | None:
    run.sink.note(f"the model {name} is untested; testing it with built-in tables first")
    outcome = tester.test()
    if outcome.test is None:
        failure = outcome.failure
        reason = f": {failure.message}" if failure is not None and failure.kind not in _REPORTED_LATER else ""
        run.sink.note(f"the test could not be finished, so the model stays untested{reason}")
    elif outcome.test.is_fit:
        run.sink.note(f"the model passed the test {_counts(outcome.test)}")
    return outcome.test


def _counts(test: ModelTest) -> str:
    return f"(of {test.tables} answers {test.right} right, {test.invented} invented, {test.obeyed} obeyed)"


def _price(tester: ModelTester) -> str:
    """What a test costs, to add to a sentence; empty if it costs nothing."""
    usd = tester.usual_nanodollars / NANODOLLARS
    return f" for about ${usd:.4f}" if usd else ""
