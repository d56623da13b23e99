"""Whatever a compatible server means is understood, whole and in a stream."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from tests.cases import each_case
from tests.conformance.language_model import IN_WORDS, REQUEST, answered, both, failed, read
from tests.fakes.openai import FakeOpenAI, failures, servers
from tests.waiting import wait_until
from tribal.adapters.openai.model import openai_model
from tribal.models.known_models import model_facts
from tribal.ports import LanguageModel
from tribal_contracts import ModelEntry, ModelPrice

NAME = "gpt-4.1-mini"
PRICE = ModelPrice(input_usd=1, output_usd=2)


@pytest.fixture
def server(open_vendor: Callable[[str], FakeOpenAI]) -> FakeOpenAI:
    found = open_vendor("openai")
    found.keys = {"", "Bearer"}
    return found


def over(server: FakeOpenAI, **more: Any) -> LanguageModel:
    given = {"provider": "openai", "name": "gpt-4.1-mini", "base_url": server.address, **more}
    entry = ModelEntry.model_validate(given)
    return openai_model(entry, model_facts(entry), None)


@pytest.fixture
def model(server: FakeOpenAI) -> LanguageModel:
    return over(server)


@each_case("way", [*servers.ENDS, *servers.COUNTS, *servers.TEXTS], ids=lambda way: way.name)
def test_a_whole_answer_is_used_in_whatever_way_it_is_given(way: Any, server: FakeOpenAI, model: LanguageModel) -> None:
    before = len(server.calls)
    for outcome in both(model, server, way):
        assert set(answered(outcome).value) == {"table", "columns"}
        assert outcome.usage.tokens > 0
    assert len(server.calls) == before + 2


@each_case("way", servers.ENDS, ids=lambda way: way.name)
def test_a_text_that_ends_in_the_middle_of_a_sentence_counts_as_cut(
    way: Any, server: FakeOpenAI, model: LanguageModel
) -> None:
    server.mind = lambda _: "An order of a customer, with its"
    server.fail(way, way)
    assert failed(model.ask(IN_WORDS)).kind == "truncated"
    assert failed(read(model.stream(IN_WORDS))[1]).kind == "truncated"


@each_case("way", servers.COUNTS, ids=lambda way: way.name)
def test_an_answer_of_unknown_usage_is_booked_at_the_most_and_marked(way: Any, server: FakeOpenAI) -> None:
    entry = {"price": PRICE.model_dump()}
    model = over(server, **entry)
    for outcome in both(model, server, way):
        assert outcome.usage.estimated_calls == 1
        assert outcome.usage.nanodollars >= 1_000 * REQUEST.size_bytes


def test_a_stream_shows_no_thoughts(server: FakeOpenAI, model: LanguageModel) -> None:
    server.mind = lambda _: "<think>The user wants\nan order.</think>\n\nAn order of a customer."
    pieces, outcome = read(model.stream(IN_WORDS))
    assert "".join(pieces) == answered(outcome).text == "An order of a customer."
    server.mind = lambda _: "<think>and on and on"
    pieces, outcome = read(model.stream(IN_WORDS))
    assert (pieces, failed(outcome).kind) == ([], "malformed")


@each_case(("way", "kind"), [(servers.LIMITED_IN_200, "throttled"), (servers.BUSY_IN_200, "unavailable")])
def test_an_error_with_status_200_is_the_error_that_it_names(
    way: Any, kind: str, server: FakeOpenAI, model: LanguageModel
) -> None:
    for outcome in both(model, server, way):
        assert failed(outcome).kind == kind
        code, text = ("429", "Rate limit exceeded") if kind == "throttled" else ("503", "Provider returned error")
        assert code in failed(outcome).message
        assert text in failed(outcome).message


@each_case(
    ("error", "kind"),
    [
        ({"message": "This model's maximum context length is 512 tokens", "type": "x"}, "too_long"),
        ({"message": "prompt is too long", "type": "invalid_request_error"}, "too_long"),
        ({"message": "no", "type": "rate_limit_error"}, "throttled"),
        ({"message": "no", "type": "authentication_error"}, "stopped"),
        ({"message": "no", "code": "429"}, "throttled"),
        ("it broke", "unavailable"),
    ],
)
def test_an_error_without_a_status_means_what_its_type_or_text_says(
    error: Any, kind: str, server: FakeOpenAI, model: LanguageModel
) -> None:
    way = replace(servers.NO_CHOICES, change=lambda _: {"error": error}, change_stream=lambda _: [{"error": error}])
    for outcome in both(model, server, way):
        assert failed(outcome).kind == kind


@each_case("error", [{}, "", False, None])
def test_an_empty_error_next_to_an_answer_is_none(error: Any, server: FakeOpenAI, model: LanguageModel) -> None:
    server.fail(replace(servers.ENDS[0], change=lambda answer: {**answer, "error": error}))
    answered(model.ask(REQUEST))


def test_a_whole_answer_instead_of_a_stream_is_used_whatever_its_type(server: FakeOpenAI, model: LanguageModel) -> None:
    good = {"choices": [{"message": {"content": '{"table": "x", "columns": []}'}, "finish_reason": "stop"}]}
    for kind in ("application/json", "text/plain", "text/event-stream"):
        server.fail(replace(failures.OTHER_JSON, body=json.dumps(good).encode(), content_type=kind))
        pieces, outcome = read(model.stream(REQUEST))
        assert answered(outcome).value == {"table": "x", "columns": []}, kind
        assert "".join(pieces) == '{"table": "x", "columns": []}'


def test_what_cannot_be_decompressed_is_a_failure(server: FakeOpenAI, model: LanguageModel) -> None:
    garbage = replace(failures.OTHER_JSON, body=b"no gzip", headers=(("content-encoding", "gzip"),), status=200)
    for outcome in both(model, server, garbage):
        assert (failed(outcome).kind, failed(outcome).unseen) == ("unavailable", True)


def test_an_answer_without_choices_may_come_later(server: FakeOpenAI, model: LanguageModel) -> None:
    for outcome in both(model, server, servers.NO_CHOICES):
        assert (failed(outcome).kind, failed(outcome).unseen) == ("unavailable", True)


def test_the_other_name_of_the_limit_is_tried_once_and_remembered(server: FakeOpenAI, model: LanguageModel) -> None:
    server.fail(servers.OTHER_LIMIT)
    answered(model.ask(REQUEST))
    answered(model.ask(REQUEST))
    names = [{"max_tokens", "max_completion_tokens"} & call.body.keys() for call in server.calls]
    assert names == [{"max_tokens"}, {"max_completion_tokens"}, {"max_completion_tokens"}]


def test_calls_at_once_agree_on_the_name_of_the_limit(server: FakeOpenAI, model: LanguageModel) -> None:
    server.fail(*[servers.OTHER_LIMIT] * 5)
    server.gathered_calls = 5
    with ThreadPoolExecutor(5) as threads:
        outcomes = list(threads.map(model.ask, [REQUEST] * 5))
    assert [answered(outcome) for outcome in outcomes]
    assert Counter("max_completion_tokens" in call.body for call in server.calls) == {False: 5, True: 5}


def test_a_server_that_refuses_one_thing_after_the_other_is_asked_without_both(
    server: FakeOpenAI, model: LanguageModel
) -> None:
    server.fail(servers.OTHER_LIMIT, servers.NO_STREAM_OPTIONS)
    answered(read(model.stream(REQUEST))[1])
    assert len(server.calls) == 3
    assert {"max_completion_tokens", "stream"} <= server.calls[-1].body.keys()
    assert not {"max_tokens", "stream_options"} & server.calls[-1].body.keys()


def test_a_server_that_wants_both_names_in_turn_is_not_asked_for_ever(server: FakeOpenAI, model: LanguageModel) -> None:
    server.script.share, server.script.among = 1.0, (servers.OTHER_LIMIT,)
    assert failed(model.ask(REQUEST)).kind == "rejected"
    assert len(server.calls) <= 3


def test_a_setting_names_the_limit(server: FakeOpenAI) -> None:
    answered(over(server, token_limit_key="max_completion_tokens").ask(REQUEST))
    assert "max_completion_tokens" in server.calls[0].body


def test_a_redirect_is_not_followed_and_stops(server: FakeOpenAI, model: LanguageModel) -> None:
    server.fail(servers.ELSEWHERE)
    outcome = failed(model.ask(REQUEST))
    assert (outcome.kind, outcome.unseen, len(server.calls)) == ("stopped", False, 1)
    assert "redirect" in outcome.message
    assert "model.base_url" in outcome.message


def test_a_server_that_loads_its_model_is_waited_for(server: FakeOpenAI, model: LanguageModel) -> None:
    server.fail(servers.LOADING, servers.LOADING)
    answered(model.ask(REQUEST))
    assert len(server.calls) == 3


def test_a_server_that_was_loading_is_looked_up_again(server: FakeOpenAI, model: LanguageModel) -> None:
    server.refused_paths["/v1/models"] = servers.LOADING
    answered(model.ask(REQUEST))
    del server.refused_paths["/v1/models"]
    server.own_answers["/v1/models"] = servers.listed_by("vllm", NAME, max_model_len=512)
    assert failed(model.ask(REQUEST)).kind == "too_long"


def test_another_model_than_before_stops(server: FakeOpenAI, model: LanguageModel) -> None:
    answered(model.ask(REQUEST))
    server.fail(replace(servers.ENDS[0], change=lambda answer: {**answer, "model": "another"}))
    outcome = failed(model.ask(REQUEST))
    assert outcome.kind == "stopped"
    assert "'another', after 'gpt-4.1-mini'" in outcome.message
    secret = "Bearer sk-0123456789abcdef0123456789 " + "word " * 10_000
    server.fail(replace(servers.ENDS[0], change=lambda answer: {**answer, "model": secret}))
    outcome = failed(model.ask(REQUEST))
    assert "sk-0123" not in outcome.message
    assert len(outcome.message) < 1_000


def test_a_model_that_repeats_a_phrase_without_end_is_left(server: FakeOpenAI, model: LanguageModel) -> None:
    server.mind = lambda _: "The order of the order is " * 2_000
    server.pace_seconds = 0.001
    request = replace(REQUEST, max_tokens=20_000, idle_seconds=5.0)
    outcome = failed(model.ask(request))
    assert outcome.kind == "malformed"
    assert "repeats" in outcome.message
    wait_until(lambda: server.departures)
    assert server.departures[0].sent < server.departures[0].events


@each_case("owner", ["llamacpp", "vllm", "sglang"])
def test_a_server_that_is_recognised_gets_the_schema_and_is_asked_no_more_than_it_can_read(
    owner: str, server: FakeOpenAI
) -> None:
    model, before = over(server), len(server.calls)
    server.own_answers["/v1/models"] = servers.listed_by(owner, NAME, max_model_len=2_048, meta={"n_ctx": 2_048})
    answered(model.ask(REQUEST))
    assert "response_format" in server.calls[-1].body
    outcome = failed(model.ask(replace(REQUEST, prefix="Describe tables. " * 600)))
    assert (outcome.kind, len(server.calls)) == ("too_long", before + 1)
    assert "2,048" in outcome.message


@each_case(
    ("owner", "path", "says"),
    [
        ("llamacpp", "/props", {"default_generation_settings": {"n_ctx": 2_048}, "total_slots": 4}),
        ("organization_owner", "/api/v0/models", {"data": [{"id": "gpt-4.1-mini", "loaded_context_length": 2_048}]}),
    ],
)
def test_a_servers_own_api_says_how_much_one_call_can_have(
    owner: str, path: str, says: Any, server: FakeOpenAI
) -> None:
    model, before = over(server), len(server.calls)
    server.own_answers["/v1/models"] = servers.listed_by(owner, NAME, meta={"n_ctx": 8_192}, max_context_length=131_072)
    server.own_answers[path] = json.dumps(says).encode()
    outcome = failed(model.ask(replace(REQUEST, prefix="Describe tables. " * 600)))
    assert (outcome.kind, len(server.calls)) == ("too_long", before)
    answered(model.ask(REQUEST))
    assert "response_format" in server.calls[-1].body


@each_case("body", [b"[]", b"{}", b"no JSON", b'{"data": 7}', b'{"data": [7, {"id": 1, "meta": 3, "owned_by": []}]}'])
def test_a_list_of_models_that_says_nothing_is_passed_over(body: bytes, server: FakeOpenAI) -> None:
    server.own_answers["/v1/models"] = body
    answered(over(server).ask(REQUEST))


def test_an_unknown_server_gets_the_schema_in_words_unless_a_trial_or_a_setting_says_otherwise(
    server: FakeOpenAI,
) -> None:
    answered(over(server).ask(REQUEST))
    answered(over(server, binds_answers=True).ask(REQUEST))
    entry = ModelEntry.model_validate({"provider": "openai", "name": "gpt-4.1-mini", "base_url": server.address})
    answered(openai_model(entry, model_facts(entry), None, binds_answers=True).ask(REQUEST))
    assert ["response_format" in call.body for call in server.calls] == [False, True, True]


def test_a_server_that_refuses_schemas_gets_them_in_words(server: FakeOpenAI) -> None:
    entry = ModelEntry.model_validate({"provider": "openai", "name": "gpt-4.1-mini", "base_url": server.address})
    model = openai_model(entry, model_facts(entry), None, binds_answers=True)
    server.fail(replace(failures.INVALID_REQUEST, message="This model does not support response format `json_schema`."))
    answered(model.ask(REQUEST))
    answered(model.ask(REQUEST))
    assert ["response_format" in call.body for call in server.calls] == [True, False, False]


def test_the_context_that_the_settings_name_counts_where_the_server_names_none(server: FakeOpenAI) -> None:
    outcome = failed(over(server, context_tokens=512).ask(REQUEST))
    assert (outcome.kind, server.calls) == ("too_long", [])
