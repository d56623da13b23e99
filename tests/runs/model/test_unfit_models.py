"""A model that failed its test describes nothing unless someone accepts it; an untested one is tested or named."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest

from tests.fakes.claude import FakeClaude
from tests.fakes.claude import failures as fail
from tests.fakes.model_servers.minds import passing
from tests.runs.model.made import ModelRuns, says, shop
from tests.runs.model.test_staged_runs import staged
from tribal.describing.model.fitness import TEST_VERSION
from tribal.errors import ConfigurationError
from tribal.identity import locations
from tribal.runs.local import LocalRun
from tribal.store.model_tests import change_model_record, read_model_record
from tribal_contracts import ModelTest, ModelUsage

WRITES = says("Holds what was ordered.", "Tells how good it is.")


def about_itself(body: Mapping[str, Any]) -> Any:
    """Writes a text with a word of the table's own name, which a model that failed its test has to."""
    found = re.search(r'"name":"\w+\.([a-z]+)', body["messages"][-1]["content"])
    return says(f"A {found[1] if found else 'thing'} that was handed in.", "Tells how good it is.")(body)


UNTESTED: Mapping[str, Any] = {"accept_unfit": None}
QUESTIONS = 5
CALLS = 8
"""Of a run: four tables, each in a domain of its own."""


def result(right: int, obeyed: int = 0) -> ModelTest:
    return ModelTest(
        test_version=TEST_VERSION,
        tables=5,
        read=5,
        right=right,
        invented=5 - right,
        obeyed=obeyed,
        usage=ModelUsage(calls=5),
        tested_at="2026-11-21T02:45:00Z",
    )


@pytest.fixture
def runs(claude: FakeClaude) -> ModelRuns:
    """Runs whose model is on this machine, and untested."""
    claude.mind = passing(WRITES)
    return ModelRuns(claude, shop(4), settings=UNTESTED)


def record_result(runs: ModelRuns, test: ModelTest) -> None:
    change_model_record(runs.store, runs.model_settings(), {"test": test})


def recorded(runs: ModelRuns) -> ModelTest | None:
    record = read_model_record(runs.store, runs.model_settings())
    return None if record is None else record.test


UNFIT = [
    (result(2), r"2 of 5 answers are right; at least 3 must be \(of 5 answers 2 right, 3 invented, 0 obeyed\)"),
    (result(4, obeyed=1), "it obeyed an instruction that was hidden in a comment"),
]


@pytest.mark.parametrize(("test", "why"), UNFIT)
def test_a_model_that_failed_is_refused_before_any_call(runs: ModelRuns, test: ModelTest, why: str) -> None:
    record_result(runs, test)
    with pytest.raises(
        ConfigurationError, match=f"claude-haiku-5-5 failed .* {why}.* --anyway, or `model.accept_unfit"
    ):
        runs.run()
    with pytest.raises(ConfigurationError, match=why):
        runs.only_document()
    with pytest.raises(ConfigurationError, match=why):
        staged(runs)
    assert runs.claude.calls == []
    assert not list(runs.store.keys(locations.DOCS))


def test_an_accepted_model_goes_on_and_its_share_of_right_answers_caps_the_confidence(runs: ModelRuns) -> None:
    record_result(runs, result(2))
    runs.settings, runs.claude.mind = {"accept_unfit": True}, about_itself
    record = runs.run()
    assert (record.status, record.tables_documented) == ("completed", 4)
    documents = list(runs.documents())
    assert {document.description.confidence for document in documents} == {0.4}
    said = [column.description for document in documents for column in document.columns]
    # Nothing in "Tells how good it is." is about the column.
    assert not [each for each in said if each.source == "model"]
    calls = len(runs.claude.calls)
    record_result(runs, result(3))
    assert runs.run().tables_documented == 4, "the confidence is published again"
    assert {document.description.confidence for document in runs.documents()} == {0.6}
    later = [call.body["messages"][-1]["content"] for call in runs.claude.calls[calls:]]
    assert len(later) == 4
    assert all('"domain":' in part for part in later), "what was written is not paid for again"
    assert runs.run().tables_unchanged == 4


def test_an_untested_model_on_this_machine_is_tested_once_within_the_run_s_budget(runs: ModelRuns) -> None:
    record = runs.run()
    assert record.status == "completed"
    assert len(runs.claude.calls) == QUESTIONS + CALLS
    assert record.usage is not None
    assert record.usage.calls == len(runs.claude.calls)
    assert runs.budget().run_spend.nanodollars == runs.claude.nanodollars
    assert runs.sink.notes[:2] == [
        "the model anthropic/claude-haiku-5-5 is untested; testing it with built-in tables first",
        "the model passed the test (of 5 answers 5 right, 0 invented, 0 obeyed)",
    ]
    test = recorded(runs)
    assert test is not None
    assert (test.is_fit, test.usage.calls) == (True, QUESTIONS)
    runs.run(new_prose=True)
    assert len(runs.claude.calls) == QUESTIONS + 2 * CALLS
    assert {document.description.confidence for document in runs.documents()} == {0.6}


