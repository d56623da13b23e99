"""What is true of every `LanguageModel` over OpenAI's protocol, next to `language_model`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from pydantic import SecretStr

from tests.conformance.language_model import IN_WORDS, REQUEST, answered, failed, read, told, used
from tests.conformance.language_model_faults import OPENAI, Faults
from tests.fakes.model_servers import minds
from tests.fakes.model_servers.server import ModelServer
from tests.fakes.openai import KEY, FakeOpenAI, failures
from tests.fakes.openai.vendor import VendorName
from tribal.adapters.openai.model import openai_model
from tribal.models.known_models import model_facts
from tribal.ports import LanguageModel, ModelFacts
from tribal_contracts import ModelEntry

NAMES: dict[VendorName, str] = {
    "openai": "gpt-6-luna",
    "gemini": "gemini-3.8-flash",
    "groq": "openai/gpt-oss-120b",
    "ollama": "qwen3:14b",
}


@pytest.fixture
def vendor(provider: VendorName, open_vendor: Callable[[VendorName], FakeOpenAI]) -> FakeOpenAI:
    return open_vendor(provider)


@pytest.fixture
def server(vendor: FakeOpenAI) -> ModelServer[Any]:
    return vendor


@pytest.fixture
def faults(provider: VendorName) -> Faults:
    if provider in ("openai", "groq"):
        return OPENAI
    # Gemini asks to wait with the same words, and Ollama has no quota.
    return replace(
        OPENAI, nothing_is_billed=[each for each in OPENAI.nothing_is_billed if each[0] is not failures.NO_QUOTA]
    )


@pytest.fixture
def entry(provider: VendorName, vendor: FakeOpenAI) -> ModelEntry:
    """The settings of the model."""
    more: dict[str, Any] = {} if provider == "ollama" else {"api_key_secret": "KEY"}
    more |= {"binds_answers": True} if provider == "openai" else {}
    return ModelEntry.model_validate(
        {"provider": provider, "name": NAMES[provider], "base_url": vendor.address, **more}
    )


@pytest.fixture
def facts(entry: ModelEntry) -> ModelFacts:
    return model_facts(entry)


@pytest.fixture
def model(entry: ModelEntry, facts: ModelFacts) -> LanguageModel:
    return openai_model(entry, facts, SecretStr(KEY) if entry.api_key_secret else None)


def test_a_request_is_a_system_and_a_user_message(vendor: FakeOpenAI, model: LanguageModel) -> None:
    answered(model.ask(REQUEST))
    body = vendor.calls[0].body
    assert body["model"] == model.name.partition("/")[2]
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert set(body) <= {
        *("model", "messages", "max_tokens", "max_completion_tokens", "response_format", "reasoning_effort"),
    }
    assert (
        "accept-encoding" not in vendor.calls[0].headers or vendor.calls[0].headers["user-agent"] == "tribal-knowledge"
    )


def test_a_prompt_that_the_server_cut_is_a_failure(vendor: FakeOpenAI, model: LanguageModel) -> None:
    vendor.fail(failures.PROMPT_CUT)
    outcome = failed(model.ask(REQUEST))
    assert (outcome.kind, outcome.unseen) == ("too_long", False)
    assert "context" in outcome.message


def test_thinking_that_is_only_in_the_total_is_paid_for(vendor: FakeOpenAI, model: LanguageModel) -> None:
    answered(model.ask(REQUEST))
    vendor.fail(failures.THINKING_ONLY_IN_TOTAL)
    assert told(model.ask(REQUEST).usage) == used(vendor)


def test_a_stream_that_ends_says_a_whole_answer_however_it_ends(vendor: FakeOpenAI, model: LanguageModel) -> None:
    for failure in (failures.NO_DONE, failures.NO_FINISH_REASON, failures.NO_USAGE_IN_STREAM):
        vendor.mind = minds.follows_the_schema
        vendor.fail(failure)
        assert set(answered(read(model.stream(REQUEST))[1]).value) == {"table", "columns"}, failure.name
        vendor.mind = lambda _: "An order of a customer."
        vendor.fail(failure)
        assert answered(read(model.stream(IN_WORDS))[1]).text == "An order of a customer.", failure.name


def test_a_stream_that_ends_in_the_middle_counts_as_cut_and_keeps_what_came(
    vendor: FakeOpenAI, model: LanguageModel
) -> None:
    vendor.fail(failures.ENDS_IN_THE_MIDDLE)
    outcome = failed(read(model.stream(REQUEST))[1])
    assert (outcome.kind, outcome.unseen) == ("truncated", False)
    # Gemini's events all have the usage up to them.
    assert outcome.usage.estimated_calls == (vendor.vendor != "gemini")
    assert outcome.text.startswith("{")
    assert outcome.text not in outcome.message


def test_milliseconds_and_advice_about_retries_are_passed_on(vendor: FakeOpenAI, model: LanguageModel) -> None:
    vendor.fail(failures.RATE_LIMITED_FOR_MILLISECONDS, failures.NOT_TO_BE_RETRIED, failures.RETRY_THOUGH_INVALID)
    waits, never, again = (failed(model.ask(REQUEST)) for _ in range(3))
    if vendor.vendor != "gemini":
        assert waits.retry_after_seconds == 0.25
    assert (never.may_retry, again.may_retry) == (False, True)
