"""Accounts: sessions, chats, uploads and a run spend next to each other, each within its own cap and the day's."""

from __future__ import annotations

from datetime import timedelta

from tests.cases import each_case
from tests.fakes.memory_store import MemoryStore
from tests.fakes.simulation import Simulation
from tests.models.building import MODEL, PRICE, budget, meet, record, settings, take_lease, timing
from tribal.edges.cli.views.model import cache_line, spending_lines, unsupported_line
from tribal.identity.locations import BUDGET_FILE
from tribal.models import Budget, Caps, Spender, read_spending
from tribal.models.timing import timestamp
from tribal.ports import Spending
from tribal.store import put_record
from tribal_contracts import NANODOLLARS, BudgetRecord, BudgetSpend, ModelUsage, WrittenTexts

DAY = timedelta(days=1).total_seconds()


def call(money: Budget, spent: int = PRICE) -> str:
    meet(money)
    verdict = money.reserve(PRICE)
    if verdict == "reserved":
        money.book(PRICE, spent)
    return verdict


def test_a_chat_next_to_a_run_is_not_refused_and_does_not_evict_it(store: MemoryStore, simulation: Simulation) -> None:
    take_lease(store, simulation, "r1")
    run, chat = budget(store, simulation), budget(store, simulation, account="chat:ada", holder="there/1")
    assert (call(run), call(chat), call(run)) == ("reserved",) * 3
    assert (run.refusal(), chat.refusal()) == (None, None)
    for money in (run, chat):
        money.close()
    written = record(store)
    assert (written.run_id, written.run_spend.nanodollars) == ("r1", 2 * PRICE)
    assert written.accounts["chat:ada"].spend.nanodollars == PRICE
    assert written.day_spend.nanodollars == 3 * PRICE


def test_a_run_takes_over_from_the_last_run_and_leaves_a_session_alone(
    store: MemoryStore, simulation: Simulation
) -> None:
    session = budget(store, simulation, account="session:s1", holder="there/1")
    first = budget(store, simulation, run="r1")
    assert (call(session), call(first)) == ("reserved", "reserved")
    second = budget(store, simulation, run="r2", holder="here/2")
    assert call(second) == "reserved"
    session.renew()
    first.renew()
    assert (session.refusal(), second.refusal()) == (None, None)
    assert first.refusal() is not None
    assert "there/1" in record(store).holders


def test_each_account_has_its_own_cap_and_the_days_cap_holds_over_all(
    store: MemoryStore, simulation: Simulation
) -> None:
    small, other = (
        budget(store, simulation, settings(calls=2, day=3), account=name, holder=name)
        for name in ("session:one", "session:two")
    )
    assert [call(small) for _ in range(3)] == ["reserved", "reserved", "exhausted"]
    small.close()
    assert [call(other) for _ in range(2)] == ["reserved", "exhausted"]
    other.close()
    assert record(store).day_spend.nanodollars == 3 * PRICE


def test_the_largest_number_of_calls_at_once_is_shared_by_all_accounts(
    store: MemoryStore, simulation: Simulation
) -> None:
    holders = [
        budget(store, simulation, settings(at_once=at_once), account=name, holder=name)
        for name, at_once in (("chat:ada", 2), ("run:r1", 6))
    ]
    meet(*holders)
    meet(*holders)
    assert sorted(entry.calls_granted for entry in record(store).holders.values()) == [3, 3]


def test_what_a_dead_chat_had_reserved_is_booked_to_its_account(store: MemoryStore, simulation: Simulation) -> None:
    chat = budget(store, simulation, account="chat:ada", holder="there/1")
    meet(chat)
    assert chat.reserve(PRICE) == "reserved"
    reserved = record(store).holders["there/1"].reserved_nanodollars
    simulation.pause(61)
    meet(budget(store, simulation))
    written = record(store)
    assert written.accounts["chat:ada"].spend == BudgetSpend(unsettled_nanodollars=reserved)
    assert written.run_spend.nanodollars == 0


