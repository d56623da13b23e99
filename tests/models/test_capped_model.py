"""A capped model asks again where that helps, slows down where it is asked to, and ends where nothing helps."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from tests.fakes.memory_store import MemoryStore
from tests.fakes.scripted_model import ScriptedModel, answer
from tests.fakes.simulation import Simulation
from tests.models.building import PRICE, beats, budget, capped, meet, record, request, settings, timing
from tribal.errors import RunInterrupted
from tribal.models import CappedModel, read_spending
from tribal.models.breaker import FAILURES_IN_A_ROW, OPEN_SECONDS
from tribal.models.budget_file import find_budget
from tribal.ports import FailureKind, ModelAnswer, ModelFailure, ModelOutcome, ModelRequest, StopToken
from tribal_contracts import ModelUsage


def _failure(kind: FailureKind, *, cost: int = 0, after: float | None = None, unseen: bool = False) -> ModelFailure:
    return ModelFailure(kind, kind, ModelUsage(calls=1, nanodollars=cost), after, unseen)


def _in_turn(*outcomes: ModelOutcome) -> ScriptedModel:
    """Answers with each of these, and with the last one for ever."""
    return ScriptedModel(lambda _, number: outcomes[min(number, len(outcomes)) - 1])


def _ask_once(model: ScriptedModel, store: MemoryStore, simulation: Simulation) -> ModelOutcome:
    with budget(store, simulation) as money:
        return capped(model, money, simulation).ask(request())


def test_what_takes_time_before_a_call_is_done_while_others_may_call(
    store: MemoryStore, simulation: Simulation
) -> None:
    held: list[bool] = []

    def prepare() -> None:
        held.append(find_budget(store) != (None, None))

    with budget(store, simulation) as money:
        model = CappedModel(_in_turn(answer()), money, lambda _: PRICE, StopToken(), timing(simulation), prepare)
        assert model.ask(request()) == answer()
    assert held == [False]


def test_an_answer_costs_what_the_provider_counted(store: MemoryStore, simulation: Simulation) -> None:
    model = _in_turn(answer(70))
    assert _ask_once(model, store, simulation) == answer(70)
    written = record(store)
    assert (written.run_spend.settled_nanodollars, written.run_spend.unsettled_nanodollars) == (70, 0)
    assert (written.day_spend, written.holders) == (written.run_spend, {})


@pytest.mark.parametrize("kind", ["throttled", "overloaded", "unavailable"])
def test_a_passing_failure_is_tried_again_and_the_usage_of_both_attempts_is_reported(
    kind: FailureKind, store: MemoryStore, simulation: Simulation
) -> None:
    model = _in_turn(_failure(kind, cost=30), answer(70))
    outcome = _ask_once(model, store, simulation)
    assert outcome == ModelAnswer({}, ModelUsage(calls=2, nanodollars=100))
    assert record(store).run_spend.settled_nanodollars == 100


@pytest.mark.parametrize("kind", ["refused", "truncated", "too_long", "malformed", "rejected", "timed_out", "stopped"])
def test_a_failure_that_would_come_again_is_reported_immediately(
    kind: FailureKind, store: MemoryStore, simulation: Simulation
) -> None:
    model = _in_turn(_failure(kind, cost=30), answer(70))
    assert _ask_once(model, store, simulation) == _failure(kind, cost=30)
    assert len(model.requests) == 1


def test_every_attempt_gets_the_time_that_is_left_and_none_begins_without_time_to_end(
    store: MemoryStore, simulation: Simulation
) -> None:
    def slow(_: ModelRequest, number: int) -> ModelOutcome:
        simulation.pause(7)
        return _failure("unavailable")

    model = ScriptedModel(slow)
    with budget(store, simulation) as money:
        outcome = capped(model, money, simulation).ask(request(60))
    assert outcome == ModelFailure("unavailable", "unavailable", ModelUsage(calls=len(model.requests)))
    deadlines = [each.deadline_seconds for each in model.requests]
    assert deadlines[0] == 60
    assert all(one - 7 >= next_one for one, next_one in pairwise(deadlines))
    assert len(deadlines) > 2
    assert deadlines[-1] >= 12
    assert simulation.monotonic() <= 60


def test_what_the_provider_asks_for_is_waited(store: MemoryStore, simulation: Simulation) -> None:
    model = _in_turn(_failure("throttled", after=20), answer())
    assert _ask_once(model, store, simulation) == ModelAnswer({}, ModelUsage(calls=2))
    assert 20 <= simulation.monotonic() < 22


@pytest.mark.parametrize("after", [121, 86_400])
def test_who_is_asked_to_wait_too_long_gives_up_at_once_and_keeps_no_one_waiting(
    after: float, store: MemoryStore, simulation: Simulation
) -> None:
    model = _in_turn(_failure("throttled", after=after))
    with budget(store, simulation) as money:
        outcome = capped(model, money, simulation).ask(request())
        assert money.pause_left() == 0
    assert outcome == replace(_failure("throttled", after=after), kind="unavailable")
    assert simulation.monotonic() == 0


def test_a_wait_that_the_provider_asks_for_does_not_count_towards_the_deadline(
    store: MemoryStore, simulation: Simulation
) -> None:
    model = _in_turn(_failure("throttled", after=41), answer())
    with budget(store, simulation) as money:
        outcome = capped(model, money, simulation).ask(request(30))
    assert outcome == ModelAnswer({}, ModelUsage(calls=2))
    assert 41 <= simulation.monotonic() < 43


def test_a_call_waits_three_times_at_most_for_a_provider_that_always_asks(
    store: MemoryStore, simulation: Simulation
) -> None:
    model = ScriptedModel(lambda _request, _number: _failure("throttled", after=10))
    with budget(store, simulation) as money:
        outcome = capped(model, money, simulation).ask(request(30))
        assert not money.breaker.is_open()
    assert isinstance(outcome, ModelFailure)
    assert (outcome.kind, len(model.requests)) == ("throttled", 4)


def test_waits_that_the_provider_asks_for_never_open_the_circuit(store: MemoryStore, simulation: Simulation) -> None:
    model = ScriptedModel(lambda _request, _number: _failure("throttled", after=1))
    with budget(store, simulation) as money:
        for _ in range(2 * FAILURES_IN_A_ROW):
            capped(model, money, simulation).ask(request(30))
        assert not money.breaker.is_open()


def test_five_equal_refusals_without_a_success_stop_the_run(store: MemoryStore, simulation: Simulation) -> None:
    rejected = ModelFailure("rejected", "refuses this request (400)", ModelUsage(calls=1))
    with budget(store, simulation) as money:
        asked = capped(_in_turn(*[rejected] * 4, answer(), *[rejected] * 5), money, simulation)
        for _ in range(9):
            asked.ask(request())
        assert money.refusal() is None
        asked.ask(request())
        refusal = money.refusal()
    assert refusal is not None
    assert refusal.message == "refuses this request (400), 5 times without a success: check the settings of the model"


@pytest.mark.parametrize(("may_retry", "calls"), [(True, 2), (False, 1)])
def test_what_the_provider_says_about_a_retry_is_done(
    may_retry: bool, calls: int, store: MemoryStore, simulation: Simulation
) -> None:
    kind: FailureKind = "rejected" if may_retry else "overloaded"
    model = _in_turn(ModelFailure(kind, "no", ModelUsage(calls=1), may_retry=may_retry), answer())
    _ask_once(model, store, simulation)
    assert len(model.requests) == calls


def test_a_throttled_call_keeps_the_calls_of_other_processes_waiting(
    store: MemoryStore, simulation: Simulation
) -> None:
    with budget(store, simulation, holder="one") as one, budget(store, simulation, holder="two") as two:
        meet(one, two)
        began: list[float] = []

        def tell_when(_: ModelRequest, number: int) -> ModelOutcome:
            began.append(simulation.monotonic())
            return answer()

        def ask_second() -> None:
            simulation.pause(3)
            capped(ScriptedModel(tell_when), two, simulation).ask(request())

        throttled = capped(_in_turn(_failure("overloaded", after=15), answer()), one, simulation)
        renewals = [beats(money, simulation, lambda: bool(began)) for money in (one, two)]
        simulation.run(lambda: throttled.ask(request(5)), ask_second, *renewals)
    assert 15 <= began[0] <= 16.5


def test_after_many_failures_in_a_row_calls_fail_at_once_in_every_process_until_one_has_passed(
    store: MemoryStore, simulation: Simulation
) -> None:
    down = [True]
    model = ScriptedModel(lambda _request, _number: _failure("timed_out") if down[0] else answer())
    with budget(store, simulation, holder="one") as one, budget(store, simulation, holder="two") as two:
        meet(one, two)
        here, there = capped(model, one, simulation), capped(model, two, simulation)
        for _ in range(FAILURES_IN_A_ROW):
            here.ask(request())
        one.renew()
        two.renew()
        for each in (here, there):
            outcome = each.ask(request())
            assert isinstance(outcome, ModelFailure)
            assert (outcome.kind, outcome.usage) == ("unavailable", ModelUsage())
            assert ("(last: " in outcome.message) == (each is here), "who saw a call fail says why"
        assert len(model.requests) == FAILURES_IN_A_ROW
        simulation.pause(OPEN_SECONDS + 1)
        here.ask(request())
        here.ask(request())
        assert len(model.requests) == FAILURES_IN_A_ROW + 1
        down[0] = False
        simulation.pause(OPEN_SECONDS + 1)
        assert [here.ask(request()), here.ask(request()), there.ask(request())] == [answer()] * 3


def test_failures_that_show_that_the_provider_answers_open_nothing(store: MemoryStore, simulation: Simulation) -> None:
    model = ScriptedModel(lambda _, number: _failure("malformed" if number % 5 == 0 else "timed_out"))
    with budget(store, simulation) as money:
        for _ in range(40):
            capped(model, money, simulation).ask(request())
    assert len(model.requests) == 40


def test_a_failure_that_only_a_person_can_mend_ends_all_calls_of_the_run_in_every_process(
    store: MemoryStore, simulation: Simulation
) -> None:
    model = _in_turn(_failure("stopped"), answer())
    with budget(store, simulation, holder="one") as one, budget(store, simulation, holder="two") as two:
        meet(one, two)
        here, there = capped(model, one, simulation), capped(model, two, simulation)
        here.ask(request())
        two.renew()
        later = [here.ask(request()), there.ask(request()), here.ask(request())]
        assert later == [ModelFailure("stopped", "stopped")] * 3
    assert len(model.requests) == 1
    assert read_spending(store, simulation).stopped == "stopped"
    with budget(store, simulation, run="r2") as money:
        assert capped(model, money, simulation).ask(request()) == answer()
    assert read_spending(store, simulation).stopped is None


def test_at_the_cap_a_call_is_exhausted_and_nothing_is_sent(store: MemoryStore, simulation: Simulation) -> None:
    model = ScriptedModel(lambda *_: answer(PRICE * 4 // 10))
    with budget(store, simulation, settings(calls=2)) as money:
        outcomes = [capped(model, money, simulation).ask(request()) for _ in range(8)]
    kinds = [each.kind if isinstance(each, ModelFailure) else "answer" for each in outcomes]
    assert kinds == ["answer"] * 3 + ["exhausted"] * 5
    assert record(store).run_spend.settled_nanodollars == model.nanodollars == 3 * (PRICE * 4 // 10)


def test_calls_that_wait_for_money_get_what_others_return_before_the_budget_counts_as_spent(
    store: MemoryStore, simulation: Simulation
) -> None:
    def slow(_: ModelRequest, number: int) -> ModelOutcome:
        simulation.pause(8)
        return answer(PRICE // 10)

    model = ScriptedModel(slow)
    with budget(store, simulation, settings(calls=2, at_once=20)) as money:
        asked = capped(model, money, simulation)
        simulation.run(*[lambda: asked.ask(request())] * 40)
    assert model.most_at_once <= 11
    assert len(model.requests) == 11, "11 calls at a tenth of the price, and then less than a whole price is left"


def test_a_run_that_ends_begins_no_call_and_opens_no_budget(store: MemoryStore, simulation: Simulation) -> None:
    model, stop, late = _in_turn(answer()), StopToken(), StopToken(lambda: 59.0)
    stop.request(RunInterrupted("stopped by a test"))
    with budget(store, simulation) as money:
        for token in (stop, late):
            outcome = capped(model, money, simulation, token).ask(request(60))
            assert isinstance(outcome, ModelFailure)
            assert outcome.kind == "interrupted"
    assert model.requests == []
    assert list(store.keys()) == []


def test_a_stop_is_noticed_while_a_call_waits_to_be_repeated(store: MemoryStore, simulation: Simulation) -> None:
    stop = StopToken()

    def stop_and_fail(_: ModelRequest, number: int) -> ModelOutcome:
        stop.request(RunInterrupted("stopped by a test"))
        return _failure("throttled", after=25)

    model = ScriptedModel(stop_and_fail)
    with budget(store, simulation) as money:
        capped(model, money, simulation, stop).ask(request())
    assert len(model.requests) == 1
    assert simulation.monotonic() < 1


def test_a_call_whose_end_no_one_saw_is_booked_at_its_worst_price(store: MemoryStore, simulation: Simulation) -> None:
    model = _in_turn(_failure("timed_out", cost=PRICE // 3, unseen=True))
    outcome = _ask_once(model, store, simulation)
    assert outcome == ModelFailure("timed_out", "timed_out", unseen=True)
    spend = record(store).run_spend
    assert (spend.settled_nanodollars, spend.unsettled_nanodollars) == (0, PRICE)


def test_a_call_that_raises_is_booked_at_its_worst_price_and_frees_its_slot(
    store: MemoryStore, simulation: Simulation
) -> None:
    def crash(_: ModelRequest, number: int) -> ModelOutcome:
        if number == 1:
            raise KeyboardInterrupt
        return answer()

    model = ScriptedModel(crash)
    with budget(store, simulation, settings(at_once=1)) as money:
        asked = capped(model, money, simulation)
        with pytest.raises(KeyboardInterrupt):
            asked.ask(request())
        assert asked.ask(request()) == answer()
    assert record(store).run_spend.unsettled_nanodollars == PRICE


def test_where_no_call_is_due_nothing_is_written(store: MemoryStore, simulation: Simulation) -> None:
    with budget(store, simulation) as money:
        assert capped(_in_turn(answer()), money, simulation).name == "scripted/model"
        money.renew()
    assert list(store.keys()) == []


def test_in_a_storm_of_529_calls_slow_down_and_all_end_within_their_deadlines(
    store: MemoryStore, simulation: Simulation
) -> None:
    began: list[float] = []

    def storm(asked: ModelRequest, number: int) -> ModelOutcome:
        began.append(simulation.monotonic())
        simulation.pause(0.2)
        return _failure("overloaded")

    model = ScriptedModel(storm)
    outcomes: list[ModelOutcome] = []
    with budget(store, simulation, settings(at_once=20)) as money:
        asked = capped(model, money, simulation)
        simulation.run(*[lambda: outcomes.append(asked.ask(request()))] * 80)
    kinds = {each.kind for each in outcomes if isinstance(each, ModelFailure)}
    assert (len(outcomes), kinds) == (80, {"overloaded", "unavailable"})
    assert simulation.monotonic() < 130, "two deadlines: those who wait for a slot find the breaker open"
    early, late = sum(at < 5 for at in began), sum(25 <= at < 30 for at in began)
    assert late < early / 2


def test_after_a_short_storm_every_call_is_answered(store: MemoryStore, simulation: Simulation) -> None:
    def storm(asked: ModelRequest, number: int) -> ModelOutcome:
        simulation.pause(0.2)
        return _failure("overloaded") if simulation.monotonic() < 20 else answer(10)

    outcomes: list[ModelOutcome] = []
    with budget(store, simulation, settings(at_once=20)) as money:
        asked = capped(ScriptedModel(storm), money, simulation)
        simulation.run(*[lambda: outcomes.append(asked.ask(request()))] * 80)
    assert [type(each) for each in outcomes] == [ModelAnswer] * 80


def test_a_wait_that_another_call_prolongs_takes_none_of_the_calls_time(
    store: MemoryStore, simulation: Simulation
) -> None:
    model = _in_turn(_failure("throttled", after=41.0), answer())
    with budget(store, simulation) as money:

        def prolong() -> None:
            simulation.pause(40.0)
            money.pause(30.0)

        outcomes: list[ModelOutcome] = []
        asked = capped(model, money, simulation)
        simulation.run(lambda: outcomes.append(asked.ask(request(deadline_seconds=45.0))), prolong)
    assert [type(each) for each in outcomes] == [ModelAnswer]


def test_a_hundred_tables_are_described_though_every_twentieth_call_has_to_wait_for_long(
    store: MemoryStore, simulation: Simulation
) -> None:
    def limited(_: ModelRequest, number: int) -> ModelOutcome:
        simulation.pause(1.0)
        return _failure("throttled", after=41.0) if number % 20 == 0 else answer(10)

    outcomes: list[ModelOutcome] = []
    with budget(store, simulation) as money:
        asked = capped(ScriptedModel(limited), money, simulation)
        simulation.run(*[lambda: outcomes.append(asked.ask(request()))] * 100)
    assert [type(each) for each in outcomes] == [ModelAnswer] * 100
