"""What is true of every `LanguageModel` whose text arrives as it is generated, next to `language_model`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.conformance.language_model import IN_WORDS, PLANTED, REQUEST, answered, failed, read, told, used
from tests.conformance.language_model_faults import Faults
from tests.fakes.model_servers.server import ModelServer
from tests.waiting import LONGEST_SECONDS, wait_until
from tribal.ports import LanguageModel
from tribal.ports.models.calls import FIRST_TOKEN_FACTOR

IDLE_SECONDS = 0.3
TEXT = "A sentence about the órders of a customer. " * 10


def test_text_arrives_before_the_last_of_it_is_generated(server: ModelServer[Any], model: LanguageModel) -> None:
    server.mind = lambda _: TEXT
    answered(model.ask(IN_WORDS))
    server.pace_seconds = 0.05
    stream = model.stream(IN_WORDS)
    first = next(stream)
    assert server.under_way == 1
    pieces, outcome = read(stream)
    assert first + "".join(pieces) == TEXT == answered(outcome).text


def test_a_stream_that_ends_before_its_answer_does_has_an_unknown_usage(
    server: ModelServer[Any], model: LanguageModel, faults: Faults
) -> None:
    server.mind = lambda _: TEXT
    answered(model.ask(IN_WORDS))
    for failure in faults.broken_streams:
        server.fail(failure)
        pieces, outcome = read(model.stream(IN_WORDS))
        assert (failed(outcome).kind, failed(outcome).unseen) == ("unavailable", True), failure.name
        assert TEXT.startswith("".join(pieces)), failure.name
        assert PLANTED not in failed(outcome).message


def test_a_stream_that_goes_on_after_its_tokens_is_cut(server: ModelServer[Any], model: LanguageModel) -> None:
    server.mind = lambda _: TEXT
    answered(model.ask(IN_WORDS))
    short, server.ignores_limits = replace(IN_WORDS, max_tokens=50), True
    server.mind = lambda _: TEXT * 100
    pieces, outcome = read(model.stream(short))
    assert (failed(outcome).kind, failed(outcome).unseen) == ("truncated", True)
    assert (TEXT * 100).startswith("".join(pieces))
    assert 50 <= len("".join(pieces).encode()) <= 50 * 16


def test_a_stream_ends_at_its_deadline(server: ModelServer[Any], model: LanguageModel, faults: Faults) -> None:
    server.mind = lambda _: TEXT
    answered(model.ask(IN_WORDS))
    for failure in (faults.hang, faults.drip, faults.stall):
        server.fail(failure)
        _, outcome = read(model.stream(replace(IN_WORDS, deadline_seconds=0.6)))
        assert (failed(outcome).kind, failed(outcome).unseen) == ("timed_out", True), failure.name
        assert 600 <= outcome.usage.time_ms < 1_000 * LONGEST_SECONDS, failure.name


def test_who_leaves_ends_the_connection(server: ModelServer[Any], model: LanguageModel) -> None:
    server.mind = lambda _: TEXT
    answered(model.ask(IN_WORDS))
    server.pace_seconds = 0.1
    stream = model.stream(IN_WORDS)
    next(stream)
    stream.close()
    wait_until(lambda: server.departures)
    assert [gone.call for gone in server.departures] == [len(server.calls) - 1]
    assert server.departures[0].sent < server.departures[0].events
    server.pace_seconds = 0.0
    answered(model.ask(IN_WORDS))


def test_a_request_with_an_idle_timeout_is_streamed_with_the_same_outcome(
    server: ModelServer[Any], model: LanguageModel, faults: Faults
) -> None:
    for request in (REQUEST, IN_WORDS):
        # The first call may write the provider's cache.
        answered(model.ask(request))
        pieces: list[str] = []
        whole = answered(model.ask(request))
        streamed = answered(model.ask(replace(request, idle_seconds=20.0, on_text=pieces.append)))
        assert [bool(call.body.get("stream")) for call in server.calls[-2:]] == [False, True]
        assert (streamed.value, streamed.text) == (whole.value, whole.text)
        assert "".join(pieces) == streamed.text
        assert told(streamed.usage) == told(whole.usage) == used(server)
    for failure, kind in faults.usage_is_told:
        server.fail(failure)
        outcome = failed(model.ask(replace(REQUEST, idle_seconds=20.0)))
        assert (outcome.kind, outcome.unseen) == (kind, False), failure.name
        assert told(outcome.usage) == used(server), failure.name


def test_a_stream_that_stalls_ends_after_its_idle_timeout_with_what_had_arrived(
    server: ModelServer[Any], model: LanguageModel, faults: Faults
) -> None:
    server.mind = lambda _: TEXT
    answered(model.ask(IN_WORDS))
    server.fail(faults.stall)
    outcome = failed(model.ask(replace(IN_WORDS, idle_seconds=IDLE_SECONDS)))
    assert (outcome.kind, outcome.unseen) == ("timed_out", True)
    assert "sent nothing more for 0.3 s (model.idle_timeout_seconds)" in outcome.message
    assert 1_000 * IDLE_SECONDS <= outcome.usage.time_ms < 1_000 * IDLE_SECONDS * FIRST_TOKEN_FACTOR
    assert outcome.text
    assert TEXT.startswith(outcome.text)


def test_the_first_token_is_waited_for_longer(server: ModelServer[Any], model: LanguageModel, faults: Faults) -> None:
    server.mind = lambda _: TEXT
    answered(model.ask(IN_WORDS))
    server.fail(faults.hang)
    outcome = failed(model.ask(replace(IN_WORDS, idle_seconds=IDLE_SECONDS)))
    assert (outcome.kind, outcome.unseen, outcome.text) == ("timed_out", True, "")
    assert "sent no word of an answer for 1.5 s (model.idle_timeout_seconds)" in outcome.message
    assert 1_000 * IDLE_SECONDS * FIRST_TOKEN_FACTOR <= outcome.usage.time_ms < 1_000 * IN_WORDS.deadline_seconds
    server.latency_seconds = 2 * IDLE_SECONDS
    assert answered(model.ask(replace(IN_WORDS, idle_seconds=IDLE_SECONDS))).text == TEXT


def test_a_stream_that_never_pauses_is_ended_by_its_deadline_with_what_had_arrived(
    server: ModelServer[Any], model: LanguageModel
) -> None:
    server.mind = lambda _: TEXT
    answered(model.ask(IN_WORDS))
    server.pace_seconds = 0.1
    outcome = failed(model.ask(replace(IN_WORDS, idle_seconds=0.8, deadline_seconds=1.2)))
    assert (outcome.kind, outcome.unseen) == ("timed_out", True)
    assert "was still writing after 1.2 s (model.call_timeout_seconds)" in outcome.message
    assert outcome.usage.time_ms >= 1_200
    assert outcome.text
    assert TEXT.startswith(outcome.text)
