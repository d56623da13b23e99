"""What every `Detective` does. A test module imports `*` from here and supplies `detective` and `witness`."""

from __future__ import annotations

import json

import jsonschema

from tribal.capabilities.interrogation.parties import Detective, Witness, WitnessAnswer
from tribal.capabilities.interrogation.sessions.transitions import (
    NewSession,
    add_pair,
    complete,
    create,
    next_step,
    reach_limit,
)
from tribal_contracts.interrogation.rules import broken_rules, is_provider
from tribal_contracts.interrogation.sessions import InterrogationSession
from tribal_contracts.schemas import json_schema

NOW = "2026-11-21T02:45:00Z"
_SCHEMA = jsonschema.Draft7Validator(json_schema("interrogation-session"), format_checker=jsonschema.FormatChecker())


def new_session(limit: int = 5) -> InterrogationSession:
    return create(
        NewSession(
            id="7f3c1f52-6f0e-4b3a-9d53-0f5f3b1f9a11",
            hypothesis="What was revenue per customer last year?",
            iteration_limit=limit,
            now=NOW,
        )
    )


def require_valid(session: InterrogationSession) -> None:
    assert broken_rules(session) == []
    assert not [*_SCHEMA.iter_errors(json.loads(session.to_json()))]


def questioned(detective: Detective, witness: Witness, limit: int = 5) -> InterrogationSession:
    """A session after its last question."""
    session = new_session(limit)
    while next_step(session) == "ask":
        question = detective.next_question(session)
        assert question.text.strip()
        answer = witness.answer(session, question.text)
        session = add_pair(session, question, answer, detective.analyse(session, question.text, answer), NOW)
        require_valid(session)
    return session


def test_a_session_with_it_is_valid_after_every_pair_and_at_its_end(detective: Detective, witness: Witness) -> None:
    session = questioned(detective, witness)
    audit = detective.audit(session)
    assert audit.summary.strip()
    finish = complete if next_step(session) == "audit" else reach_limit
    require_valid(finish(session, audit, NOW))


def test_it_does_not_repeat_a_question(detective: Detective, witness: Witness) -> None:
    questions = [pair.question for pair in questioned(detective, witness).qa_pairs]
    assert len({*questions}) == len(questions)


def test_it_names_itself_and_finds_a_gap_in_an_empty_answer(detective: Detective) -> None:
    session = new_session()
    question = detective.next_question(session)
    analysis = detective.analyse(session, question.text, WitnessAnswer("", "documentation:1"))
    assert is_provider(analysis.detective)
    assert analysis.gaps


def test_gaps_that_no_answer_closed_stay_open(detective: Detective) -> None:
    session = new_session()
    for _ in range(2):
        before = session.open_gaps
        question = detective.next_question(session)
        answer = WitnessAnswer("", "documentation:1")
        session = add_pair(session, question, answer, detective.analyse(session, question.text, answer), NOW)
        assert [each for each in before if each not in session.open_gaps] == []
        if next_step(session) != "ask":
            break


def test_contradictions_name_pairs_in_order(detective: Detective, witness: Witness) -> None:
    session = questioned(detective, witness)
    for each in detective.audit(session).contradictions:
        first, second = each.qa_pair_indexes
        assert 0 <= first <= second < len(session.qa_pairs)
