"""Whatever fails or dies, and in whatever order: no cap is passed, and no call is forgotten."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fakes.memory_store import MemoryStore
from tests.fakes.scripted_model import ScriptedModel, answer
from tests.fakes.simulation import Simulation
from tests.models import building
from tests.models.building import PRICE, beats, budget, capped, record, request
from tests.plugins.verify import examples
from tribal.models import Budget, CappedModel
from tribal.ports import ModelFailure, ModelOutcome
from tribal_contracts import BudgetRecord, ModelUsage

FAILURES = ("refused", "truncated", "malformed", "throttled", "overloaded", "unavailable", "timed_out")


@dataclass
class Scene:
    """A run of several processes under one cap, with a share of failures and of deaths."""

    seed: int
    holders: int
    threads: int
    cap: float
    failing: float
    dying: float
    midnight: bool
    """Whether the day changes meanwhile; a day may then cost half of the run."""

    def play(self) -> tuple[ScriptedModel, BudgetRecord, set[str]]:
        """Let it all happen, and one more process at the end; returns what was asked, booked, and who died."""
        start = datetime(2026, 11, 21, 23 if self.midnight else 1, 59, 40, tzinfo=UTC)
        simulation, store, chance = Simulation(self.seed, start), MemoryStore(), Random(self.seed)
        model = ScriptedModel(lambda *_: self._answer(simulation, chance))
        caps = building.settings(self.cap, self.cap / 2 if self.midnight else self.cap, at_once=6)
        dead, working = set[str](), self.holders * self.threads
        works: list[Callable[[], object]] = []
        budgets: dict[str, Budget] = {}

        def work(name: str, asked: CappedModel) -> None:
            nonlocal working
            for _ in range(6):
                simulation.pause(chance.random())
                if name in dead:
                    break
                asked.ask(request())
                if chance.random() < self.dying:
                    dead.add(name)
            working -= 1

        def ended(name: str) -> bool:
            return name in dead or not working

        for number in range(self.holders):
            name = f"here/{number}"
            money = budgets[name] = budget(store, simulation, caps, holder=name)
            asked = capped(model, money, simulation)
            works += [partial(work, name, asked)] * self.threads
            works.append(beats(money, simulation, partial(ended, name)))
        simulation.run(*works)
        for name, money in budgets.items():
            if name not in dead:
                money.close()
        simulation.pause(61)
        with budget(store, simulation, caps, holder="last") as money:
            building.meet(money)
        return model, record(store), dead

    def _answer(self, simulation: Simulation, chance: Random) -> ModelOutcome:
        simulation.pause(chance.random() * 10)
        if chance.random() >= self.failing:
            return answer(chance.randrange(PRICE + 1))
        kind = chance.choice(FAILURES)
        usage = ModelUsage(calls=1, nanodollars=chance.randrange(PRICE + 1))
        return ModelFailure(kind, kind, usage, unseen=chance.random() < 0.5)  # type: ignore[arg-type]


scenes = st.builds(
    Scene,
    seed=st.integers(0, 1 << 32),
    holders=st.integers(1, 3),
    threads=st.integers(1, 4),
    cap=st.floats(0.1, 60),
    failing=st.sampled_from([0.0, 0.1, 0.5]),
    dying=st.sampled_from([0.0, 0.1, 0.3]),
    midnight=st.booleans(),
)


@settings(max_examples=examples(20, 60), suppress_health_check=[HealthCheck.too_slow])
@given(scenes)
def test_no_cap_is_passed_and_no_call_is_forgotten(scene: Scene) -> None:
    model, booked, dead = scene.play()
    spend = booked.run_spend
    assert spend.nanodollars <= scene.cap * PRICE + 1
    assert booked.day_spend.nanodollars <= scene.cap * PRICE / (2 if scene.midnight else 1) + 1
    assert model.most_at_once <= 6
    assert model.nanodollars <= spend.nanodollars
    assert spend.nanodollars - model.nanodollars <= spend.unsettled_nanodollars
    if not dead:
        assert spend.unsettled_nanodollars == PRICE * model.unseen_calls
        assert spend.settled_nanodollars == model.nanodollars - model.unseen_nanodollars
