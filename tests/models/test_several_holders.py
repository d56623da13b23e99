"""Several processes and functions share one record, on every kind of store."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from random import Random
from time import monotonic, sleep

import pytest
from moto import mock_aws
from moto.s3.responses import S3Response

from servers.moto import one_object_at_a_time
from tests.cases import verify_all_but
from tests.fakes.memory_store import MemoryStore
from tests.fakes.scripted_model import ScriptedModel, answer
from tests.fakes.simulation import Simulation
from tests.models.building import PRICE, beats, budget, capped, meet, record, request, settings, spender
from tribal.adapters.aws.clients import aws_client
from tribal.adapters.aws.s3 import S3ObjectStore
from tribal.adapters.local.folder import FolderStore
from tribal.identity.locations import BUDGET_FILE
from tribal.jobs.clock import SystemClock
from tribal.models import Budget, CappedModel, Caps, Timing
from tribal.ports import ModelAnswer, ModelFailure, ModelOutcome, ModelRequest, ObjectStore, StopToken
from tribal_contracts import ModelUsage

pytestmark = pytest.mark.slow


@pytest.fixture(params=["memory", "folder", "s3"])
def any_store(
    request: pytest.FixtureRequest, tmp_path: Path, aws_account: None, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ObjectStore]:
    if request.param == "memory":
        yield MemoryStore()
    elif request.param == "folder":
        yield FolderStore(tmp_path)
    else:
        monkeypatch.setattr(S3Response, "_key_response", one_object_at_a_time)
        with mock_aws():
            client = aws_client("s3", region="eu-central-1", attempts=2)
            client.create_bucket(Bucket="budgets", CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
            yield S3ObjectStore(client, "budgets", "", pause=lambda _: None)


def test_real_threads_of_four_holders_spend_no_more_than_the_cap_and_book_every_call(any_store: ObjectStore) -> None:
    chance = Random(15)
    failures: list[ModelOutcome] = [
        ModelFailure("overloaded", "busy"),
        ModelFailure("unavailable", "cut", ModelUsage(calls=1, nanodollars=PRICE // 2), unseen=True),
        ModelFailure("malformed", "bad", ModelUsage(calls=1, nanodollars=PRICE // 3)),
    ]

    def mixed(_: ModelRequest, number: int) -> ModelOutcome:
        return chance.choice(failures) if chance.random() < 0.3 else answer(chance.randrange(PRICE))

    model = ScriptedModel(mixed)
    time = Timing(SystemClock(), lambda: 100 * monotonic(), pause=lambda _: sleep(0.001), random=lambda: 0.0)
    caps = Caps.of(settings(calls=24, at_once=8))
    errors: list[BaseException] = []

    def ask(asked: CappedModel) -> None:
        try:
            for _ in range(15):
                asked.ask(request())
        except BaseException as error:  # noqa: BLE001 - raised below
            errors.append(error)

    spenders = [spender("run:r1", f"here/{number}") for number in range(4)]
    holders = [Budget(any_store, caps, each, time, beat_seconds=0.01) for each in spenders]
    asked = [CappedModel(model, each, lambda _: PRICE, StopToken(), time) for each in holders]
    threads = [threading.Thread(target=ask, args=(each,)) for each in asked for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for each in holders:
        each.close()
    if errors:
        raise errors[0]
    spend = record(any_store).run_spend
    assert model.most_at_once <= 8
    assert model.nanodollars <= spend.nanodollars <= 24 * PRICE
    assert spend.settled_nanodollars + spend.unsettled_nanodollars >= 23 * PRICE, "the money is used up"
    assert record(any_store).holders == {}


@verify_all_but(2, ("holders", "at_once"), [(1, 20), (3, 20), (2, 50), (3, 50), (4, 50)])
def test_all_calls_at_once_are_in_use_within_seconds_however_many_share_them(
    holders: int, at_once: int, store: MemoryStore, simulation: Simulation
) -> None:
    began: list[float] = []

    def slow(_: ModelRequest, number: int) -> ModelOutcome:
        began.append(simulation.monotonic())
        simulation.pause(8)
        return answer(PRICE // 10)

    model, ended = ScriptedModel(slow), 0
    works: list[Callable[[], object]] = []
    budgets = [budget(store, simulation, settings(at_once=at_once), holder=str(number)) for number in range(holders)]

    def work(money: Budget, joins_at: float) -> None:
        nonlocal ended
        simulation.pause(joins_at)
        while simulation.monotonic() < 120:
            assert isinstance(capped(model, money, simulation).ask(request()), ModelAnswer)
        ended += 1

    for number, money in enumerate(budgets):
        works += [partial(work, money, number * 20.0)] * at_once
        works.append(beats(money, simulation, lambda: ended == at_once * holders))
    simulation.run(*works)
    assert model.most_at_once == at_once
    assert sum(at < 1 for at in began) == at_once, "at once for the first"
    assert len(began) >= 0.97 * at_once * 120 / 8


def ask_until(seconds: float, money: Budget, simulation: Simulation, made: dict[str, int], name: str) -> None:
    """Ask for so long a model that takes 8 s an answer, and count its calls by holder."""

    def slow(_: ModelRequest, number: int) -> ModelOutcome:
        made[name] += 1
        simulation.pause(8)
        return answer()

    asked = capped(ScriptedModel(slow), money, simulation)
    while simulation.monotonic() < seconds:
        asked.ask(request())


def test_each_of_two_holders_gets_half_of_the_calls_at_once(store: MemoryStore, simulation: Simulation) -> None:
    made = {"one": 0, "two": 0}
    ended = 0

    def work(money: Budget, name: str) -> None:
        nonlocal ended
        ask_until(160, money, simulation, made, name)
        ended += 1

    works: list[Callable[[], object]] = []
    for name in made:
        money = budget(store, simulation, settings(at_once=7), holder=name)
        works += [partial(work, money, name)] * 10
        works.append(beats(money, simulation, lambda: ended == 20))
    simulation.run(*works)
    assert 0.75 <= made["one"] / made["two"] <= 1.33
    assert sum(made.values()) >= 0.9 * 7 * 168 / 8


def test_the_record_is_written_only_when_what_one_wants_changes_a_share(
    store: MemoryStore, simulation: Simulation
) -> None:
    one, two = (budget(store, simulation, settings(at_once=4), holder=name) for name in ("one", "two"))
    with ExitStack() as of_one, ExitStack() as of_two:
        for _ in range(5):
            of_one.enter_context(one.wanting_slot())
            of_two.enter_context(two.wanting_slot())
        last = ExitStack()
        last.enter_context(one.wanting_slot())
        meet(one, two)
        written = store.get(BUDGET_FILE).data
        last.close()
        one.renew()
        assert store.get(BUDGET_FILE).data == written, "five still want more than their two"
        of_one.close()
        one.renew()
        two.renew()
        assert store.get(BUDGET_FILE).data != written
        assert [record(store).holders[name].calls_granted for name in ("one", "two")] == [0, 4]


def test_more_holders_than_calls_at_once_take_turns(store: MemoryStore, simulation: Simulation) -> None:
    made: dict[str, int] = {str(number): 0 for number in range(6)}
    ended = 0

    def work(money: Budget, name: str) -> None:
        nonlocal ended
        ask_until(400, money, simulation, made, name)
        ended += 1

    works: list[Callable[[], object]] = []
    for name in made:
        money = budget(store, simulation, settings(at_once=2), holder=name)
        works += [
            partial(work, money, name),
            beats(money, simulation, lambda: ended == len(made)),
        ]
    simulation.run(*works)
    assert min(made.values()) >= max(made.values()) / 4
