"""What is true of every `LanguageModel` over the Messages API, next to `language_model`."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.conformance.language_model import IN_WORDS, PLANTED, REQUEST, answered, both, failed, read, told, used
from tests.conformance.language_model_faults import CLAUDE, Faults
from tests.fakes.claude import FakeClaude, failures
from tests.fakes.model_servers.counting import count
from tests.fakes.model_servers.server import ModelServer
from tribal.models.known_models import KNOWN_MODELS
from tribal.ports import LanguageModel, ModelFacts


@pytest.fixture
def server(claude: FakeClaude) -> ModelServer[Any]:
    return claude


@pytest.fixture
def faults() -> Faults:
    return CLAUDE


@pytest.fixture
def facts(model: LanguageModel) -> ModelFacts:
    return replace(KNOWN_MODELS[0], name=model.name)


def test_a_request_is_one_turn_behind_a_system_prompt(claude: FakeClaude, model: LanguageModel) -> None:
    model.ask(REQUEST)
    body = claude.calls[0].body
    assert body["model"] == model.name.partition("/")[2]
    assert body["max_tokens"] == 500
    assert body["thinking"] == {"type": "disabled"}
    assert body["system"][0]["text"] == REQUEST.prefix
    assert body["messages"] == [{"role": "user", "content": REQUEST.part}]
    assert set(body) <= {"model", "max_tokens", "thinking", "system", "messages", "output_config"}


def test_what_all_requests_share_is_marked_for_the_cache(claude: FakeClaude, model: LanguageModel) -> None:
    model.ask(REQUEST)
    *others, last = claude.calls[0].body["system"]
    assert last["cache_control"] == {"type": "ephemeral"}
    assert all("cache_control" not in block for block in others)


def test_a_prefix_is_paid_in_full_once(claude: FakeClaude, model: LanguageModel) -> None:
    first = answered(model.ask(REQUEST)).usage
    second = answered(model.ask(replace(REQUEST, part="another table"))).usage
    assert first.cache_write_tokens == second.cache_read_tokens > 512
    assert first.cache_read_tokens == second.cache_write_tokens == 0
    assert [told(first), told(second)] == [used(claude, 0), used(claude, 1)]
    # All but the part is in the cache, and the same bytes.
    assert second.input_tokens == count(json.dumps(claude.calls[1].body["messages"]))


def test_an_error_in_a_stream_is_the_failure_that_it_names(claude: FakeClaude, model: LanguageModel) -> None:
    answered(model.ask(REQUEST))
    for type_, kinds in (
        # bedrock-runtime has no name of its own for an overload.
        ("overloaded_error", ("overloaded", "unavailable")),
        ("rate_limit_error", ("throttled",)),
        ("invalid_request_error", ("rejected",)),
        ("timeout_error", ("unavailable",)),
        ("api_error", ("unavailable",)),
    ):
        claude.fail(failures.error_in_stream(type_))
        _, outcome = read(model.stream(IN_WORDS))
        assert failed(outcome).kind in kinds, type_
        assert failed(outcome).unseen, "the model has begun to answer"
        assert "too many of them" in failed(outcome).message
        assert PLANTED not in failed(outcome).message


def test_an_error_in_place_of_a_stream_costs_nothing_if_the_request_was_turned_away(
    claude: FakeClaude, model: LanguageModel
) -> None:
    answered(model.ask(REQUEST))
    for type_, unseen in (("rate_limit_error", False), ("invalid_request_error", False), ("api_error", True)):
        claude.fail(failures.error_in_stream(type_, alone=True))
        _, outcome = read(model.stream(IN_WORDS))
        assert failed(outcome).unseen is unseen, type_


def test_an_error_with_status_200_is_the_failure_that_it_names(claude: FakeClaude, model: LanguageModel) -> None:
    for outcome in both(model, claude, failures.ERROR_WITH_200):
        assert failed(outcome).kind == "overloaded"
        assert "too many of them" in failed(outcome).message
