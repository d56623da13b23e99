"""Faults on the wire: the right switch, entry and status, and no call beyond its time."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from tests.capabilities.interrogation.asking_models.made import (
    CLAUDE_KEY,
    OPENAI_KEY,
    ORDERS,
    Setting,
    claude_party,
    data_of,
    detective_of,
    gap,
    openai_party,
    witness_of,
    works,
)
from tests.cases import verify_all_but
from tests.fakes.claude import FakeClaude
from tests.fakes.claude import failures as of_claude
from tests.fakes.interrogation import ScriptedWitness
from tests.fakes.model_servers.minds import schema_of
from tests.fakes.model_servers.script import Failure
from tests.fakes.openai import FakeOpenAI
from tests.fakes.openai import failures as of_openai
from tribal.models.chain import OpenModel
from tribal_contracts.interrogation.sessions import AuditTrailEntry, InterrogationSession

pytestmark = pytest.mark.slow

OPENAI, CLAUDE = "openai:gpt-6-luna", "anthropic:claude-haiku-5-5"
TEXTS = {"any": "An order."}


class AnyWitness(ScriptedWitness):
    """Knows the same about everything."""

    def answer(self, session: InterrogationSession, question: str) -> Any:
        del question
        return super().answer(session, "What is any?")


@pytest.fixture
def openai(open_vendor: Callable[[str], FakeOpenAI]) -> FakeOpenAI:
    server = open_vendor("openai")
    server.mind = works
    return server


@pytest.fixture(name="claude")
def claude_fixture(claude: FakeClaude) -> FakeClaude:
    claude.mind = works
    return claude


def run(*parties: OpenModel) -> InterrogationSession:
    """A whole session."""
    setting = Setting(detective_of(*parties), AnyWitness(TEXTS))
    session = setting.run()
    file = setting.file().decode()
    assert OPENAI_KEY not in file
    assert CLAUDE_KEY not in file
    assert "PLANTED" not in file
    return session


def entries(session: InterrogationSession) -> list[tuple[str, str | None, str | None]]:
    """The audit trail without times and reasons."""
    return [(each.event, each.from_provider, each.to_provider) for each in session.audit_trail]


SWITCH = ("provider_switch", OPENAI, CLAUDE)
SWITCHING: list[tuple[Failure, str]] = [
    (of_openai.limited(3_600), "unavailable: The server"),
    (of_openai.OVERLOADED, "unavailable: The server"),
    (of_openai.BROKEN, "unavailable: The server"),
    (of_openai.NO_QUOTA, "stopped: The server"),
    (of_openai.KEY_REFUSED, "stopped: The server"),
    (of_openai.NO_SUCH_MODEL, "stopped: The server"),
    (of_openai.INVALID_REQUEST, "rejected: "),
    (of_openai.RESET, "unavailable: "),
    (of_openai.CUT, "unavailable: "),
    (of_openai.REFUSAL, "refused: the model declined"),
    (of_openai.CONTENT_FILTER, "refused: "),
    (of_openai.TRUNCATED, "truncated: "),
    (of_openai.HTML, "stopped: The server"),
]


@verify_all_but(4, ("failure", "reason"), SWITCHING, ids=lambda value: getattr(value, "name", None))
def test_a_failure_of_the_default_switches_that_call_to_the_next_provider(
    failure: Failure, reason: str, openai: FakeOpenAI, claude: FakeClaude
) -> None:
    openai.fail(failure, *([failure] if failure is of_openai.KEY_REFUSED else []))
    session = run(openai_party(openai), claude_party(claude))
    assert session.status == "completed"
    stops = reason.startswith("stopped")
    # One that cannot pass is not asked again in this process.
    assert {*entries(session)} == {SWITCH}
    assert (len(entries(session)) > 1) == stops
    assert reason.lower() in session.audit_trail[0].reason.lower()
    assert {pair.provider_used for pair in session.qa_pairs} == ({CLAUDE} if stops else {OPENAI})


@pytest.mark.parametrize(
    "failure", [of_openai.CUT_ANSWER, of_openai.WRONG_SHAPE, of_openai.NO_TEXT], ids=lambda f: f.name
)
def test_a_malformed_answer_is_asked_for_once_more_and_then_from_the_next_provider(
    failure: Failure, openai: FakeOpenAI, claude: FakeClaude
) -> None:
    openai.fail(failure)
    repaired = run(openai_party(openai), claude_party(claude))
    assert (repaired.status, entries(repaired)) == ("completed", [("error", None, None)])
    assert repaired.audit_trail[0].reason.endswith("; asked again")
    assert "faults" in data_of(openai.calls[1].body)
    openai.calls.clear()
    openai.fail(failure, failure)
    switched = run(openai_party(openai), claude_party(claude))
    assert (switched.status, entries(switched)) == ("completed", [SWITCH])
    assert switched.audit_trail[0].reason.startswith("malformed: ")


def test_a_short_wait_is_waited_out_and_noted_as_an_error_of_its_own(openai: FakeOpenAI, claude: FakeClaude) -> None:
    openai.fail(of_openai.limited(1))
    began = time.monotonic()
    session = run(openai_party(openai, 8.0), claude_party(claude))
    assert time.monotonic() - began >= 1
    assert (session.status, entries(session)) == ("completed", [("error", None, None)])
    assert "throttled" in session.audit_trail[0].reason
    assert {pair.provider_used for pair in session.qa_pairs} == {OPENAI}
    assert claude.calls == []


def test_a_wait_that_does_not_fit_the_time_that_is_left_switches_at_once(
    openai: FakeOpenAI, claude: FakeClaude
) -> None:
    openai.fail(of_openai.limited(5))
    session = run(openai_party(openai, 4.0), claude_party(claude))
    # Later calls find that the provider still wants to be left alone.
    assert {*entries(session)} == {SWITCH}
    assert session.status == "completed"


@pytest.mark.parametrize("failure", [of_openai.HANG, of_openai.DRIP], ids=lambda f: f.name)
def test_a_call_that_takes_too_long_ends_with_its_time_and_switches(
    failure: Failure, openai: FakeOpenAI, claude: FakeClaude
) -> None:
    openai.fail(failure)
    session = run(openai_party(openai, 0.7), claude_party(claude))
    assert (session.status, entries(session)) == ("completed", [SWITCH])
    assert session.audit_trail[0].reason.startswith("timed_out: ")
    openai.fail(failure)
    parties = openai_party(openai, 0.7), claude_party(claude, 0.7)
    claude.fail(of_claude.HANG)
    failed = run(*parties)
    assert (failed.status, entries(failed)) == ("failed", [SWITCH, ("timeout", None, None), ("error", None, None)])


def test_no_call_outlasts_its_timeout(openai: FakeOpenAI) -> None:
    detective = detective_of(openai_party(openai, 1.0))
    setting = Setting(detective, AnyWitness(TEXTS))
    for failure in (of_openai.HANG, of_openai.DRIP, of_openai.limited(30), of_openai.CUT_ANSWER):
        openai.fail(*[failure] * 20)
        began = time.monotonic()
        failed = replace(setting, store=type(setting.store)()).run()
        # The first two never end, and the third asks for 30 s.
        assert time.monotonic() - began < 20
        assert failed.status == "failed"
        openai.script.next.clear()


def test_without_any_provider_the_session_fails_and_says_what_each_did(openai: FakeOpenAI, claude: FakeClaude) -> None:
    openai.fail(*[of_openai.BROKEN] * 100)
    claude.fail(*[of_claude.OVERLOADED] * 100)
    session = run(openai_party(openai, 1.0), claude_party(claude, 1.0))
    assert (session.status, session.qa_pairs, session.interim_audit) == ("failed", [], None)
    assert entries(session) == [SWITCH, ("error", None, None), ("error", None, None)]
    last = session.audit_trail[-1].reason
    assert last.startswith("INT_DETECTIVE_UNREACHABLE: no detective could be reached: ")
    assert OPENAI in last
    assert CLAUDE in last


def test_an_audit_without_a_provider_leaves_the_session_running_if_that_may_pass(
    openai: FakeOpenAI, claude: FakeClaude
) -> None:
    from tribal.capabilities.interrogation.errors import DetectiveUnreachable

    def falls_silent(body: Mapping[str, Any]) -> Mapping[str, Any]:
        answer = works(body)
        if "ask_again" in answer and data_of(body)["asked"]:
            openai.fail(of_openai.BROKEN)
            claude.fail(*[of_claude.BROKEN] * 20)
            return {**answer, "ask_again": False}
        return answer

    openai.mind = falls_silent
    setting = Setting(detective_of(openai_party(openai, 1.0), claude_party(claude, 1.0)), AnyWitness(TEXTS))
    with pytest.raises(DetectiveUnreachable):
        setting.run()
    assert b'"status":"running"' in setting.file().replace(b" ", b"")


class TestInventedNames:
    """A table or column that does not exist never enters a gap."""

    @staticmethod
    def invents(body: Mapping[str, Any], *, until_told: bool = False) -> Mapping[str, Any]:
        answer = works(body)
        if "gaps" not in answer or (until_told and "faults" in data_of(body)):
            return answer
        if until_told and data_of(body)["asked"]:
            return answer
        invented = gap("shop.sales.refunds", description="Nothing says what shop.sales.refunds holds.")
        in_text = gap(ORDERS, "medium", description="Nothing says how it joins sales.refund_lines.")
        return {**answer, "gaps": [invented, in_text]}

    @staticmethod
    def assert_nothing_invented(session: InterrogationSession) -> None:
        gaps = [each for pair in session.qa_pairs for each in pair.gap_analysis.gaps]
        assert gaps
        assert all("refund" not in f"{each.target} {each.description}" for each in gaps)
        assert "refund" not in session.to_json().decode()

    def test_it_is_corrected_by_the_same_model_if_it_can(self, openai: FakeOpenAI, claude: FakeClaude) -> None:
        openai.mind = lambda body: self.invents(body, until_told=True)
        session = run(openai_party(openai), claude_party(claude))
        assert (session.status, entries(session)) == ("completed", [("error", None, None)])
        assert "does not exist" in session.audit_trail[0].reason
        sent = next(data for call in openai.calls if "faults" in (data := data_of(call.body)))
        assert {"shop.sales.refunds", "sales.refund_lines"} <= {*sent["unknown_names"]}
        self.assert_nothing_invented(session)

    def test_else_the_next_provider_is_asked(self, openai: FakeOpenAI, claude: FakeClaude) -> None:
        openai.mind = self.invents
        session = run(openai_party(openai), claude_party(claude))
        assert (session.status, {*entries(session)}) == ("completed", {SWITCH})
        assert {pair.provider_used for pair in session.qa_pairs} == {CLAUDE}
        self.assert_nothing_invented(session)

    def test_and_where_every_model_invents_it_the_gap_loses_its_target_and_its_words(self, openai: FakeOpenAI) -> None:
        openai.mind = self.invents
        session = run(openai_party(openai))
        assert session.status in ("completed", "limit-reached")
        self.assert_nothing_invented(session)
        first = session.qa_pairs[0].gap_analysis.gaps
        assert {(each.target, each.category, each.severity) for each in first} == {
            (None, "missing_information", "high"),
            (ORDERS, "missing_information", "medium"),
        }


class TestWitness:
    """A witness has one more attempt in its time, and no other model."""

    @staticmethod
    def run(openai: FakeOpenAI, claude: FakeClaude, timeout_seconds: float = 8.0) -> InterrogationSession:
        return Setting(detective_of(claude_party(claude)), witness_of(openai_party(openai, timeout_seconds))).run()

    @pytest.mark.parametrize(
        "failure",
        [of_openai.CUT_ANSWER, of_openai.REFUSAL, of_openai.limited(1), of_openai.BROKEN],
        ids=lambda f: f.name,
    )
    def test_a_failure_that_passes_is_an_entry(self, failure: Failure, openai: FakeOpenAI, claude: FakeClaude) -> None:
        openai.fail(failure)
        session = self.run(openai, claude)
        assert (session.status, entries(session)) == ("completed", [("error", None, None)])
        assert {pair.witness_used for pair in session.qa_pairs} == {OPENAI}
        assert session.qa_pairs[0].sources

    @pytest.mark.parametrize(
        ("failure", "event"),
        [(of_openai.HANG, "timeout"), (of_openai.KEY_REFUSED, "error"), (of_openai.REFUSAL, "error")],
        ids=lambda each: getattr(each, "name", None),
    )
    def test_one_that_stays_ends_the_session(
        self, failure: Failure, event: str, openai: FakeOpenAI, claude: FakeClaude
    ) -> None:
        openai.fail(*[failure] * 10)
        session = self.run(openai, claude, 0.7)
        trail: list[AuditTrailEntry] = session.audit_trail
        assert (session.status, trail[0].event) == ("failed", event)
        assert trail[-1].reason.startswith("INT_WITNESS_UNREACHABLE: the witness could not be reached: ")

    def test_an_empty_answer_is_an_answer_and_leaves_a_gap(self, openai: FakeOpenAI, claude: FakeClaude) -> None:
        def knows_nothing(body: Mapping[str, Any]) -> Mapping[str, Any]:
            return {"answer": "", "sources": []} if "answer" in (schema_of(body) or {})["properties"] else works(body)

        openai.mind = knows_nothing
        session = self.run(openai, claude)
        assert session.status == "limit-reached"
        assert {(pair.answer, pair.sources) for pair in session.qa_pairs} == {("", None)}
        assert all(pair.gap_analysis.gaps for pair in session.qa_pairs)
