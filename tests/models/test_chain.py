"""A chain asks one model after the other, typed or as text, and says what failed."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.fakes.scripted_model import ScriptedModel
from tribal.errors import ConfigurationError
from tribal.models.chain import Chain, Link, OpenModel
from tribal.ports import ModelAnswer, ModelFailure, ModelOutcome, ModelRequest, Provider, StopToken
from tribal.ports.models.chains import ModelPrompt, NoReply, Reading, Reply, StreamedAnswer
from tribal_contracts import ModelUsage

USED = ModelUsage(calls=1, nanodollars=7)
DOWN = ModelFailure("unavailable", "the server is down", USED)
SPENT = ModelFailure("exhausted", "the day's money is spent")
TYPED = ModelPrompt(instructions="Choose.", answer_tokens=50, schema={"type": "object"})
TEXT = ModelPrompt(instructions="Write.", answer_tokens=50)


@dataclass
class Models:
    """The models of a chain by name: what they answer, in turn."""

    outcomes: Mapping[str, list[ModelOutcome]]
    broken: tuple[str, ...] = ()
    """Models that cannot be opened."""
    longest_seconds: float | None = None
    opened: list[str] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)
    asked: dict[str, list[ModelRequest]] = field(default_factory=dict)

    def chain(self, stop: StopToken | None = None) -> Chain:
        return Chain([Link(name, Provider(self._opener(name))) for name in self.outcomes], stop)

    def _opener(self, name: str) -> Callable[[], OpenModel]:
        def opened() -> OpenModel:
            if name in self.broken:
                raise ConfigurationError("its key is missing")
            self.opened.append(name)
            outcomes = self.outcomes[name]
            model = ScriptedModel(lambda _, number: outcomes[number - 1])
            model.pieces = [name]
            self.asked[name] = model.requests
            close = lambda: self.closed.append(name)  # noqa: E731
            return OpenModel(
                name=f"vendor:{name}",
                model=model,
                timeout_seconds=10.0,
                longest_seconds=self.longest_seconds,
                idle_seconds=None if self.longest_seconds is None else 2.0,
                worst_usd=lambda _: 0.5,
                close=close,
            )

        return opened


def said(text: str) -> ModelAnswer:
    return ModelAnswer({"says": text}, USED, text)


def read(value: Mapping[str, Any]) -> Reading[str]:
    """Nothing about dragons can be used; what is about elves should be corrected."""
    text = value["says"]
    return Reading(None if "dragon" in text else text, ("it is about elves",) if "elves" in text else ())


def shown(name: str, answer: StreamedAnswer | ModelFailure) -> Generator[str, None, Reading[str] | ModelFailure]:
    """Shows every piece and every failure."""
    if isinstance(answer, ModelFailure):
        yield f"{name}: {answer.message}"
        return answer
    text = ""
    while True:
        try:
            piece = next(answer)
        except StopIteration as end:
            outcome: ModelOutcome = end.value
            return outcome if isinstance(outcome, ModelFailure) else Reading(text)
        text += piece
        yield piece


def streamed(chain: Chain, prompt: ModelPrompt = TEXT) -> tuple[list[str], Reply[str] | NoReply]:
    """What a stream shows, and how it ends."""
    answering, pieces = chain.stream(prompt, {}, shown), list[str]()
    while True:
        try:
            pieces.append(next(answering))
        except StopIteration as end:
            reply: Reply[str] | NoReply = end.value
            return pieces, reply


def test_the_next_model_is_asked_where_one_fails_and_the_switch_is_noted() -> None:
    models = Models({"first": [DOWN], "second": [said("an order")], "third": []})
    reply = models.chain().ask(TYPED, {}, read)
    assert isinstance(reply, Reply)
    assert (reply.value, reply.model, reply.cost.usage.calls) == ("an order", "vendor:second", 2)
    (switch,) = reply.cost.notes
    assert (switch.event, switch.from_provider, switch.to_provider) == ("provider_switch", "vendor:first", "second")
    assert switch.reason == "unavailable: the server is down"
    assert models.opened == ["first", "second"]
    # Only the last model retries: after the others, the next one answers sooner.
    assert [requests[0].retries for requests in models.asked.values()] == [False, False]


def test_a_typed_answer_is_repaired_once_and_text_never() -> None:
    models = Models({"only": [said("elves"), said("an order")]})
    reply = models.chain().ask(TYPED, {"n": 1}, read)
    assert isinstance(reply, Reply)
    assert reply.value == "an order"
    assert [request.part for request in models.asked["only"]] == ['{"n":1}', '{"n":1,"faults":["it is about elves"]}']
    assert [note.reason for note in reply.cost.notes] == ["vendor:only: malformed: it is about elves; asked again"]

    malformed = ModelFailure("malformed", "no text")
    pieces, ended = streamed(Models({"only": [malformed]}).chain())
    assert (pieces, isinstance(ended, NoReply)) == (["only"], True)


def test_the_first_usable_answer_is_kept_where_no_model_does_better() -> None:
    models = Models({"first": [said("elves"), said("elves again")], "second": [said("dragon"), DOWN]})
    reply = models.chain().ask(TYPED, {}, read)
    assert isinstance(reply, Reply)
    assert (reply.value, reply.model) == ("elves again", "vendor:first")


def test_text_is_streamed_from_the_next_model_and_one_that_cannot_be_opened_is_reported() -> None:
    models = Models({"closed": [], "down": [DOWN], "up": [said("up")]}, broken=("closed",))
    chain = models.chain()
    pieces, reply = streamed(chain)
    assert pieces == ["closed: its key is missing", "down", "up"]
    assert isinstance(reply, Reply)
    assert (reply.value, reply.model) == ("up", "vendor:up")
    chain.close()
    assert sorted(models.closed) == sorted(models.opened) == ["down", "up"]


def test_a_spent_cap_ends_the_chain_unless_the_next_model_may_be_free() -> None:
    outcomes: Mapping[str, list[ModelOutcome]] = {"first": [SPENT], "second": [said("second")]}
    models = Models(outcomes)
    ended = models.chain().ask(TYPED, {}, read)
    assert isinstance(ended, NoReply)
    assert (ended.is_spent, models.opened) == (True, ["first"])
    goes_on = ModelPrompt(instructions="Write.", answer_tokens=50, ends_when_spent=False)
    _, reply = streamed(Models(outcomes).chain(), goes_on)
    assert isinstance(reply, Reply)


def test_nothing_is_sent_that_may_cost_more_than_one_request_may() -> None:
    models = Models({"only": []})
    prompt = ModelPrompt(
        instructions="Write.", answer_tokens=50, ends_when_spent=False, most_usd=0.2, most_usd_setting="x.per_answer"
    )
    pieces, reply = streamed(models.chain(), prompt)
    assert isinstance(reply, NoReply)
    assert (pieces, models.asked["only"]) == ([], [])
    assert reply.message == "vendor:only: an answer may cost $0.5000, more than x.per_answer ($0.2)"
    assert not reply.may_pass


def test_an_answer_ends_before_the_deadline_of_its_caller() -> None:
    models = Models({"only": [said("only")]})
    prompt = ModelPrompt(instructions="Write.", answer_tokens=50, closing_seconds=1.0)
    streamed(models.chain(StopToken(lambda: 5.0)), prompt)
    (request,) = models.asked["only"]
    assert 3.9 < request.deadline_seconds <= 4.0


def test_a_slow_server_may_take_longer_than_it_is_retried_if_its_caller_can_wait() -> None:
    for left, longest in ((1_000.0, 600.0), (30.0, 30.0)):
        models = Models({"only": [said("only")]}, longest_seconds=600.0)
        streamed(models.chain(StopToken(lambda left=left: left)))  # type: ignore[misc]  # bound in the loop
        (request,) = models.asked["only"]
        assert request.deadline_seconds == 10.0
        assert request.idle_seconds == 2.0
        assert request.longest_seconds == pytest.approx(longest, abs=0.5)
