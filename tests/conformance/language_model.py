"""What is true of every `LanguageModel`.

A module that is held to it supplies the fixture `model`, which asks the fixture `claude`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from tests.fakes.claude import FakeClaude, failures
from tests.fakes.model_servers import minds
from tests.fakes.model_servers.counting import count
from tests.fakes.model_servers.script import Failure
from tribal.models.known_models import KNOWN_MODELS
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
REQUEST = ModelRequest("Describe tables. " * 150, '{"table": "shop.ordér"}', SCHEMA, 500, 20.0)
PLANTED = "PLANTED"
"""Is part of everything that the fake's model and server write where they fail."""

USAGE_IS_TOLD: Sequence[tuple[Failure, str]] = (
    (failures.REFUSAL, "refused"),
    (failures.REFUSAL_WITH_TEXT, "refused"),
    (failures.MAX_TOKENS, "truncated"),
    (failures.CONTEXT_EXCEEDED, "too_long"),
    (failures.UNKNOWN_STOP_REASON, "malformed"),
    (failures.CUT_ANSWER, "malformed"),
    (failures.WRONG_SHAPE, "malformed"),
    (failures.NO_TEXT, "malformed"),
)
STILL_AN_ANSWER = (failures.THINKING_FIRST, failures.UNKNOWN_BLOCK)
NOBODY_SAW_THE_END: Sequence[Failure] = (
    failures.HTML,
    failures.OTHER_JSON,
    failures.NO_USAGE,
    failures.CUT_JSON_BODY,
    failures.GATEWAY,
    failures.TIMED_OUT,
    failures.RESET,
    failures.CUT,
)
NOTHING_IS_BILLED: Sequence[tuple[Failure, str]] = (
    (failures.PROMPT_TOO_LONG, "too_long"),
    (failures.INVALID_REQUEST, "rejected"),
    (failures.KEY_REFUSED, "stopped"),
    (failures.NO_CREDIT, "stopped"),
    (failures.FORBIDDEN, "stopped"),
    (failures.NO_SUCH_MODEL, "stopped"),
    (failures.RATE_LIMITED, "throttled"),
    (failures.BROKEN, "unavailable"),
    (failures.REDIRECT, "unavailable"),
)


def by_name(value: object) -> str | None:
    """A failure's name, for the name of a test."""
    return value.name if isinstance(value, Failure) else None


def answered(outcome: ModelOutcome) -> ModelAnswer:
    """The outcome, an answer."""
    assert isinstance(outcome, ModelAnswer), outcome
    return outcome


def failed(outcome: ModelOutcome) -> ModelFailure:
    """The outcome, a failure."""
    assert isinstance(outcome, ModelFailure), outcome
    return outcome


def used(claude: FakeClaude, number: int = -1) -> tuple[int, ...]:
    """What the fake counted for a call, in the order of `told`."""
    call = claude.calls[number]
    tokens = call.tokens
    return tokens.input, tokens.cache_write, tokens.cache_read, tokens.output, call.nanodollars


def told(usage: ModelUsage) -> tuple[int, ...]:
    """What an adapter reports of a call."""
    tokens = usage.input_tokens, usage.cache_write_tokens, usage.cache_read_tokens, usage.output_tokens
    return *tokens, usage.nanodollars


def test_an_answer_is_an_object_with_what_it_cost(claude: FakeClaude, model: LanguageModel) -> None:
    value = {"table": "Órders of a customer.", "columns": [{"number": 1, "text": "ß"}]}
    claude.mind = lambda _: value
    answer = answered(model.ask(REQUEST))
    assert answer.value == value
    assert told(answer.usage) == used(claude)
    assert answer.usage.calls == 1
    assert answer.usage.nanodollars > 0


