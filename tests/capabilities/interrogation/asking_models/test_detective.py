"""What a model may decide in an interrogation, and what code decides."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from tests.capabilities.interrogation.asking_models.made import (
    DOCUMENTATION,
    ORDERS,
    SOURCE,
    TOTAL,
    detective_of,
    gap,
    witness_of,
)
from tests.cases import each_case
from tests.conformance.detective import NOW, new_session
from tribal.capabilities.interrogation.errors import BudgetExhausted, DetectiveUnreachable
from tribal.capabilities.interrogation.parties import Analysis, Question, WitnessAnswer
from tribal.capabilities.interrogation.sessions.transitions import add_pair
from tribal.models.chain import OpenModel
from tribal.ports import ModelAnswer, ModelFailure, ModelOutcome, ModelRequest
from tribal_contracts import ModelUsage
from tribal_contracts.interrogation.sessions import Gap, InterrogationSession

USAGE = ModelUsage(calls=1, nanodollars=7)
KNOWN = WitnessAnswer(
    f"One row of {ORDERS} is an order; statuses are in_transit and done.", "documentation:1", (SOURCE,)
)
EMPTY = replace(KNOWN, text=" ")


class Says:
    """Answers every request with the same, or in turn with several."""

    name = "scripted/model"

    def __init__(self, *outcomes: Mapping[str, Any] | ModelFailure) -> None:
        self._outcomes = outcomes
        self.requests: list[ModelRequest] = []

    def ask(self, request: ModelRequest) -> ModelOutcome:
        self.requests.append(request)
        outcome = self._outcomes[min(len(self.requests), len(self._outcomes)) - 1]
        return outcome if isinstance(outcome, ModelFailure) else ModelAnswer(outcome, USAGE)

    def stream(self, request: ModelRequest) -> Generator[str, None, ModelOutcome]:
        yield ""
        return self.ask(request)


def party(model: Says, name: str = "openai:one") -> OpenModel:
    return OpenModel(name=name, model=model, timeout_seconds=10.0)


def analysis(*gaps: Mapping[str, str], closed: tuple[int, ...] = (), ask_again: bool = True) -> dict[str, Any]:
    return {"closed": [*closed], "gaps": [*gaps], "ask_again": ask_again}


def analysed(answer: WitnessAnswer, said: Mapping[str, Any], before: InterrogationSession | None = None) -> Analysis:
    return detective_of(party(Says(said))).analyse(before or new_session(), "Which table is it?", answer)


def with_gaps(*gaps: Gap) -> InterrogationSession:
    """A session with one pair."""
    found = Analysis(gaps, can_continue=True, detective="openai:one")
    return add_pair(new_session(), Question("Which table is it?"), KNOWN, found, NOW)


FIRST = Gap(category="vagueness", description="It is unclear.", severity="high", target=ORDERS)
SECOND = Gap(category="ambiguity", description="Two fit.", severity="low")


def test_earlier_gaps_stay_word_for_word_until_they_are_closed_by_number() -> None:
    new = gap(TOTAL, "medium")
    found = analysed(KNOWN, analysis(new, closed=(2, 9, 0, -1)), with_gaps(FIRST, SECOND))
    assert [each.target for each in found.gaps] == [ORDERS, TOTAL]
    assert found.gaps[0] == FIRST
    assert (found.can_continue, found.detective, found.completeness_score) == (True, "openai:one", None)


def test_a_gap_that_is_open_already_is_not_added_again() -> None:
    again = gap(ORDERS, "low", category="vagueness", description="What it is stays unclear.")
    assert analysed(KNOWN, analysis(again, again), with_gaps(FIRST)).gaps == (FIRST,)


@each_case("said", [analysis(), analysis(closed=(1, 2))])
def test_an_empty_answer_closes_nothing_and_leaves_a_gap(said: dict[str, Any]) -> None:
    assert analysed(EMPTY, said, with_gaps(FIRST, SECOND)).gaps == (FIRST, SECOND)
    (only,) = analysed(EMPTY, said).gaps
    assert (only.category, only.severity) == ("missing_information", "medium")


@each_case(
    "said",
    [
        {"closed": [], "gaps": []},
        analysis({"category": "missing_information", "severity": "high"}),
        analysis(gap(severity="fatal")),
        analysis(gap(category="other")),
        {"closed": "all", "gaps": [], "ask_again": True},
        {"closed": [], "gaps": ["one"], "ask_again": True},
        {"closed": [], "gaps": [], "ask_again": "yes"},
    ],
)
def test_an_analysis_of_another_form_is_no_answer(said: dict[str, Any]) -> None:
    model = Says(said)
    with pytest.raises(DetectiveUnreachable) as caught:
        detective_of(party(model)).analyse(new_session(), "Which table is it?", KNOWN)
    assert (len(model.requests), caught.value.temporary) == (2, False)
    assert [note.event for note in caught.value.notes] == ["error"]


def test_a_value_that_an_answer_names_may_be_named_in_a_gap() -> None:
    said = gap("", "medium", description="Nothing says whether in_transit counts as revenue.")
    (only,) = analysed(KNOWN, analysis(said)).gaps
    assert (only.target, "in_transit" in only.description) == (None, True)


def test_a_question_is_never_repeated() -> None:
    session = with_gaps(FIRST)
    model = Says({"question": "  which TABLE is it ?"})
    detective, texts = detective_of(party(model)), []
    for _ in range(3):
        question = detective.next_question(session)
        texts.append(question.text)
        found = Analysis((FIRST,), can_continue=True, detective="openai:one")
        session = add_pair(session, question, KNOWN, found, NOW)
    assert len({*texts, "Which table is it?"}) == 4
    assert ORDERS in texts[0]


def test_an_audit_keeps_contradictions_of_pairs_that_exist() -> None:
    said = {
        "contradictions": [
            {"first": 1, "second": 1, "description": "It names two currencies."},
            {"first": 0, "second": 1, "description": "There is no such pair."},
            {"first": 1, "second": 2, "description": "There is no such pair."},
            {"first": 1, "second": 1, "description": "See [this](https://x.example)."},
            {"first": "1", "second": 1, "description": "That is not a number."},
        ],
        "summary": f"Revenue is in {TOTAL}.\n- <b>One</b> gap is left.\n- Its currency is unknown.",
    }
    audit = detective_of(party(Says(said))).audit(with_gaps(FIRST))
    assert [each.qa_pair_indexes for each in audit.contradictions] == [[0, 0]]
    assert audit.summary == f"Revenue is in {TOTAL}.\n\n- Its currency is unknown.\n"


def test_the_cost_of_every_attempt_is_reported() -> None:
    refused = ModelFailure("refused", "declined", ModelUsage(calls=1, nanodollars=3))
    bad, good = Says({"question": ""}), Says({"question": "Which table is it?"})
    detective = detective_of(party(Says(refused)), party(bad, "openai:two"), party(good, "openai:three"))
    question = detective.next_question(new_session())
    assert question.cost.usage == ModelUsage(calls=4, nanodollars=3 + 3 * 7)
    assert [(note.event, note.from_provider, note.to_provider) for note in question.cost.notes] == [
        ("provider_switch", "openai:one", "openai:two"),
        ("provider_switch", "openai:two", "openai:three"),
    ]


def test_spent_money_ends_the_call_without_another_provider() -> None:
    spent, other = Says(ModelFailure("exhausted", "spent")), Says({"question": "Which table is it?"})
    with pytest.raises(BudgetExhausted, match="per_session_usd"):
        detective_of(party(spent), party(other, "openai:two")).next_question(new_session())
    assert other.requests == []


def test_requests_are_bounded_however_long_a_session_is() -> None:
    model = Says(analysis(gap(severity="medium")))
    session, long = new_session(20), replace(KNOWN, text="word " * 10_000)
    found = Analysis(tuple(map(long_gap, range(20))), can_continue=True, detective="openai:one")
    for number in range(19):
        session = add_pair(session, Question(f"{number} " + "?" * 600), long, found, NOW)
    detective = detective_of(party(model))
    detective.analyse(session, "?" * 2_000, long)
    audits = Says({"contradictions": [], "summary": "Nothing is known."})
    detective_of(party(audits)).audit(session)
    witness = witness_of(party(Says({"answer": "An order.", "sources": []})), DOCUMENTATION * 10_000)
    assert witness.answer(session, "?" * 2_000).text == "An order."
    assert model.requests[0].size_bytes < 60_000
    assert audits.requests[0].size_bytes < 90_000


def long_gap(number: int) -> Gap:
    """A gap with a long description of its own."""
    return FIRST.model_copy(update={"description": f"{number} " + "x" * 3_000, "target": None})


def test_a_witness_cites_what_it_used_or_all_that_it_was_shown() -> None:
    cites = witness_of(party(Says({"answer": "An order.", "sources": [2, 7]}))).answer(new_session(), "What is it?")
    assert [each.id for each in cites.sources] == ["2"]
    silent = witness_of(party(Says({"answer": "An order.", "sources": []}))).answer(new_session(), "What is it?")
    assert [each.id for each in silent.sources] == ["1", "2"]


def test_a_witness_without_documentation_is_not_asked() -> None:
    model = Says({"answer": "I guess so.", "sources": []})
    answer = witness_of(party(model), " ").answer(new_session(), "What is it?")
    assert (answer.text, answer.sources, model.requests) == ("", (), [])


def test_a_witness_that_invents_a_name_loses_that_sentence() -> None:
    model = Says({"answer": f"An order is in {ORDERS}. Refunds are in sales.refund_lines.", "sources": [1]})
    answer = witness_of(party(model)).answer(new_session(), "What is it?")
    assert answer.text == f"An order is in {ORDERS}."
    assert [note.event for note in answer.cost.notes] == ["error"]
    assert len(model.requests) == 2
