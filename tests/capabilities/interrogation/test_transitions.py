"""What a hypothesis and a pair may be, and which changes of a session are refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.capabilities.interrogation.states import new_session
from tests.cases import each_case
from tests.fakes.interrogation import DETECTIVE, WITNESS, gap
from tribal.capabilities.interrogation.errors import HypothesisInvalid, SessionEnded, SessionInvalid
from tribal.capabilities.interrogation.parties import Analysis, Audit, Question, WitnessAnswer
from tribal.capabilities.interrogation.sessions import transitions
from tribal.capabilities.interrogation.sessions.hypotheses import require_hypothesis, require_limit
from tribal.ports.models.chains import TrailNote
from tribal_contracts.interrogation.rules import broken_rules
from tribal_contracts.interrogation.sessions import InterrogationSession

NOW = "2026-11-21T02:46:00Z"


def with_pair(
    session: InterrogationSession, *gaps: str, can_continue: bool = True, answer: str = "yes"
) -> InterrogationSession:
    analysis = Analysis(tuple(map(gap, gaps)), can_continue, DETECTIVE)
    return transitions.add_pair(session, Question("What?"), WitnessAnswer(answer, WITNESS), analysis, NOW)


@each_case(
    "text, problem",
    [
        ("", "blank"),
        (" \n", "blank"),
        ("x" * 2_001, "2001 characters; at most 2000"),
        ("\ud800", "Unicode"),
        ("Does postgresql://ann:hunter2secret99@db/shop hold orders?", "secret"),
    ],
)
def test_a_hypothesis_that_is_not_valid_is_refused_by_name_and_not_quoted(text: str, problem: str) -> None:
    with pytest.raises(HypothesisInvalid, match=problem) as raised:
        require_hypothesis(text)
    assert "hunter2" not in raised.value.message


def test_iterations_outside_their_range_are_refused_and_not_clamped() -> None:
    assert [require_limit(each) for each in (5, 20)] == [5, 20]
    for refused in (4, 21, -1):
        with pytest.raises(HypothesisInvalid, match=f"is {refused}; it must be from 5 to 20"):
            require_limit(refused)


def test_long_questions_and_answers_are_cut_and_say_so() -> None:
    analysis = Analysis((gap("it"),), True, DETECTIVE)
    session = transitions.add_pair(
        new_session(), Question("q" * 600), WitnessAnswer("a\ud800" + "b" * 9_000, WITNESS), analysis, NOW
    )
    (pair,) = session.qa_pairs
    assert (len(pair.question), len(pair.answer)) == (500, 8_000)
    assert pair.question.endswith(" [cut]")
    assert pair.answer.endswith(" [cut]")
    assert pair.answer.startswith("a?b")
    assert broken_rules(session) == []


def test_an_analysis_with_too_many_gaps_keeps_the_worst_and_agrees_with_itself() -> None:
    gaps = (*(gap(f"low {n}", "low") for n in range(30)), gap("high", "high"), gap("high", "high"))
    session = transitions.add_pair(
        new_session(),
        Question("What?"),
        WitnessAnswer("", WITNESS),
        Analysis(gaps, True, DETECTIVE, completeness_score=100),
        NOW,
    )
    analysis = session.qa_pairs[0].gap_analysis
    assert (len(analysis.gaps), analysis.gaps[0].target, analysis.completeness_score) == (20, "high", 99)
    assert [each.target for each in analysis.gaps].count("high") == 1
    low = with_pair(new_session())
    assert (low.open_gaps, low.qa_pairs[0].gap_analysis.completeness_score) == ([], 100)


def test_forbidden_transitions_are_refused() -> None:
    started = new_session()
    satisfied = with_pair(started)
    asking = with_pair(started, "it")
    at_limit = asking
    for _ in range(4):
        at_limit = with_pair(at_limit, "it")
    refused: list[Callable[[], object]] = [
        lambda: transitions.complete(started, Audit("x"), NOW),
        lambda: transitions.complete(asking, Audit("x"), NOW),
        lambda: transitions.reach_limit(started, None, NOW),
        lambda: transitions.reach_limit(asking, None, NOW),
        lambda: with_pair(satisfied, "it"),
        lambda: with_pair(at_limit, "it"),
        lambda: transitions.request_stop(started, "ann"),
    ]
    for change in refused:
        with pytest.raises(SessionInvalid):
            change()
    for ended in (
        transitions.complete(satisfied, Audit("x"), NOW),
        transitions.stop(started, "ann", NOW),
        transitions.reach_limit(at_limit, None, NOW),
    ):
        assert broken_rules(ended) == []
        assert transitions.next_step(ended) == "none"
        with pytest.raises(SessionEnded):
            transitions.fail(ended, "x", NOW)
        with pytest.raises(SessionEnded):
            transitions.complete(ended, Audit("x"), NOW)
        with pytest.raises(SessionEnded):
            with_pair(ended, "it")
        with pytest.raises(SessionEnded):
            transitions.hold(ended, "one", NOW)
        with pytest.raises(SessionEnded):
            transitions.note(ended, [TrailNote("error", "x")], NOW)


def test_a_full_audit_trail_keeps_the_newest_entry_and_says_that_others_were_left_out() -> None:
    session = transitions.note(new_session(), [TrailNote("error", f"failure {n}") for n in range(300)], NOW)
    ended = transitions.stop(session, "ann", NOW)
    assert len(ended.audit_trail) == 200
    assert [each.reason for each in ended.audit_trail[-2:]] == ["stopped by ann", "more entries were left out"]
    assert broken_rules(ended) == []


def test_an_interim_summary_escapes_what_people_wrote() -> None:
    session = with_pair(new_session(), "<script>", answer="")
    ended = transitions.stop(session, "ann", NOW)
    assert ended.interim_audit is not None
    assert "&lt;script&gt;" in ended.interim_audit.summary
    assert "1 question asked, 1 open gap (1 medium), 0 contradictions." in ended.interim_audit.summary


def test_times_do_not_decrease_when_a_clock_goes_back() -> None:
    session = transitions.stop(with_pair(new_session(), "it"), "ann", "2020-01-01T00:00:00Z")
    assert session.end_time == NOW
    assert broken_rules(session) == []
