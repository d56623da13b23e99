"""Parts of budgets and capped models in these tests."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from tests.fakes.simulation import Simulation
from tribal.identity.locations import BUDGET_FILE, LEASE_FILE
from tribal.models import Budget, CappedModel, Caps, Spender, Timing
from tribal.models.timing import timestamp
from tribal.ports import LanguageModel, ModelRequest, ObjectStore, StopToken
from tribal.store import put_record, require_record
from tribal_contracts import NANODOLLARS, BudgetRecord, LeaseRecord, ModelSettings

MODEL = "bedrock/a-model"
PRICE = NANODOLLARS // 1000
"""The worst price of a call in these tests: a tenth of a cent."""


def settings(calls: float = 1000, day: float = 10_000, at_once: int = 5) -> ModelSettings:
    """Caps of so many worst calls a run and a day."""
    return ModelSettings(
        provider="bedrock",
        name="a-model",
        calls_at_once=at_once,
        per_run_usd=calls * PRICE / NANODOLLARS,
        per_day_usd=day * PRICE / NANODOLLARS,
    )


def timing(simulation: Simulation) -> Timing:
    """Simulated time."""
    return Timing(simulation, simulation.monotonic, simulation.pause, simulation.random)


def budget(
    store: ObjectStore,
    simulation: Simulation,
    caps_of: ModelSettings | None = None,
    *,
    run: str = "r1",
    account: str = "",
    holder: str = "here/1",
) -> Budget:
    """A budget that the test renews itself."""
    caps = Caps.of(caps_of or settings())
    return Budget(store, caps, spender(account or f"run:{run}", holder), timing(simulation), beat_seconds=None)


def spender(account: str, holder: str) -> Spender:
    """A process that asks the model of these tests."""
    return Spender(account, MODEL, holder)


def capped(model: LanguageModel, money: Budget, simulation: Simulation, stop: StopToken | None = None) -> CappedModel:
    """A model whose every request costs at most `PRICE`."""
    return CappedModel(model, money, lambda _: PRICE, stop or StopToken(), timing(simulation))


def request(deadline_seconds: float = 60.0) -> ModelRequest:
    """Any request."""
    return ModelRequest("prefix", "part", {}, 1000, deadline_seconds)


def record(store: ObjectStore) -> BudgetRecord:
    """The record as it lies in the store."""
    return require_record(store, BUDGET_FILE, BudgetRecord)


def take_lease(store: ObjectStore, simulation: Simulation, run: str) -> None:
    """Give the documentation lease to a run."""
    now = simulation.real()
    lease = LeaseRecord(
        schema_version="1.0",
        run_id=run,
        holder="here/1",
        fencing_token=1,
        acquired_at=timestamp(now),
        renewed_at=timestamp(now),
        expires_at=timestamp(now + timedelta(minutes=20)),
        released=False,
    )
    put_record(store, LEASE_FILE, lease)


def beats(money: Budget, simulation: Simulation, until: Callable[[], bool]) -> Callable[[], None]:
    """Renews a budget each second, as its thread does, until that is true."""

    def keep_renewing() -> None:
        while not until():
            money.renew()
            simulation.pause(1.0)

    return keep_renewing


def meet(*budgets: Budget) -> None:
    """Open budgets and let each have its share of the calls at once."""
    for money in budgets:
        with money.wanting_slot():
            pass
    for _ in range(2):
        for money in budgets:
            money.renew()