def test_no_call_costs_more_than_its_worst_price(claude: FakeClaude, model: LanguageModel) -> None:
    claude.mind = lambda _: "word " * 10_000
    facts = replace(KNOWN_MODELS[0], name=model.name)
    for request in (REQUEST, replace(REQUEST, prefix="p" * 2_000, part="語" * 100), replace(REQUEST, max_tokens=1)):
        outcome = model.ask(request)
        assert 0 < outcome.usage.nanodollars == claude.calls[-1].nanodollars <= facts.worst_price(request)


def test_a_request_shows_the_prefix_first_and_the_part_last(claude: FakeClaude, model: LanguageModel) -> None:
    model.ask(REQUEST)
    body = claude.calls[0].body
    assert body["model"] == model.name.partition("/")[2]
    assert body["max_tokens"] == 500
    assert body["thinking"] == {"type": "disabled"}
    assert body["system"][0]["text"] == REQUEST.prefix
    assert body["messages"] == [{"role": "user", "content": REQUEST.part}]
    assert set(body) <= {"model", "max_tokens", "thinking", "system", "messages", "output_config"}


def test_the_model_is_shown_the_schema_of_its_answer(claude: FakeClaude, model: LanguageModel) -> None:
    model.ask(REQUEST)
    assert minds.schema_of(claude.calls[0].body) == SCHEMA


def test_a_prefix_is_paid_in_full_once(claude: FakeClaude, model: LanguageModel) -> None:
    first = answered(model.ask(REQUEST)).usage
    second = answered(model.ask(replace(REQUEST, part="another table"))).usage
    assert first.cache_write_tokens == second.cache_read_tokens > 512
    assert first.cache_read_tokens == second.cache_write_tokens == 0
    assert [told(first), told(second)] == [used(claude, 0), used(claude, 1)]
    # All but the part is in the cache, and the same bytes.
    assert second.input_tokens == count(json.dumps(claude.calls[1].body["messages"]))
    assert len({json.dumps(call.body["system"]) for call in claude.calls}) == 1


@pytest.mark.parametrize("failure", STILL_AN_ANSWER, ids=by_name)
def test_what_stands_next_to_an_answer_is_passed_over(
    claude: FakeClaude, model: LanguageModel, failure: Failure
) -> None:
    claude.fail(failure)
    answer = answered(model.ask(REQUEST))
    assert set(answer.value) == {"table", "columns"}
    assert told(answer.usage) == used(claude)


@pytest.mark.parametrize(("failure", "kind"), USAGE_IS_TOLD, ids=by_name)
def test_a_call_that_yields_no_answer_is_booked_as_it_was_used(
    claude: FakeClaude, model: LanguageModel, failure: Failure, kind: str
) -> None:
    claude.fail(failure)
    outcome = failed(model.ask(REQUEST))
    assert (outcome.kind, outcome.unseen) == (kind, False)
    assert told(outcome.usage) == used(claude)
    assert outcome.usage.nanodollars > 0
    assert PLANTED not in outcome.message


@pytest.mark.parametrize("failure", NOBODY_SAW_THE_END, ids=by_name)
def test_a_call_whose_end_no_one_saw_says_so(claude: FakeClaude, model: LanguageModel, failure: Failure) -> None:
    answered(model.ask(REQUEST))
    claude.fail(failure)
    outcome = failed(model.ask(REQUEST))
    assert (outcome.kind, outcome.unseen, outcome.usage.calls) == ("unavailable", True, 1)
    assert PLANTED not in outcome.message


def test_a_web_page_at_an_address_that_never_answered_otherwise_stops(claude: FakeClaude, model: LanguageModel) -> None:
    claude.fail(failures.HTML)
    outcome = failed(model.ask(REQUEST))
    assert outcome.kind == "stopped"
    assert "model.base_url" in outcome.message
    assert PLANTED not in outcome.message


