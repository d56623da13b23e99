"""Whatever happens to a session, its file is valid, it ends as it should, and no question is asked twice."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.capabilities.interrogation.states import ID, CheckedStore, Setting
from tests.cases import each_case
from tests.fakes.dying_store import Killed
from tests.fakes.interrogation import gap
from tests.fakes.memory_store import MemoryStore
from tribal.capabilities.interrogation.errors import (
    BudgetExhausted,
    DetectiveUnreachable,
    SessionEnded,
    SessionHeld,
    SessionNotFound,
    WitnessUnreachable,
)
from tribal.capabilities.interrogation.sessions.loop import stop_session
from tribal.capabilities.interrogation.sessions.repository import Sessions
from tribal.ports.models.chains import TrailNote
from tribal_contracts.interrogation.sessions import InterrogationSession

EVENTS = ("answer", "slow", "back", "detective", "detective for good", "witness", "budget", "stop", "kill", "defect")


def happen(setting: Setting, event: str) -> None:
    """What a test plans for the beginning of a step."""
    if event in ("slow", "back"):
        setting.clock.advance(45 if event == "slow" else -5)
    if event == "detective":
        raise DetectiveUnreachable("no provider is left", [TrailNote("timeout", "60 s are over")])
    if event == "detective for good":
        raise DetectiveUnreachable("the key is not valid", temporary=False)
    if event == "witness":
        raise WitnessUnreachable("no answer")
    if event == "budget":
        raise BudgetExhausted("the session has spent $1.00")
    if event == "stop":
        stop_session(Sessions(setting.store), ID, "ben", setting.clock)
    if event == "kill":
        raise Killed
    if event == "defect":
        raise ZeroDivisionError


@given(st.lists(st.sampled_from(EVENTS), max_size=24), st.integers(5, 7), st.integers(0, 8))
def test_after_any_order_of_events_every_file_is_valid_and_no_transition_forbidden(
    events: list[str], limit: int, gaps: int
) -> None:
    planned = iter(events)
    setting = Setting(gaps=[gap(f"thing {number}") for number in range(gaps)])
    setting.begin = lambda _: happen(setting, next(planned, "answer"))
    setting.start(limit)
    for attempt in range(len(events) + 2):
        try:
            session = setting.run(f"process {attempt}")
        except (Killed, ZeroDivisionError, DetectiveUnreachable, SessionHeld):
            setting.clock.advance(61)
            continue
        except SessionEnded:
            break
        assert not session.is_running
        break
    final = setting.stored()
    assert not final.is_running
    assert isinstance(setting.store, CheckedStore)
    assert setting.store.states[-1] == final


def test_a_session_completes_with_an_audit_of_its_final_pair() -> None:
    setting = Setting(gaps=(gap("orders", "high"), gap("revenue"), gap("country", "low"))).start()
    session = setting.run()
    assert session.status == "completed"
    assert session.audit_result is not None
    assert [each.target for each in session.audit_result.remaining_gaps] == ["country"]
    assert session.audit_result.consistency_score == 100 - 10 - 2
    assert session.qa_pairs[-1].gap_analysis.completeness_score == 95
    assert [each.event for each in session.audit_trail] == ["provider_switch"]
    assert session.usage is not None
    assert session.usage.calls == 2 * 2 + 1
    assert session.holder is None


def test_a_session_whose_last_question_leaves_a_follow_up_reaches_its_limit_with_an_interim_audit() -> None:
    setting = Setting(gaps=[gap(f"thing {number}") for number in range(8)]).start()
    session = setting.run()
    assert (session.status, session.current_iteration) == ("limit-reached", 5)
    assert session.interim_audit is not None
    assert session.interim_audit.summary == "5 questions were asked."
    with pytest.raises(SessionEnded):
        setting.run()


@each_case(
    "event, reason",
    [
        ("detective", "INT_DETECTIVE_UNREACHABLE: no provider is left"),
        ("witness", "INT_WITNESS_UNREACHABLE: no answer"),
        ("budget", "INT_BUDGET_EXHAUSTED: the session has spent $1.00"),
    ],
)
def test_a_party_that_cannot_continue_fails_the_session_which_says_why_and_keeps_its_pairs(
    event: str, reason: str
) -> None:
    setting = Setting()
    steps = iter(["answer"] * 4 + [event])
    setting.begin = lambda _: happen(setting, next(steps, event))
    session = setting.start().run()
    assert (session.status, session.current_iteration) == ("failed", 1)
    assert session.audit_trail[-1].reason == reason
    assert session.interim_audit is not None
    assert session.interim_audit.remaining_gaps


def test_an_audit_that_fails_for_now_leaves_the_session_running_and_the_next_call_retries() -> None:
    setting = Setting(gaps=(gap("orders"),)).start()
    failures = iter([True])
    setting.begin = lambda step: happen(setting, "detective" if step == "audit" and next(failures, False) else "answer")
    with pytest.raises(DetectiveUnreachable):
        setting.run("one")
    assert setting.stored().is_running
    session = setting.run("two")
    assert session.status == "completed"
    assert [each.event for each in session.audit_trail] == ["timeout", "error"]


def test_a_stop_during_a_question_keeps_its_pair_and_ends_the_session_before_the_next() -> None:
    setting = Setting().start()
    results: list[tuple[InterrogationSession, bool]] = []

    def stop_while_asked(step: str) -> None:
        if step == "answer" and not results:
            results.append(stop_session(Sessions(setting.store), ID, "ben", setting.clock))

    setting.begin = stop_while_asked
    session = setting.run()
    assert [(stopped.status, stopping) for stopped, stopping in results] == [("running", True)]
    assert (session.status, session.current_iteration, setting.asked) == ("failed", 1, ["What is orders?"])
    assert session.audit_trail[-1].reason == "stopped by ben"
    assert stop_session(Sessions(setting.store), ID, "cy", setting.clock) == (session, False)


def test_a_stop_of_a_session_that_no_process_runs_ends_it_at_once() -> None:
    setting = Setting().start()
    session, stopping = stop_session(Sessions(setting.store), ID, "ben", setting.clock)
    assert (session.status, stopping, session.interim_audit) == ("failed", False, None)


def test_of_two_processes_one_asks_and_the_other_is_refused() -> None:
    setting = Setting(store=MemoryStore()).start()
    refused: list[str] = []

    def run_another(step: str) -> None:
        with pytest.raises(SessionHeld) as raised:
            setting.run("two")
        refused.append(raised.value.code)
        assert re.search(r"if that process was killed, the session can be resumed in \d+ s$", str(raised.value))

    setting.begin = run_another
    setting.run("one")
    assert {*refused} == {"INT_SESSIONS_BUSY"}
    assert len({*setting.asked}) == len(setting.asked)


def test_of_many_threads_that_start_together_exactly_one_runs_a_session() -> None:
    setting = Setting(store=MemoryStore()).start()
    barrier = threading.Barrier(6)
    ended: list[str] = []

    def run(number: int) -> None:
        barrier.wait()
        try:
            setting.run(f"thread {number}")
        except (SessionHeld, SessionEnded) as error:
            ended.append(error.code)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ended) == 5
    assert len({*setting.asked}) == len(setting.asked)


def test_a_session_that_is_removed_while_it_runs_stays_removed() -> None:
    setting = Setting(store=MemoryStore()).start()
    removals: list[Callable[[], None]] = [lambda: setting.store.delete(next(iter(setting.store.keys())))]

    def remove_once(step: str) -> None:
        if step == "answer" and removals:
            removals.pop()()

    setting.begin = remove_once
    with pytest.raises(SessionNotFound):
        setting.run()
    assert [*setting.store.keys()] == []