def test_a_chat_starts_from_zero_each_day_and_a_session_does_not(store: MemoryStore, simulation: Simulation) -> None:
    for name in ("chat:ada", "session:s1"):
        with budget(store, simulation, settings(calls=1), account=name, holder=name) as money:
            assert call(money) == "reserved"
    simulation.pause(DAY)
    for name, verdict in (("chat:ada", "reserved"), ("session:s1", "exhausted")):
        with budget(store, simulation, settings(calls=1), account=name, holder=name) as money:
            assert call(money) == verdict


def test_accounts_without_spending_for_a_week_are_forgotten(store: MemoryStore, simulation: Simulation) -> None:
    with budget(store, simulation, account="upload:u1", holder="there/1") as money:
        call(money)
    simulation.pause(8 * DAY)
    meet(budget(store, simulation))
    assert record(store).accounts == {}


def test_a_pause_holds_for_one_model_in_all_accounts(store: MemoryStore, simulation: Simulation) -> None:
    run, chat = budget(store, simulation), budget(store, simulation, account="chat:ada", holder="there/1")
    other = Budget(
        store, Caps.of(settings()), Spender("chat:eve", "ollama/x", "there/2"), timing(simulation), beat_seconds=None
    )
    meet(run, chat, other)
    run.pause(41)
    for money in (run, chat, other):
        money.renew()
    assert chat.pause_left() > 40
    assert other.pause_left() == 0
    assert record(store).models.keys() == {MODEL}


def test_a_key_that_is_refused_stops_the_run_and_no_other_account(store: MemoryStore, simulation: Simulation) -> None:
    run, chat = budget(store, simulation), budget(store, simulation, account="chat:ada", holder="there/1")
    meet(run, chat)
    chat.stop("the key is refused")
    run.renew()
    assert run.refusal() is None
    run.stop("the key is refused")
    again = budget(store, simulation, account="chat:eve", holder="there/2")
    meet(again)
    assert again.refusal() is None
    assert record(store).stopped == "the key is refused"


def test_a_record_of_before_accounts_is_read(store: MemoryStore, simulation: Simulation) -> None:
    before = BudgetRecord(
        schema_version="1.0",
        day=simulation.real().date().isoformat(),
        day_spend=BudgetSpend(settled_nanodollars=7 * PRICE),
        run_id="r0",
        run_spend=BudgetSpend(settled_nanodollars=7 * PRICE),
        wait_until=timestamp(simulation.real() + timedelta(seconds=20)),
    )
    put_record(store, BUDGET_FILE, before)
    with budget(store, simulation, settings(day=8), account="chat:ada", holder="there/1") as money:
        assert [call(money) for _ in range(2)] == ["reserved", "exhausted"]


def test_spending_is_reported_by_account(store: MemoryStore, simulation: Simulation) -> None:
    for name in ("session:s1", "run:r1"):
        with budget(store, simulation, account=name, holder=name) as money:
            call(money)
    found = read_spending(store, simulation)
    assert found.day_usd_by_account == {"session:s1": PRICE / NANODOLLARS}
    assert found.day_usd == 2 * PRICE / NANODOLLARS


def test_the_status_lists_what_each_account_spent_today() -> None:
    spent = Spending(day_usd=1.5, run_usd=0.5, run_id="r1", day_usd_by_account={"session:s1": 0.25, "chat:ada": 0.75})
    assert list(spending_lines(spent)) == [
        "model: $1.50 spent today (UTC); $0.50 in run r1",
        "  $0.75 by chat:ada",
        "  $0.25 by session:s1",
    ]


@each_case(
    ("usage", "is_said"),
    [
        (ModelUsage(calls=30, cache_write_tokens=30_000), True),
        (ModelUsage(calls=30, cache_write_tokens=30_000, cache_read_tokens=1), False),
        (ModelUsage(calls=30, input_tokens=30_000), False),
        (ModelUsage(calls=5, cache_write_tokens=5_000), False),
    ],
)
def test_a_cache_that_is_written_and_never_read_is_reported(usage: ModelUsage, is_said: bool) -> None:
    assert bool(cache_line(usage)) is is_said


def test_texts_without_evidence_are_reported_with_their_share() -> None:
    line = unsupported_line(WrittenTexts(written=1_200, unsupported=300))
    assert line.startswith("300 of 1,200 texts by the model (25%) were dropped")
    assert unsupported_line(WrittenTexts(written=40)) == ""
