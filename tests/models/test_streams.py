"""A streamed answer keeps to the budget as a whole one does, and ends when its reader leaves."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from tests.fakes.memory_store import MemoryStore
from tests.fakes.scripted_model import ScriptedModel, answer
from tests.fakes.simulation import Simulation
from tests.models.building import PRICE, budget, capped, record, request
from tribal.models import Budget
from tribal.ports import ModelFailure, ModelOutcome
from tribal_contracts import ModelUsage

CUT = ModelFailure("unavailable", "the answer broke off", ModelUsage(calls=1), unseen=True)


def read(stream: Generator[str, None, ModelOutcome]) -> tuple[list[str], ModelOutcome]:
    """All pieces of a stream, and its outcome."""
    pieces: list[str] = []
    while True:
        try:
            pieces.append(next(stream))
        except StopIteration as end:
            outcome: ModelOutcome = end.value
            return pieces, outcome


@pytest.fixture
def money(store: MemoryStore, simulation: Simulation) -> Generator[Budget, None, None]:
    with budget(store, simulation) as opened:
        yield opened


def test_text_is_passed_on_and_its_price_booked(store: MemoryStore, simulation: Simulation) -> None:
    model = ScriptedModel(lambda *_: answer(70))
    model.pieces = ["An ", "order."]
    with budget(store, simulation) as money:
        assert read(capped(model, money, simulation).stream(request())) == (["An ", "order."], answer(70))
    spent = record(store).run_spend
    assert (spent.settled_nanodollars, spent.unsettled_nanodollars) == (70, 0)


def test_who_leaves_early_has_spent_the_worst_price_and_holds_no_slot(
    store: MemoryStore, simulation: Simulation
) -> None:
    model = ScriptedModel(lambda *_: answer(70))
    model.pieces = ["An ", "order."]
    with budget(store, simulation) as money:
        asked = capped(model, money, simulation)
        for _ in range(20):
            stream = asked.stream(request())
            assert next(stream) == "An "
            stream.close()
        assert asked.ask(request()) == answer(70), "leaving is no outage, and releases its slot"
    spent = record(store).run_spend
    assert (spent.settled_nanodollars, spent.unsettled_nanodollars) == (70, 20 * PRICE)


def test_a_call_is_repeated_only_while_none_of_its_text_was_read(money: Budget, simulation: Simulation) -> None:
    model = ScriptedModel(lambda _, number: CUT if number == 1 else answer())
    assert read(capped(model, money, simulation).stream(request())) == ([], answer())
    model = ScriptedModel(lambda *_: CUT)
    model.pieces = ["An "]
    pieces, outcome = read(capped(model, money, simulation).stream(request()))
    assert (pieces, len(model.requests)) == (["An "], 1)
    assert isinstance(outcome, ModelFailure)
    assert (outcome.kind, outcome.unseen) == ("unavailable", True)


def test_nothing_is_sent_before_the_first_piece_is_asked_for(money: Budget, simulation: Simulation) -> None:
    model = ScriptedModel(lambda *_: answer())
    capped(model, money, simulation).stream(request())
    assert model.requests == []
