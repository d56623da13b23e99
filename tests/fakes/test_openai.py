"""The stand-ins for vendors of OpenAI's protocol refuse what each refuses, and answer within the SDK's types."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import httpx2
import openai
import pytest
from openai import AsyncOpenAI
from openai.types.chat import ChatCompletionChunk

from tests.cases import each_case
from tests.fakes.model_servers import minds
from tests.fakes.model_servers.script import Failure
from tests.fakes.model_servers.server import Departure
from tests.fakes.openai import KEY, FakeOpenAI, failures
from tests.fakes.openai.ollama import cut_body, kept_tokens
from tests.fakes.openai.requests import BOUND, SCHEMA, ask, body, client, post, stream
from tests.fakes.openai.vendor import MODELS, VendorName
from tests.waiting import wait_until

OpenVendor = Callable[[VendorName], FakeOpenAI]
VENDORS: tuple[VendorName, ...] = get_args(VendorName)
ALL_FAILURES = [value for value in vars(failures).values() if isinstance(value, Failure)]


@pytest.mark.representative
@pytest.mark.parametrize("vendor", VENDORS)
def test_the_sdk_reads_whole_answers_and_streams(open_vendor: OpenVendor, vendor: VendorName) -> None:
    server = open_vendor(vendor)
    completion = ask(server)
    assert completion.choices[0].finish_reason == "stop"
    assert set(json.loads(completion.choices[0].message.content or "")) == {"text", "more"}
    chunks = list(stream(server))
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert text == completion.choices[0].message.content
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"
    whole, last = completion.usage, chunks[-1].usage
    assert whole is not None
    assert last == whole
    tokens = server.calls[0].tokens
    assert (whole.prompt_tokens, whole.completion_tokens) == (tokens.prompt, tokens.output)
    assert (server.nanodollars > 0) == (vendor != "ollama")
    wait_until(lambda: server.under_way == 0)


def test_groq_reports_the_usage_of_a_stream_in_a_member_of_its_own(open_vendor: OpenVendor) -> None:
    chunks = list(stream(open_vendor("groq"), stream_options=None))
    assert all(chunk.usage is None and chunk.choices for chunk in chunks)
    assert (chunks[-1].model_extra or {})["x_groq"]["usage"]["completion_tokens"] > 0


def test_gemini_reports_usage_in_every_event_of_a_stream(open_vendor: OpenVendor) -> None:
    chunks = list(stream(open_vendor("gemini")))
    assert all(chunk.usage is not None and chunk.choices for chunk in chunks)


def test_a_text_is_answered_where_no_schema_is_asked_for(open_vendor: OpenVendor) -> None:
    messages = [{"role": "system", "content": "Be short."}, {"role": "user", "content": "What is it?"}]
    assert not (ask(open_vendor("openai"), messages=messages).choices[0].message.content or "{").startswith("{")


OPEN = {**BOUND, "json_schema": {**BOUND["json_schema"], "schema": {**SCHEMA, "additionalProperties": True}}}
OPTIONAL = {**BOUND, "json_schema": {**BOUND["json_schema"], "schema": {**SCHEMA, "required": ["text"]}}}
DRAFT = {**BOUND, "json_schema": {**BOUND["json_schema"], "schema": {**SCHEMA, "$schema": "x"}}}
REFUSED: dict[str, tuple[VendorName, dict[str, Any], str]] = {
    "max_tokens": ("openai", {"max_tokens": 5}, "Use 'max_completion_tokens' instead"),
    "temperature": ("openai", {"temperature": 0.0}, "'temperature' does not support 0.0"),
    "an effort that the model lacks": ("openai", {"reasoning_effort": "minimal"}, "Supported values are"),
    "effort of a model without reasoning": (
        "openai",
        {"model": "gpt-4.1-mini", "reasoning_effort": "low"},
        "Unrecognized request argument supplied: reasoning_effort",
    ),
    "stream options without a stream": ("openai", {"stream_options": {"include_usage": True}}, "only allowed when"),
    "an open object": ("openai", {"response_format": OPEN}, "'additionalProperties' is required"),
    "an optional property": ("openai", {"response_format": OPTIONAL}, "Missing 'more'"),
    "a prompt beyond the context": (
        "groq",
        {"messages": [{"role": "user", "content": "word " * 100_000}]},
        "maximum context length",
    ),
    "a schema's draft at Gemini": ("gemini", {"response_format": DRAFT}, r"Unknown name \"$schema\""),
    "a member that Gemini lacks": ("gemini", {"store": False}, r"Unknown name \"store\""),
    "thinking that Gemini cannot turn off": ("gemini", {"reasoning_effort": "none"}, "Supported values are"),
    "a schema where Groq's model binds none": (
        "groq",
        {"model": "llama-3.1-8b-instant", "response_format": BOUND},
        "does not support response format",
    ),
    "no messages": ("ollama", {"messages": []}, "is too short"),
    "an effort that Ollama lacks": ("ollama", {"reasoning_effort": "PLANTED"}, "invalid reasoning value"),
}


@pytest.mark.parametrize(("vendor", "changes", "message"), REFUSED.values(), ids=list(REFUSED))
def test_what_a_vendor_refuses_is_refused(
    open_vendor: OpenVendor, vendor: VendorName, changes: dict[str, Any], message: str
) -> None:
    server = open_vendor(vendor)
    answer = post(server, body(vendor, **changes))
    assert (answer.status_code, server.nanodollars) == (400, 0)
    assert message in answer.text
    assert isinstance(answer.json(), list) == (vendor == "gemini")
    server.violations.clear()


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_member_that_the_types_of_the_sdk_lack_is_recorded_and_ollama_ignores_it(
    open_vendor: OpenVendor, vendor: VendorName
) -> None:
    server = open_vendor(vendor)
    answer = post(server, body(vendor, num_ctx=8_192))
    assert answer.status_code == (200 if vendor == "ollama" else 400)
    assert ("num_ctx" in answer.text) == (vendor != "ollama")
    assert server.violations == ["request.num_ctx: no such field"]
    server.violations.clear()


def test_an_answer_that_the_types_of_the_sdk_lack_is_recorded(open_vendor: OpenVendor) -> None:
    server = open_vendor("openai")
    server.fail(Failure("made up", "nothing", change=lambda completion: {**completion, "mood": "good"}))
    ask(server)
    assert server.violations == ["completion.mood: no such field"]
    server.violations.clear()


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_key_is_asked_for_except_by_ollama(open_vendor: OpenVendor, vendor: VendorName) -> None:
    server = open_vendor(vendor)
    answer = post(server, body(vendor), key="another")
    assert answer.status_code == {"gemini": 400, "ollama": 200}.get(vendor, 401)


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_model_that_is_not_there_is_not_found(open_vendor: OpenVendor, vendor: VendorName) -> None:
    server = open_vendor(vendor)
    # The SDK finds no message in Gemini's list of errors.
    with pytest.raises(openai.NotFoundError, match="404" if vendor == "gemini" else "none"):
        ask(server, model="none")
    assert "none" in post(server, body(vendor, model="none")).text


def test_the_list_of_models_has_all_of_them(open_vendor: OpenVendor) -> None:
    for vendor in VENDORS:
        with client(open_vendor(vendor)) as sdk:
            assert len(sdk.models.list().data) == len(MODELS[vendor])


def test_the_second_prompt_reads_what_the_first_wrote_into_the_cache(open_vendor: OpenVendor) -> None:
    server = open_vendor("openai")
    messages = [{"role": "system", "content": "word " * 1_000}, {"role": "user", "content": "It?"}]
    details = [ask(server, messages=messages).usage for _ in range(2)]
    first, second = [each.prompt_tokens_details for each in details if each is not None]
    assert first is not None
    assert second is not None
    assert (first.cache_write_tokens or 0) > 1_024
    assert second.cached_tokens == first.cache_write_tokens
    assert server.calls[0].nanodollars > server.calls[1].nanodollars


def test_reasoning_is_billed_unless_it_is_turned_off(open_vendor: OpenVendor) -> None:
    server = open_vendor("openai")
    ask(server)
    ask(server, reasoning_effort="none")
    assert server.calls[0].tokens.output == server.calls[1].tokens.output + server.calls[0].tokens.reasoning


def test_an_answer_ends_at_its_most_tokens(open_vendor: OpenVendor) -> None:
    completion = ask(open_vendor("ollama"), max_tokens=45)
    assert completion.choices[0].finish_reason == "length"
    assert completion.usage is not None
    assert completion.usage.completion_tokens == 45


def test_ollama_cuts_the_beginning_of_a_prompt_and_counts_what_is_left(open_vendor: OpenVendor) -> None:
    server = open_vendor("ollama")
    seen: list[str] = []
    server.mind = lambda body: seen.append(minds.prompt_of(body)) or "It is cut."  # type: ignore[func-returns-value]
    messages = [{"role": "system", "content": "rule " * 4_000}, {"role": "user", "content": "part " * 1_000}]
    usage = ask(server, messages=messages).usage
    assert usage is not None
    assert usage.prompt_tokens < 2_100
    assert "rule" in seen[0]
    assert len(seen[0]) < 6_300
    server.num_ctx["qwen3:14b"] = 32_768
    usage = ask(server, messages=messages).usage
    assert usage is not None
    assert usage.prompt_tokens > 8_000


def test_a_prompt_that_fits_is_not_cut() -> None:
    sent = body("ollama")
    assert cut_body(sent, 4_096) == sent
    assert kept_tokens(4_096) == 2_050


def test_ollama_says_what_it_has_loaded_and_how_long_its_context_is(open_vendor: OpenVendor) -> None:
    server = open_vendor("ollama")
    assert httpx2.get(f"{server.origin}/api/version").json()["version"]
    assert httpx2.get(f"{server.origin}/api/ps").json() == {"models": []}
    shown = httpx2.post(f"{server.origin}/api/show", json={"model": "qwen3:14b"}).json()
    assert (shown["model_info"]["qwen3.context_length"], shown["parameters"]) == (40_960, "")
    assert httpx2.post(f"{server.origin}/api/show", json={"model": "none"}).status_code == 404
    server.num_ctx["qwen3:14b"] = 8_192
    assert httpx2.post(f"{server.origin}/api/generate", json={"model": "qwen3:14b"}).json()["done_reason"] == "load"
    assert httpx2.get(f"{server.origin}/api/ps").json()["models"][0]["context_length"] == 8_192


@each_case("failure", ALL_FAILURES, ids=lambda failure: failure.name)
def test_every_failure_says_where_it_stands_or_that_it_is_no_vendors(failure: Failure) -> None:
    module = failure.cites.partition(":")[0]
    if failure.cites.startswith("none: "):
        assert not failure.vendors or failure.delivery != "whole"
    elif module.startswith("openai/"):
        assert (Path(openai.__file__).parents[1] / module).is_file()
    else:
        assert failure.cites.startswith(("https://", "ollama/ollama "))


ERRORS = [failure for failure in ALL_FAILURES if failure.status >= 400]


@pytest.mark.parametrize("vendor", VENDORS)
def test_every_error_arrives_with_its_status_in_the_shape_of_its_vendor(
    open_vendor: OpenVendor, vendor: VendorName
) -> None:
    server = open_vendor(vendor)
    server.fail(*ERRORS)
    for failure in ERRORS:
        answer = post(server, body(vendor))
        assert answer.status_code == failure.status
        if failure.body is None:
            error = (answer.json()[0] if vendor == "gemini" else answer.json())["error"]
            assert error["message"] == failure.message
    assert [call.failure for call in server.calls] == [failure.name for failure in ERRORS]


def test_gemini_asks_to_wait_in_the_body_and_others_in_a_header(open_vendor: OpenVendor) -> None:
    answers = {}
    for vendor in VENDORS:
        server = open_vendor(vendor)
        server.fail(failures.limited(41))
        answers[vendor] = post(server, body(vendor))
    assert answers["openai"].headers["retry-after"] == "41"
    assert "retry-after" not in answers["gemini"].headers
    assert answers["gemini"].json()[0]["error"]["details"][0]["retryDelay"] == "41s"


CHANGED = [failure for failure in ALL_FAILURES if failure.status == 200 and failure.delivery == "whole"]


@each_case("failure", CHANGED, ids=lambda failure: failure.name)
def test_what_a_failure_does_to_an_answer_and_to_a_stream_is_in_the_types(
    open_vendor: OpenVendor, failure: Failure
) -> None:
    server = open_vendor("groq")
    for changes in ({}, {"stream": True, "stream_options": {"include_usage": True}}):
        server.fail(failure)
        answer = post(server, body("groq", **changes))
        assert answer.status_code == 200
        assert ("text/event-stream" in answer.headers["content-type"]) == bool(changes and failure.body is None)
        is_done = answer.text.endswith("data: [DONE]\n\n")
        assert is_done == bool(changes and failure.body is None and failure.done)


def test_a_redirect_names_another_port(open_vendor: OpenVendor) -> None:
    server, other = open_vendor("openai"), open_vendor("openai")
    server.fail(failures.redirected(f"{other.address}/chat/completions", 308))
    answer = httpx2.post(
        f"{server.address}/chat/completions",
        json=body("openai"),
        headers={"authorization": f"Bearer {KEY}"},
        follow_redirects=True,
    )
    # The client takes the body there, and not the key.
    assert (answer.status_code, other.calls[0].body) == (401, body("openai"))


def _collect(chunks: Iterator[ChatCompletionChunk], into: list[ChatCompletionChunk]) -> None:
    for chunk in chunks:
        into.append(chunk)  # noqa: PERF402  # what arrived before an error is kept


def test_a_stream_that_breaks_off_or_is_cut_has_sent_its_first_half(open_vendor: OpenVendor) -> None:
    server = open_vendor("openai")
    for failure in (failures.STREAM_BREAKS, failures.STREAM_CUT):
        server.fail(failure)
        arrived: list[ChatCompletionChunk] = []
        with pytest.raises(openai.APIConnectionError):
            _collect(stream(server), arrived)
        assert len(arrived) > 2
        assert all(chunk.choices[0].finish_reason is None for chunk in arrived)
    assert server.departures == []
    wait_until(lambda: server.under_way == 0)


def test_an_error_in_the_middle_of_a_stream_is_raised_by_the_sdk(open_vendor: OpenVendor) -> None:
    server = open_vendor("openai")
    server.fail(failures.ERROR_IN_STREAM)
    with pytest.raises(openai.APIError, match="The server had an error"):
        list(stream(server))


@pytest.mark.parametrize("failure", [None, failures.STREAM_STALLS], ids=["slow", "stalled"])
def test_a_client_that_leaves_a_stream_is_recorded(open_vendor: OpenVendor, failure: Failure | None) -> None:
    server = open_vendor("openai")
    server.pace_seconds = 0.05
    server.fail(failure)
    chunks = stream(server)
    next(chunks)
    assert server.under_way == 1
    chunks.close()  # type: ignore[attr-defined]
    (departure,) = wait_until(lambda: server.departures)
    assert isinstance(departure, Departure)
    assert departure.call == 0
    assert 0 < departure.sent < departure.events
    wait_until(lambda: server.under_way == 0)


def test_a_connection_serves_a_call_after_a_stream(open_vendor: OpenVendor) -> None:
    server = open_vendor("openai")
    with client(server) as sdk:
        for _ in range(3):
            sent = body("openai", stream=True)
            assert list(sdk.chat.completions.create(**sent))
            sdk.chat.completions.create(**body("openai"))
    assert len(server.calls) == 6
    assert server.departures == []


@pytest.mark.parametrize("failure", [failures.HANG, failures.DRIP], ids=lambda failure: failure.name)
@pytest.mark.parametrize("streams", [True, False])
def test_an_answer_that_hangs_or_drips_takes_longer_than_any_deadline(
    open_vendor: OpenVendor, failure: Failure, streams: bool
) -> None:
    server = open_vendor("openai")
    server.fail(failure)

    async def wait() -> None:
        async with AsyncOpenAI(api_key=KEY, base_url=server.address, max_retries=0) as sdk, asyncio.timeout(0.4):
            answer: Any = await sdk.chat.completions.create(**body("openai", stream=streams))
            async for _ in answer:
                pass

    with pytest.raises(TimeoutError):
        asyncio.run(wait())


def test_a_connection_can_be_reset_before_any_answer(open_vendor: OpenVendor) -> None:
    server = open_vendor("openai")
    server.fail(failures.RESET)
    with pytest.raises(openai.APIConnectionError):
        list(stream(server))


def test_an_error_that_the_types_of_the_sdk_lack_is_recorded(open_vendor: OpenVendor) -> None:
    server = open_vendor("openai")
    server.fail(replace(failures.BROKEN, code=7))  # type: ignore[arg-type]
    post(server, body("openai"))
    assert server.violations == ["error.code: Input should be a valid string"]
    server.violations.clear()