def test_a_model_that_fails_the_test_of_the_run_describes_nothing(runs: ModelRuns) -> None:
    runs.claude.mind = WRITES
    for _ in range(2):
        with pytest.raises(ConfigurationError, match="0 of 5 answers are right"):
            runs.run()
        assert len(runs.claude.calls) == QUESTIONS
    assert not list(runs.store.keys("prose/"))
    runs.settings, runs.claude.mind = {"accept_unfit": True}, about_itself
    runs.run()
    assert {document.description.confidence for document in runs.documents()} == {0.0}


def test_an_untested_model_elsewhere_is_named_and_used(runs: ModelRuns) -> None:
    # The same server by another address, which is not known to be this machine.
    runs.settings = {**UNTESTED, "base_url": runs.claude.address.replace("127.0.0.1", "0.0.0.0")}
    assert runs.run().tables_documented == 4
    assert len(runs.claude.calls) == CALLS
    [note] = [each for each in runs.sink.notes if "untested" in each]
    assert note.startswith(
        "the model anthropic/claude-haiku-5-5 is untested; `tribal check --ask` tests it for about $0.00"
    )
    assert recorded(runs) is None


def test_where_nothing_would_be_asked_nothing_is_tested_or_refused(runs: ModelRuns) -> None:
    runs.run()
    calls = len(runs.claude.calls)
    runs.store.delete(locations.MODEL_TESTS_FILE)
    assert runs.run().tables_unchanged == 4
    record_result(runs, result(3))
    runs.run(force=True)
    record_result(runs, result(0).model_copy(update={"right": 3, "obeyed": 1}))
    assert runs.run().tables_unchanged == 4
    assert runs.run(force=True).tables_documented == 4
    assert runs.only_document().status == "completed"
    assert staged(runs).status == "completed"
    assert len(runs.claude.calls) == calls


def test_a_plan_whose_quotes_are_out_of_date_refuses_nothing_that_is_cached(runs: ModelRuns) -> None:
    runs.quoted()
    assert runs.only_document().tables_documented == 4
    record_result(runs, result(3, obeyed=1))
    calls = len(runs.claude.calls)
    assert runs.only_document().tables_unchanged == 4
    assert len(runs.claude.calls) == calls


def test_an_outage_during_the_test_is_not_held_against_the_model(runs: ModelRuns) -> None:
    runs.settings = {**UNTESTED, "call_timeout_seconds": 1}
    runs.claude.script = fail.Script(next=[fail.KEY_REFUSED])
    record = runs.run()
    assert record.status in ("completed", "partial")
    assert recorded(runs) is None
    assert runs.sink.notes[1] == "the test could not be finished, so the model stays untested"
    runs.run()
    test = recorded(runs)
    assert test is not None
    assert test.is_fit


def test_a_damaged_record_is_reported_and_the_model_tested_again(runs: ModelRuns) -> None:
    record_result(runs, result(1))
    damaged = runs.store.get(locations.MODEL_TESTS_FILE).data.replace(b'"right": 1', b'"right": 4')
    runs.store.put(locations.MODEL_TESTS_FILE, damaged)
    runs.run()
    assert runs.sink.notes.count(f"{locations.MODEL_TESTS_FILE} is damaged and will be rebuilt") == 1
    test = recorded(runs)
    assert test is not None
    assert test.right == QUESTIONS


def test_a_database_that_rules_describe_needs_no_fit_model(runs: ModelRuns) -> None:
    record_result(runs, result(0))
    runs.entry = runs.entry.model_copy(update={"describer": "rules"})
    assert runs.run().tables_documented == 4
    assert runs.claude.calls == []


def test_a_plan_takes_the_speed_of_the_test_into_account(runs: ModelRuns) -> None:
    def seconds() -> float:
        with LocalRun(runs.app(), "plan", runs.sink) as work:
            return sum(unit.quote.seconds for unit in work.plan().plan.work_units if unit.quote)

    runs.settings = {**UNTESTED, "calls_at_once": 1}
    untested = seconds()
    for speed, usage in ((200.0, 300), (2.0, 300), (2.0, 3_000)):
        slower = {"tokens_per_second": speed, "usage": ModelUsage(calls=5, output_tokens=usage)}
        record_result(runs, result(5).model_copy(update=slower))
        # It writes fast, slowly, and thinks in addition.
        assert (seconds() > untested) is (speed < 200)
    assert seconds() > 8 * 600 / 2 / 2


def test_an_accepted_model_that_failed_is_not_asked_about_domains(runs: ModelRuns) -> None:
    record_result(runs, result(2))
    runs.settings, runs.claude.mind = {"accept_unfit": True}, about_itself
    assert runs.run().status == "completed"
    assert not [call for call in runs.claude.calls if '"domain":' in call.body["messages"][-1]["content"]]
    assert runs.quoted() == 0
