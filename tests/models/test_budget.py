"""The record of the budget: what is reserved, booked, returned, and lost with whom."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.fakes.memory_store import MemoryStore
from tests.fakes.simulation import Simulation
from tests.models.building import PRICE, budget, meet, record, settings, take_lease
from tribal.errors import PreconditionFailed, StoreUnwritable
from tribal.identity.locations import BUDGET_FILE, LEASE_FILE
from tribal.models import Budget, read_spending
from tribal.ports import Spending
from tribal.store import put_record, sealed
from tribal_contracts import NANODOLLARS, BudgetSpend


def _reserve(money: Budget, calls: int = 1) -> list[str]:
    meet(money)
    return [money.reserve(PRICE) for _ in range(calls)]


def _spend(settled: int = 0, unsettled: int = 0) -> BudgetSpend:
    return BudgetSpend(settled_nanodollars=settled, unsettled_nanodollars=unsettled)


class CountingStore(MemoryStore):
    """Counts the puts."""

    puts = 0

    def put(self, key: str, data: bytes, *, if_match: str | None = None, if_absent: bool = False) -> str:
        self.puts += 1
        return super().put(key, data, if_match=if_match, if_absent=if_absent)


def test_before_a_call_its_worst_price_is_in_the_record(store: MemoryStore, simulation: Simulation) -> None:
    money = budget(store, simulation)
    assert _reserve(money) == ["reserved"]
    assert record(store).holders["here/1"].reserved_nanodollars >= PRICE


def test_a_thousand_calls_cost_few_writes(simulation: Simulation) -> None:
    store = CountingStore()
    with budget(store, simulation, settings(calls=1000)) as money:
        meet(money)
        for _ in range(1000):
            assert money.reserve(PRICE) == "reserved"
            money.book(PRICE, PRICE // 5)
    assert store.puts <= 40
    assert record(store).run_spend == _spend(1000 * (PRICE // 5))


@pytest.mark.parametrize("calls", [0.5, 1, 2.5, 7])
def test_of_a_cap_of_a_few_calls_every_call_can_be_made(
    calls: float, store: MemoryStore, simulation: Simulation
) -> None:
    with budget(store, simulation, settings(calls=calls)) as money:
        assert _reserve(money, int(calls)) == ["reserved"] * int(calls)
        for _ in range(int(calls)):
            money.book(PRICE, PRICE)
        simulation.pause(1)
        assert money.reserve(PRICE) == "exhausted"
    assert record(store).run_spend.nanodollars == int(calls) * PRICE


def test_the_nearer_cap_holds(store: MemoryStore, simulation: Simulation) -> None:
    with budget(store, simulation, settings(calls=100, day=1)) as money:
        assert _reserve(money) == ["reserved"]
        money.book(PRICE, PRICE)
        assert money.reserve(PRICE) == "exhausted"


def test_what_a_call_cost_beyond_its_worst_price_is_booked_too(store: MemoryStore, simulation: Simulation) -> None:
    with budget(store, simulation, settings(calls=2)) as money:
        assert _reserve(money) == ["reserved"]
        money.book(PRICE, 3 * PRICE)
        assert money.reserve(PRICE) == "exhausted"
    assert record(store).run_spend == _spend(3 * PRICE)


def test_what_is_left_is_returned_at_the_end(store: MemoryStore, simulation: Simulation) -> None:
    money = budget(store, simulation, settings(calls=100))
    assert _reserve(money) == ["reserved"]
    money.book(PRICE, PRICE // 2)
    money.close()
    assert record(store).holders == {}
    assert record(store).run_spend == _spend(PRICE // 2)
    money.close()


def test_a_call_in_progress_when_the_budget_is_closed_is_booked_at_its_worst_price(
    store: MemoryStore, simulation: Simulation
) -> None:
    money = budget(store, simulation)
    _reserve(money, 2)
    money.close()
    assert record(store).run_spend == _spend(0, 2 * PRICE)


def test_money_that_no_call_was_begun_with_goes_back_to_those_who_lack_it(
    store: MemoryStore, simulation: Simulation
) -> None:
    one, two = (budget(store, simulation, settings(calls=32), holder=name) for name in ("one", "two"))
    meet(one, two)
    assert one.reserve(PRICE) == "reserved"
    one.book(PRICE, 0)
    assert one.reserve(1) == "reserved"
    idle = record(store).holders["one"].reserved_nanodollars
    assert idle > PRICE
    got = 0
    while two.reserve(PRICE) == "reserved":
        got += 1
    assert got == 30
    for _ in range(3):
        simulation.pause(6)
        one.renew()
    assert two.reserve(PRICE) == "reserved"


def test_money_that_no_one_can_lack_is_kept_from_one_call_to_the_next(simulation: Simulation) -> None:
    store = CountingStore()
    money = budget(store, simulation, settings(calls=10_000))
    assert _reserve(money) == ["reserved"]
    money.book(PRICE, PRICE // 5)
    puts = store.puts
    for _ in range(3):
        simulation.pause(6)
        money.renew()
    assert money.reserve(PRICE) == "reserved"
    assert store.puts == puts


def test_what_a_dead_process_had_reserved_is_booked_as_unsettled(store: MemoryStore, simulation: Simulation) -> None:
    dead, alive = budget(store, simulation, holder="dead"), budget(store, simulation, holder="alive")
    _reserve(dead, 2)
    dead.book(PRICE, 10)
    reserved = record(store).holders["dead"].reserved_nanodollars
    simulation.pause(61)
    with alive:
        meet(alive)
        assert record(store).run_spend == _spend(0, reserved)
        assert "dead" not in record(store).holders
    assert record(store).day_spend == _spend(0, reserved)


def test_a_process_that_was_taken_for_dead_joins_again_and_counts_twice_rather_than_never(
    store: MemoryStore, simulation: Simulation
) -> None:
    asleep, other = budget(store, simulation, holder="asleep"), budget(store, simulation, holder="other")
    _reserve(asleep, 2)
    simulation.pause(61)
    meet(other)
    lost = record(store).run_spend.unsettled_nanodollars
    asleep.book(PRICE, 10)
    asleep.renew()
    assert record(store).holders["asleep"].reserved_nanodollars > 0
    asleep.book(PRICE, 10)
    asleep.close()
    assert record(store).run_spend == _spend(20, lost)


def test_the_slots_of_a_dead_process_go_to_the_others(store: MemoryStore, simulation: Simulation) -> None:
    dead, alive = budget(store, simulation, holder="dead"), budget(store, simulation, holder="alive")
    meet(dead)
    assert record(store).holders["dead"].calls_granted == 5
    meet(alive)
    assert record(store).holders["alive"].calls_granted == 0
    simulation.pause(61)
    alive.renew()
    assert record(store).holders["alive"].calls_granted == 5


def test_a_process_with_the_name_of_a_dead_one_does_not_inherit_its_money(
    store: MemoryStore, simulation: Simulation
) -> None:
    _reserve(budget(store, simulation), 2)
    reserved = record(store).holders["here/1"].reserved_nanodollars
    with budget(store, simulation) as money:
        meet(money)
    assert record(store).run_spend == _spend(0, reserved)


def test_a_new_run_starts_at_zero_and_keeps_what_the_day_has_cost(store: MemoryStore, simulation: Simulation) -> None:
    first = budget(store, simulation, run="r1", holder="one")
    _reserve(first, 3)
    first.book(PRICE, 100)
    reserved = record(store).holders["one"].reserved_nanodollars
    with budget(store, simulation, run="r2", holder="two") as second:
        meet(second)
        assert record(store).run_spend == _spend()
        assert record(store).day_spend == _spend(0, reserved)


def test_a_process_of_a_run_that_was_replaced_books_what_it_spent_in_the_day_and_makes_no_call(
    store: MemoryStore, simulation: Simulation
) -> None:
    old, new = budget(store, simulation, run="r1", holder="old"), budget(store, simulation, run="r2", holder="new")
    _reserve(old)
    meet(new)
    lost = record(store).day_spend.unsettled_nanodollars
    old.book(PRICE, 100)
    old.renew()
    refusal = old.refusal()
    assert refusal is not None
    assert refusal.kind == "interrupted"
    assert (record(store).run_id, record(store).run_spend) == ("r2", _spend())
    assert record(store).day_spend == _spend(100, lost)


def test_a_process_of_a_dead_run_does_not_take_the_budget_from_the_run_that_holds_the_lease(
    store: MemoryStore, simulation: Simulation
) -> None:
    take_lease(store, simulation, "r2")
    with budget(store, simulation, run="r2", holder="two") as two, budget(store, simulation, run="r1") as late:
        meet(two, late)
        assert record(store).run_id == "r2"
        assert late.refusal() is not None
        assert two.refusal() is None
        assert late.reserve(PRICE) != "reserved"


def test_the_day_changes_inside_a_run(store: MemoryStore) -> None:
    simulation = Simulation(start=datetime(2026, 11, 21, 23, 59, 30, tzinfo=UTC))
    with budget(store, simulation, settings(calls=10, day=2)) as money:
        assert _reserve(money, 2) == ["reserved"] * 2
        money.book(PRICE, PRICE)
        money.book(PRICE, PRICE)
        assert money.reserve(PRICE) == "exhausted"
        simulation.pause(25)
        money.renew()
        assert (record(store).day, record(store).day_spend.nanodollars) == ("2026-11-21", 2 * PRICE)
        simulation.pause(10)
        assert money.reserve(PRICE) == "reserved"
        money.book(PRICE, PRICE)
    assert record(store).day == "2026-11-22"
    assert record(store).run_spend.nanodollars == 3 * PRICE


def test_a_clock_that_is_a_little_slow_does_not_bring_yesterday_back(store: MemoryStore) -> None:
    ahead, behind = (
        Simulation(start=datetime(2026, 11, day, hour, minute, second, tzinfo=UTC))
        for day, hour, minute, second in ((22, 0, 0, 1), (21, 23, 59, 59))
    )
    with budget(store, ahead, holder="ahead") as one, budget(store, behind, holder="behind") as two:
        _reserve(one)
        one.book(PRICE, 70)
        one.renew()
        meet(two)
        two.reserve(PRICE)
        two.book(PRICE, 7)
    assert record(store).day == "2026-11-22"
    assert record(store).day_spend == _spend(77)


def test_a_record_that_a_wrong_clock_dated_years_ahead_is_of_today_and_forgets_no_money(
    store: MemoryStore, simulation: Simulation
) -> None:
    wrong = Simulation(start=datetime(2099, 1, 1, tzinfo=UTC))
    far = budget(store, wrong, holder="far")
    _reserve(far)
    far.book(PRICE, 70)
    far.pause(30)
    far.renew()
    reserved = record(store).holders["far"].reserved_nanodollars
    with budget(store, simulation) as money:
        meet(money)
        assert money.pause_left() == 0
    assert record(store).day == "2026-11-21"
    assert record(store).day_spend.nanodollars >= reserved


DAMAGES = (b"", b"{", b"[]", b"\0" * 300)


@pytest.mark.parametrize("damage", DAMAGES, ids=["emptied", "cut", "another shape", "NUL"])
def test_with_a_damaged_record_nothing_is_spent_and_a_person_is_shown_what_to_do(
    damage: bytes, store: MemoryStore, simulation: Simulation
) -> None:
    store.put(BUDGET_FILE, damage)
    with budget(store, simulation) as money:
        assert _reserve(money) == ["later"]
        refusal = money.refusal()
        assert refusal is not None
        assert refusal.kind == "stopped"
        assert "delete the file and run again" in refusal.message
    assert store.get(BUDGET_FILE).data == damage
    assert read_spending(store, simulation) == Spending(damaged=True)
    store.delete(BUDGET_FILE)
    with budget(store, simulation) as money:
        assert _reserve(money) == ["reserved"]


def test_one_flipped_digit_is_damage_and_ends_a_budget_that_is_in_use(
    store: MemoryStore, simulation: Simulation
) -> None:
    money = budget(store, simulation)
    _reserve(money)
    money.book(PRICE, 123_456)
    simulation.pause(30)
    money.renew()
    store.put(BUDGET_FILE, store.get(BUDGET_FILE).data.replace(b"123456", b"023456", 1))
    money.renew()
    refusal = money.refusal()
    assert refusal is not None
    assert refusal.kind == "stopped"
    money.close()


def test_what_a_store_refuses_to_write_is_written_later_and_once(simulation: Simulation) -> None:
    class Moody(MemoryStore):
        moody = False

        def put(self, key: str, data: bytes, *, if_match: str | None = None, if_absent: bool = False) -> str:
            if self.moody:
                raise StoreUnwritable("no space")
            return super().put(key, data, if_match=if_match, if_absent=if_absent)

    store = Moody()
    money = budget(store, simulation)
    _reserve(money)
    money.book(PRICE, 70)
    store.moody = True
    simulation.pause(30)
    for _ in range(3):
        with pytest.raises(StoreUnwritable):
            money.renew()
    with pytest.raises(StoreUnwritable):
        money.close()
    store.moody = False
    money.close()
    assert record(store).run_spend == _spend(70)


def test_a_summary_tells_dollars_of_today_and_writes_nothing(store: MemoryStore, simulation: Simulation) -> None:
    assert read_spending(store, simulation) == Spending()
    assert list(store.keys()) == []
    money = budget(store, simulation)
    _reserve(money)
    money.book(PRICE, PRICE // 2)
    simulation.pause(30)
    money.renew()
    there = record(store)
    reserved = there.holders["here/1"].reserved_nanodollars
    told = read_spending(store, simulation)
    assert told == Spending(day_usd=0.0005, run_usd=0.0005, reserved_usd=reserved / NANODOLLARS, run_id="r1")
    simulation.pause(61)
    told = read_spending(store, simulation)
    assert told.unsettled_usd == reserved / NANODOLLARS
    assert told.reserved_usd == 0
    simulation.pause(timedelta(days=1).total_seconds())
    assert read_spending(store, simulation).day_usd == 0
    assert record(store) == there


def test_a_record_with_fields_of_a_later_version_is_read(store: MemoryStore, simulation: Simulation) -> None:
    with budget(store, simulation) as money:
        _reserve(money)
    data = record(store).to_json().replace(b"{\n", b'{\n  "later": 1,\n', 1)
    store.put(BUDGET_FILE, sealed(BUDGET_FILE, data))
    assert not read_spending(store, simulation).damaged


def test_a_damaged_lease_keeps_no_run_from_its_budget(store: MemoryStore, simulation: Simulation) -> None:
    with budget(store, simulation, run="r1") as money:
        meet(money)
    store.put(LEASE_FILE, b"{")
    with budget(store, simulation, run="r2") as money:
        assert _reserve(money) == ["reserved"]
    put_record(store, BUDGET_FILE, record(store))


def test_however_often_others_are_quicker_what_was_spent_is_booked(simulation: Simulation) -> None:
    class Busy(MemoryStore):
        quicker = 0

        def put(self, key: str, data: bytes, *, if_match: str | None = None, if_absent: bool = False) -> str:
            if self.quicker:
                self.quicker -= 1
                raise PreconditionFailed("another holder was quicker")
            return super().put(key, data, if_match=if_match, if_absent=if_absent)

    store = Busy()
    money = budget(store, simulation)
    _reserve(money)
    money.book(PRICE, 70)
    store.quicker = 100
    simulation.pause(30)
    with pytest.raises(PreconditionFailed):
        money.renew()
    money.close()
    assert record(store).run_spend == _spend(70)
