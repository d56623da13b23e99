"""A call for which someone waits ends within its time, whatever it has to wait for."""

from __future__ import annotations

from dataclasses import replace

from tests.cases import each_case
from tests.fakes.memory_store import MemoryStore
from tests.fakes.scripted_model import ScriptedModel, answer
from tests.fakes.simulation import Simulation
from tests.models.building import budget, capped, request, settings
from tribal.ports import FailureKind, ModelAnswer, ModelFailure
from tribal_contracts import ModelUsage

WAITING = replace(request(30), waits_count=True)


def _failing(kind: FailureKind, after: float | None = None) -> ScriptedModel:
    failure = ModelFailure(kind, kind, ModelUsage(calls=1), after)
    return ScriptedModel(lambda _, number: failure if number == 1 else answer())


@each_case(("after", "waits"), [(1, True), (20, True), (26, False), (60, False), (3_600, False)])
def test_a_wait_that_the_provider_asks_for_is_waited_out_only_if_a_call_still_fits_after_it(
    after: float, waits: bool
) -> None:
    simulation, model = Simulation(), _failing("throttled", after)
    with budget(MemoryStore(), simulation) as money:
        outcome = capped(model, money, simulation).ask(WAITING)
    assert isinstance(outcome, ModelAnswer) == waits
    assert simulation.monotonic() <= (after + 2 if waits else 0)
    if isinstance(outcome, ModelAnswer):
        assert [each.kind for each in outcome.retried] == ["throttled"]


@each_case("kind", ["overloaded", "unavailable"])
def test_a_call_that_may_go_to_someone_else_is_not_repeated_unless_the_provider_says_when(kind: FailureKind) -> None:
    simulation, model = Simulation(), _failing(kind)
    with budget(MemoryStore(), simulation) as money:
        outcome = capped(model, money, simulation).ask(replace(request(), retries=False))
    assert (getattr(outcome, "kind", ""), len(model.requests)) == (kind, 1)


def test_a_pause_of_all_callers_that_takes_too_long_is_reported_at_once() -> None:
    simulation, model = Simulation(), _failing("throttled", 1)
    with budget(MemoryStore(), simulation) as money:
        money.pause(29)
        outcome = capped(model, money, simulation).ask(WAITING)
    assert (getattr(outcome, "kind", ""), model.requests, simulation.monotonic()) == ("throttled", [], 0)


def test_a_call_without_a_slot_ends_with_its_time() -> None:
    simulation, store, model = Simulation(), MemoryStore(), _failing("unavailable")
    with budget(store, simulation, settings(at_once=1)) as money, money.wanting_slot() as turn:
        assert turn.take()
        outcome = capped(model, money, simulation).ask(WAITING)
    assert (getattr(outcome, "kind", ""), model.requests) == ("timed_out", [])
    assert 30 <= simulation.monotonic() <= 31
