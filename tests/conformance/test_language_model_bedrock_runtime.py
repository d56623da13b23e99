"""Claude on bedrock-runtime, held to what holds of every `LanguageModel`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from tests.cases import each_case
from tests.conformance.language_model import *  # noqa: F403
from tests.conformance.language_model import IN_WORDS, REQUEST, answered, failed, read
from tests.conformance.language_model_claude import *  # noqa: F403
from tests.conformance.language_model_streams import *  # noqa: F403
from tests.conformance.language_model_streams import TEXT as SENTENCES
from tests.conformance.language_model_without_schemas import *  # noqa: F403
from tests.fakes.claude import FakeClaude, aws, failures, frames
from tests.fakes.claude.failures import Failure
from tribal.adapters.bedrock.model import bedrock_model
from tribal.models.known_models import model_facts
from tribal.ports import LanguageModel
from tribal_contracts import ModelSettings


@pytest.fixture
def model(claude: FakeClaude, aws_account: None) -> LanguageModel:
    settings = ModelSettings(
        provider="bedrock", name="global.anthropic.claude-haiku-5-5", base_url=claude.address, endpoint="runtime"
    )
    return bedrock_model(settings, model_facts(settings), "eu-central-1")


def test_an_expired_login_is_distinguished_from_a_missing_permission(claude: FakeClaude, model: LanguageModel) -> None:
    refusal = Failure(
        "expired token",
        "https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html",
        403,
        billed=False,
        body=b'{"message": "PLANTED"}',
        headers=(("x-amzn-errortype", "ExpiredTokenException:http://internal.amazon.com/"),),
    )
    claude.fail(refusal, failures.FORBIDDEN)
    expired, forbidden = failed(model.ask(REQUEST)), failed(model.ask(REQUEST))
    assert (expired.kind, forbidden.kind) == ("stopped", "stopped")
    assert "log in to AWS again" in expired.message
    assert "allow bedrock:InvokeModel and bedrock:InvokeModelWithResponseStream" in forbidden.message


def test_a_quota_and_a_model_that_is_not_ready_pass(claude: FakeClaude, model: LanguageModel) -> None:
    def named(name: str) -> Failure:
        status = aws.statuses()[name]
        return Failure(name, "", status, billed=False, body=b"{}", headers=(("x-amzn-errortype", f"{name}:"),))

    claude.fail(named("ServiceQuotaExceededException"), named("ModelNotReadyException"))
    assert [failed(model.ask(REQUEST)).kind for _ in range(2)] == ["throttled", "unavailable"]


def test_an_overload_comes_as_a_service_that_is_unavailable(claude: FakeClaude, model: LanguageModel) -> None:
    claude.fail(failures.OVERLOADED)
    outcome = failed(model.ask(REQUEST))
    assert (outcome.kind, outcome.unseen) == ("unavailable", False)
    assert "(503 ServiceUnavailableException" in outcome.message


EXCEPTIONS = {
    "throttlingException": "throttled",
    "validationException": "rejected",
    "modelTimeoutException": "unavailable",
    "modelStreamErrorException": "unavailable",
    "internalServerException": "unavailable",
    "serviceUnavailableException": "unavailable",
}


def changed(change: Callable[[Sequence[bytes]], Sequence[bytes]]) -> Failure:
    return Failure("changed frames", "none: the network", vendors=False, change_chunks=change)


@each_case("name", list(EXCEPTIONS))
def test_an_exception_in_a_stream_is_the_failure_that_it_is_as_a_response(
    claude: FakeClaude, model: LanguageModel, name: str
) -> None:
    claude.mind = lambda _: SENTENCES
    answered(model.ask(IN_WORDS))
    said = frames.exception(name, "no luck")
    # Nothing is read after an exception, even if the server leaves the connection open.
    claude.fail(
        *(replace(changed(lambda chunks: [*chunks[:6], said, *chunks[6:]]), delivery="stall") for _ in range(2))
    )
    outcomes = [failed(read(model.stream(IN_WORDS))[1]), failed(model.ask(replace(IN_WORDS, idle_seconds=20.0)))]
    assert [(outcome.kind, outcome.unseen) for outcome in outcomes] == [(EXCEPTIONS[name], True)] * 2
    status = aws.statuses()[name[0].upper() + name[1:]]
    assert f"({status} {name}: no luck)" in outcomes[0].message
    assert all(outcome.text == "" for outcome in outcomes)


def test_every_exception_of_a_stream_is_known() -> None:
    assert set(EXCEPTIONS) == frames.exceptions()


@each_case("name", list(EXCEPTIONS))
def test_an_exception_before_the_answer_says_whether_the_model_may_have_run(
    claude: FakeClaude, model: LanguageModel, name: str
) -> None:
    claude.fail(changed(lambda _: [frames.exception(name, "no")]))
    _, outcome = read(model.stream(IN_WORDS))
    assert failed(outcome).kind == EXCEPTIONS[name]
    assert failed(outcome).unseen is (name not in ("throttlingException", "validationException"))


def test_an_error_that_the_service_does_not_model_is_unavailable(claude: FakeClaude, model: LanguageModel) -> None:
    headers = {":message-type": "error", ":error-code": "InternalFailure", ":error-message": "no such luck"}
    claude.fail(changed(lambda chunks: [*chunks[:6], frames.frame(headers, b"")]))
    _, outcome = read(model.stream(IN_WORDS))
    assert (failed(outcome).kind, failed(outcome).unseen) == ("unavailable", True)
    assert "(500 InternalFailure: no such luck)" in failed(outcome).message


DAMAGES: dict[str, Callable[[Sequence[bytes]], Sequence[bytes]]] = {
    "a wrong bit in a payload": lambda chunks: [*chunks[:6], frames.damaged(chunks[6]), *chunks[7:]],
    "a wrong bit in a length": lambda chunks: [*chunks[:6], bytes([chunks[6][0] ^ 1]) + chunks[6][1:], *chunks[7:]],
    "half a frame": lambda chunks: [*chunks[:6], chunks[6][: len(chunks[6]) // 2]],
    "an unknown type of header": lambda chunks: [*chunks[:6], frames.framed(b"\x01a\x63", b""), *chunks[7:]],
    "a length of nothing": lambda chunks: [*chunks[:6], frames.prelude(0, 0) + b"more", *chunks[7:]],
    "a payload that is no JSON": lambda chunks: [*chunks[:6], frames.frame(frames.CHUNK, b"{"), *chunks[7:]],
    "bytes that are not Base64": lambda chunks: [
        *chunks[:6],
        frames.frame(frames.CHUNK, b'{"bytes": "%"}'),
        *chunks[7:],
    ],
    "no frames": lambda _: [b"PLANTED, and not in frames"],
    "nothing": lambda _: [],
}


@each_case("damage", list(DAMAGES.values()), ids=list(DAMAGES))
def test_a_damaged_stream_broke(
    claude: FakeClaude, model: LanguageModel, damage: Callable[[Sequence[bytes]], Sequence[bytes]]
) -> None:
    claude.mind = lambda _: SENTENCES
    answered(model.ask(IN_WORDS))
    claude.fail(changed(damage))
    pieces, outcome = read(model.stream(IN_WORDS))
    assert (failed(outcome).kind, failed(outcome).unseen, failed(outcome).text) == ("unavailable", True, "")
    assert SENTENCES.startswith("".join(pieces))
    assert "PLANTED" not in failed(outcome).message


def test_frames_are_read_however_the_network_cuts_them(claude: FakeClaude, model: LanguageModel) -> None:
    claude.mind = lambda _: SENTENCES
    joined = changed(lambda chunks: [b"".join(chunks)])
    single = changed(lambda chunks: [bytes([byte]) for byte in b"".join(chunks)])
    other = frames.frame({":message-type": "event", ":event-type": "initial-response"}, b"{}")
    claude.fail(joined, single, changed(lambda chunks: [other, *chunks]))
    for _ in range(3):
        assert answered(read(model.stream(IN_WORDS))[1]).text == SENTENCES


ENDLESS: dict[str, bytes] = {
    "frames without text": frames.frame({":message-type": "event", ":event-type": "initial-response"}, b" " * 2_000),
    "a frame that is longer than any answer": frames.prelude(20_000_000, 0) + b" " * 2_000,
}


@each_case("sent", list(ENDLESS.values()), ids=list(ENDLESS))
def test_no_more_of_a_stream_is_read_than_an_answer_can_have(
    claude: FakeClaude, model: LanguageModel, sent: bytes
) -> None:
    claude.fail(changed(lambda chunks: [*chunks[:2], *[sent] * 100]))
    _, outcome = read(model.stream(replace(IN_WORDS, max_tokens=50)))
    assert (failed(outcome).kind, failed(outcome).unseen) == ("truncated", True)