@pytest.mark.parametrize(("failure", "kind"), NOTHING_IS_BILLED, ids=by_name)
def test_a_call_that_was_turned_away_costs_nothing(
    claude: FakeClaude, model: LanguageModel, failure: Failure, kind: str
) -> None:
    claude.fail(failure)
    outcome = failed(model.ask(REQUEST))
    assert (outcome.kind, outcome.unseen, outcome.usage.nanodollars) == (kind, False, 0)
    assert outcome.usage.calls == len(claude.calls) == 1
    assert PLANTED not in outcome.message
    if kind == "stopped":
        _, _, hint = outcome.message.partition("; ")
        assert hint


@pytest.mark.parametrize("seconds", [1, 86_400])
def test_a_provider_that_asks_to_wait_is_quoted(claude: FakeClaude, model: LanguageModel, seconds: int) -> None:
    claude.fail(failures.limited(seconds))
    outcome = failed(model.ask(REQUEST))
    assert (outcome.kind, outcome.retry_after_seconds) == ("throttled", float(seconds))


@pytest.mark.parametrize("failure", [failures.HANG, failures.DRIP], ids=by_name)
def test_a_call_ends_at_its_deadline(claude: FakeClaude, model: LanguageModel, failure: Failure) -> None:
    # The first call also waits for what is loaded once.
    answered(model.ask(REQUEST))
    claude.fail(failure)
    outcome = failed(model.ask(replace(REQUEST, deadline_seconds=0.6)))
    assert (outcome.kind, outcome.unseen) == ("timed_out", True)
    # Half a second past its deadline is the most that a call may take.
    assert 600 <= outcome.usage.time_ms <= 1100


def test_the_model_goes_on_after_a_storm(claude: FakeClaude, model: LanguageModel) -> None:
    claude.fail(failures.RESET, failures.HANG, failures.CUT, failures.OVERLOADED)
    kinds = [failed(model.ask(replace(REQUEST, deadline_seconds=0.6))).kind for _ in range(4)]
    assert kinds[:3] == ["unavailable", "timed_out", "unavailable"]
    assert kinds[3] in ("overloaded", "unavailable")
    answered(model.ask(REQUEST))


def test_the_reported_usage_is_that_of_the_calls_whose_end_was_seen(claude: FakeClaude, model: LanguageModel) -> None:
    answered(model.ask(REQUEST))
    claude.script.share = 0.3
    unseen = {failure.name for failure in (*NOBODY_SAW_THE_END, failures.HANG, failures.DRIP)}
    with ThreadPoolExecutor(20) as threads:
        outcomes = list(threads.map(model.ask, [replace(REQUEST, deadline_seconds=2.0)] * 200))
    booked = sum(outcome.usage.nanodollars for outcome in outcomes)
    assert booked == sum(call.nanodollars for call in claude.calls[1:] if call.failure not in unseen)
    assert all(told(outcome.usage)[-1] == 0 for outcome in outcomes if getattr(outcome, "unseen", False))
    assert sum(getattr(outcome, "unseen", False) for outcome in outcomes) == sum(
        call.failure in unseen for call in claude.calls
    )
    # Half a second past its deadline is the most that a call may take.
    assert max(outcome.usage.time_ms for outcome in outcomes) <= 2_500


def test_fifty_threads_ask_at_once(claude: FakeClaude, model: LanguageModel) -> None:
    claude.latency_seconds = 0.5

    def echo(body: Any) -> dict[str, Any]:
        return {"table": body["messages"][0]["content"], "columns": []}

    claude.mind = echo
    with ThreadPoolExecutor(50) as threads:
        outcomes = list(threads.map(lambda number: model.ask(replace(REQUEST, part=f"t{number}")), range(50)))
    assert [answered(outcome).value["table"] for outcome in outcomes] == [f"t{number}" for number in range(50)]
    assert claude.busiest > 5


def test_no_one_there_is_distinguished_from_a_call_that_broke(claude: FakeClaude, model: LanguageModel) -> None:
    claude.stop()
    outcome = failed(model.ask(REQUEST))
    assert (outcome.kind, outcome.unseen, outcome.usage.calls) == ("unavailable", False, 0)
    assert "model.base_url" in outcome.message
