"""What is true of every `LanguageModel` over the Messages API, next to `language_model`."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.conformance.language_model import REQUEST, answered, told, used
from tests.conformance.language_model_faults import CLAUDE, Faults
from tests.fakes.claude import FakeClaude
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
