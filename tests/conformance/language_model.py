"""What is true of every `LanguageModel`.

A module that is held to it supplies the fixtures `model`, `server`, which `model` asks, and `faults`.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Generator, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from tests.conformance.language_model_faults import Faults
from tests.fakes.model_servers import minds
from tests.fakes.model_servers.script import Failure
from tests.fakes.model_servers.server import ModelServer
from tests.waiting import LONGEST_SECONDS
from tribal.ports import LanguageModel, ModelAnswer, ModelFailure, ModelOutcome, ModelRequest
from tribal_contracts import ModelUsage

SCHEMA = {
    "type": "object",
    "properties": {
        "table": {"type": "string"},
        "columns": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"number": {"type": "integer"}, "text": {"type": "string"}},
                "required": ["number", "text"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["table", "columns"],
    "additionalProperties": False,
}
REQUEST = ModelRequest("Describe tables. " * 300, '{"table": "shop.ordér"}', SCHEMA, 500, 20.0)
IN_WORDS = replace(REQUEST, schema=None)
PLANTED = "PLANTED"
"""Is part of everything that the fake's model writes where it fails, and of pages that are no API's."""


def answered(outcome: ModelOutcome) -> ModelAnswer:
    """The outcome, an answer."""
    assert isinstance(outcome, ModelAnswer), outcome
    return outcome


def failed(outcome: ModelOutcome) -> ModelFailure:
    """The outcome, a failure."""
    assert isinstance(outcome, ModelFailure), outcome
    return outcome


def read(stream: Generator[str, None, ModelOutcome]) -> tuple[list[str], ModelOutcome]:
    """The pieces of a stream, and its outcome."""
    pieces: list[str] = []
    while True:
        try:
            pieces.append(next(stream))
        except StopIteration as end:
            outcome: ModelOutcome = end.value
            return pieces, outcome


def both(model: LanguageModel, server: ModelServer[Any], failure: Failure) -> Iterator[ModelOutcome]:
    """The outcomes of a request and of a stream that fail so."""
    server.fail(failure)
    yield model.ask(REQUEST)
    server.fail(failure)
    yield read(model.stream(REQUEST))[1]


def used(server: ModelServer[Any], number: int = -1) -> tuple[int, ...]:
    """What the fake counted for a call, in the order of `told`."""
    call = server.calls[number]
    tokens = call.tokens
    return tokens.input, tokens.cache_write, tokens.cache_read, tokens.output, call.nanodollars


def told(usage: ModelUsage) -> tuple[int, ...]:
    """What an adapter reports of a call."""
    tokens = usage.input_tokens, usage.cache_write_tokens, usage.cache_read_tokens, usage.output_tokens
    return *tokens, usage.nanodollars


def test_an_answer_is_an_object_with_what_it_cost(server: ModelServer[Any], model: LanguageModel) -> None:
    value = {"table": "Órders of a customer.", "columns": [{"number": 1, "text": "ß"}]}
    server.mind = lambda _: value
    answer = answered(model.ask(REQUEST))
    assert answer.value == value
    assert told(answer.usage) == used(server)
    assert answer.usage.calls == 1
    assert answer.usage.nanodollars == server.nanodollars


def test_without_a_schema_an_answer_is_text(server: ModelServer[Any], model: LanguageModel) -> None:
    server.mind = lambda _: "Órders of a customer."
    answer = answered(model.ask(IN_WORDS))
    assert (answer.text, dict(answer.value)) == ("Órders of a customer.", {})
    assert minds.schema_of(server.calls[0].body) is None


def test_a_stream_has_the_text_and_the_outcome_of_a_request(server: ModelServer[Any], model: LanguageModel) -> None:
    text = "An órder of a customer, with its lines and what each of them costs. " * 3
    server.mind = lambda _: text
    pieces, outcome = read(model.stream(IN_WORDS))
    assert "".join(pieces) == text == answered(outcome).text
    assert told(outcome.usage) == used(server)
    server.mind = minds.follows_the_schema
    _, outcome = read(model.stream(REQUEST))
    assert set(answered(outcome).value) == {"table", "columns"}


def test_no_call_costs_more_than_its_worst_price(server: ModelServer[Any], model: LanguageModel, facts: Any) -> None:
    server.mind = lambda _: "word " * 10_000
    for request in (REQUEST, replace(REQUEST, prefix="p" * 2_000, part="語" * 100), replace(REQUEST, max_tokens=1)):
        outcome = model.ask(request)
        assert outcome.usage.nanodollars == server.calls[-1].nanodollars <= facts.worst_price(request)


def test_the_model_is_shown_the_schema_of_its_answer(server: ModelServer[Any], model: LanguageModel) -> None:
    model.ask(REQUEST)
    assert minds.schema_of(server.calls[0].body) == SCHEMA


def test_the_prompt_begins_with_the_prefix_and_ends_with_the_part(
    server: ModelServer[Any], model: LanguageModel
) -> None:
    answered(model.ask(REQUEST))
    answered(model.ask(replace(REQUEST, part="another table")))
    systems = {minds.system_of(call.body) for call in server.calls}
    assert len(systems) == 1
    assert systems.pop().startswith(REQUEST.prefix)
    assert [call.body["messages"][-1]["content"] for call in server.calls] == [REQUEST.part, "another table"]


def test_what_stands_next_to_an_answer_is_passed_over(
    server: ModelServer[Any], model: LanguageModel, faults: Faults
) -> None:
    for failure in faults.still_an_answer:
        for outcome in both(model, server, failure):
            assert set(answered(outcome).value) == {"table", "columns"}, failure.name
            assert told(outcome.usage) == used(server), failure.name


def test_an_answer_of_unknown_usage_is_used_and_costs_the_most_that_it_can(
    server: ModelServer[Any], model: LanguageModel, faults: Faults, facts: Any
) -> None:
    for failure in faults.usage_is_estimated:
        for outcome in both(model, server, failure):
            assert set(answered(outcome).value) == {"table", "columns"}, failure.name
            assert outcome.usage.estimated_calls == 1
            assert outcome.usage.nanodollars == facts.worst_price(REQUEST) >= server.calls[-1].nanodollars
            assert outcome.usage.input_tokens > 0 < outcome.usage.output_tokens


def test_a_call_that_yields_no_answer_is_booked_as_it_was_used(
    server: ModelServer[Any], model: LanguageModel, faults: Faults
) -> None:
    for failure, kind in faults.usage_is_told:
        for outcome in both(model, server, failure):
            assert (failed(outcome).kind, failed(outcome).unseen) == (kind, False), failure.name
            assert told(outcome.usage) == used(server), failure.name
            assert PLANTED not in failed(outcome).message


def test_a_call_whose_end_no_one_saw_says_so(server: ModelServer[Any], model: LanguageModel, faults: Faults) -> None:
    answered(model.ask(REQUEST))
    for failure in faults.end_not_seen:
        server.fail(failure)
        outcome = failed(model.ask(REQUEST))
        assert (outcome.kind, outcome.unseen, outcome.usage.calls) == ("unavailable", True, 1), failure.name
        assert PLANTED not in outcome.message


def test_another_service_at_an_address_that_never_answered_otherwise_stops(
    server: ModelServer[Any], model: LanguageModel, faults: Faults
) -> None:
    for failure in (faults.html, faults.other_json):
        for outcome in both(model, server, failure):
            assert failed(outcome).kind == "stopped", failure.name
            assert "model.base_url" in failed(outcome).message
            assert PLANTED not in failed(outcome).message


def test_a_call_that_was_turned_away_costs_nothing(
    server: ModelServer[Any], model: LanguageModel, faults: Faults
) -> None:
    for failure, kind in faults.nothing_is_billed:
        for found in both(model, server, failure):
            outcome = failed(found)
            assert (outcome.kind, outcome.unseen, outcome.usage.nanodollars) == (kind, False, 0), failure.name
            assert outcome.usage.calls == 1
            assert PLANTED not in outcome.message
            if kind == "stopped":
                assert outcome.message.partition("; ")[2], "says what to do"


def test_a_provider_that_asks_to_wait_is_quoted(server: ModelServer[Any], model: LanguageModel, faults: Faults) -> None:
    for seconds in (1, 41, 86_400):
        for outcome in both(model, server, faults.limited(seconds)):
            assert (failed(outcome).kind, failed(outcome).retry_after_seconds) == ("throttled", float(seconds))


def test_a_call_ends_at_its_deadline(server: ModelServer[Any], model: LanguageModel, faults: Faults) -> None:
    # The first call also waits for what is loaded once.
    answered(model.ask(REQUEST))
    short = replace(REQUEST, deadline_seconds=0.6)
    for failure in (faults.hang, faults.drip):
        server.fail(failure)
        outcome = failed(model.ask(short))
        assert (outcome.kind, outcome.unseen) == ("timed_out", True)
        assert 600 <= outcome.usage.time_ms < 1_000 * LONGEST_SECONDS


def test_the_model_goes_on_after_a_storm(server: ModelServer[Any], model: LanguageModel, faults: Faults) -> None:
    answered(model.ask(REQUEST))
    server.fail(faults.reset, faults.hang, faults.cut, faults.overloaded)
    impatient = replace(REQUEST, deadline_seconds=0.6)
    kinds = [failed(model.ask(request)).kind for request in (REQUEST, impatient, REQUEST, REQUEST)]
    assert kinds[:3] == ["unavailable", "timed_out", "unavailable"]
    assert kinds[3] in ("overloaded", "unavailable")
    answered(model.ask(REQUEST))


def test_the_reported_usage_is_that_of_the_calls_whose_end_was_seen(
    server: ModelServer[Any], model: LanguageModel, faults: Faults, facts: Any
) -> None:
    answered(model.ask(REQUEST))
    server.script.share = 0.3
    broken = [failure for failure in faults.broken_streams if failure.delivery != "whole"]
    unseen = {failure.name for failure in (*faults.end_not_seen, *broken, faults.hang, faults.drip)}
    with ThreadPoolExecutor(20) as threads:
        outcomes = list(threads.map(model.ask, [replace(REQUEST, deadline_seconds=2.0)] * 200))
    booked = sum(outcome.usage.nanodollars for outcome in outcomes)
    estimated = {failure.name for failure in faults.usage_is_estimated}
    assert booked == sum(
        facts.worst_price(REQUEST) if call.failure in estimated else call.nanodollars
        for call in server.calls[1:]
        if call.failure not in unseen
    )
    assert all(told(outcome.usage)[-1] == 0 for outcome in outcomes if getattr(outcome, "unseen", False))
    assert sum(getattr(outcome, "unseen", False) for outcome in outcomes) == sum(
        call.failure in unseen for call in server.calls
    )
    assert max(outcome.usage.time_ms for outcome in outcomes) < 1_000 * LONGEST_SECONDS


def test_nothing_of_a_call_is_logged(
    server: ModelServer[Any], model: LanguageModel, faults: Faults, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    answered(model.ask(REQUEST))
    for failure in (
        *(failure for failure, _ in (*faults.usage_is_told, *faults.nothing_is_billed)),
        *(*faults.end_not_seen, *faults.broken_streams),
    ):
        for outcome in both(model, server, failure):
            message = getattr(outcome, "message", "")
            for said in (message, caplog.text):
                assert not {word for word in (PLANTED, *server.keys, "shop.ord", "Describe tables") if word in said}


def test_fifty_threads_ask_at_once(server: ModelServer[Any], model: LanguageModel) -> None:
    server.gathered_calls = 6

    def echo(body: Mapping[str, Any]) -> dict[str, Any]:
        return {"table": body["messages"][-1]["content"], "columns": []}

    server.mind = echo
    with ThreadPoolExecutor(50) as threads:
        outcomes = list(threads.map(lambda number: model.ask(replace(REQUEST, part=f"t{number}")), range(50)))
    assert [answered(outcome).value["table"] for outcome in outcomes] == [f"t{number}" for number in range(50)]
    assert server.busiest >= 6


def test_no_one_there_is_distinguished_from_a_call_that_broke(server: ModelServer[Any], model: LanguageModel) -> None:
    answered(model.ask(REQUEST))
    server.stop()
    outcome = failed(model.ask(REQUEST))
    # A connection that was kept open may break before the next one is refused.
    outcome = failed(model.ask(REQUEST)) if outcome.unseen else outcome
    assert (outcome.kind, outcome.unseen, outcome.usage.calls) == ("unavailable", False, 0)
    assert "cannot connect; " in outcome.message


def test_a_request_has_nothing_but_what_the_port_says(server: ModelServer[Any], model: LanguageModel) -> None:
    model.ask(REQUEST)
    sent = json.dumps(server.calls[0].body)
    assert not {"temperature", "seed", "user", "metadata", "$schema"} & {*server.calls[0].body}
    assert "$schema" not in sent


def test_an_answer_that_is_larger_than_its_tokens_can_be_is_cut(server: ModelServer[Any], model: LanguageModel) -> None:
    server.mind, server.ignores_limits = lambda _: "word " * 1_000, True
    outcome = failed(model.ask(replace(IN_WORDS, max_tokens=50)))
    assert (outcome.kind, outcome.unseen, told(outcome.usage)) == ("truncated", False, used(server))
