"""Claude at Anthropic, held to what holds of every `LanguageModel`."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from pydantic import SecretStr

from tests.conformance.language_model import *  # noqa: F403
from tests.conformance.language_model import REQUEST, SCHEMA, failed, told, used
from tests.conformance.language_model_claude import *  # noqa: F403
from tests.conformance.language_model_streams import *  # noqa: F403
from tests.fakes.claude import KEY, FakeClaude, failures
from tests.fakes.claude.failures import Failure
from tests.fakes.memory_store import MemoryStore
from tests.waiting import LONGEST_SECONDS
from tribal.adapters.anthropic.model import anthropic_model
from tribal.jobs.clock import SystemClock
from tribal.models import Budget, CappedModel, Caps, Spender, Timing
from tribal.models.known_models import KNOWN_MODELS, model_facts
from tribal.ports import LanguageModel, ModelAnswer, StopToken
from tribal_contracts import ModelSettings


@pytest.fixture
def model(claude: FakeClaude) -> LanguageModel:
    settings = ModelSettings(
        provider="anthropic", name="claude-haiku-5-5", api_key_secret="CLAUDE_KEY", base_url=claude.address
    )
    return anthropic_model(settings, model_facts(settings), SecretStr(KEY))


SAID_BY_CODE = [
    (failures.CONTRACT_LIMIT, "stopped"),
    (failures.TIER_LIMIT, "stopped"),
    (failures.LINKED_LIMIT, "stopped"),
    (failures.ON_HOLD, "stopped"),
    (failures.RAMP_LIMITED, "throttled"),
    (failures.OVERLOADED, "overloaded"),
    (failures.BODY_TOO_LARGE, "too_long"),
]


@pytest.mark.parametrize(("failure", "kind"), SAID_BY_CODE, ids=lambda value: getattr(value, "name", None))
def test_a_code_tells_limits_that_a_person_has_to_raise_from_those_that_pass(
    claude: FakeClaude, model: LanguageModel, failure: Failure, kind: str
) -> None:
    claude.fail(failure)
    outcome = failed(model.ask(REQUEST))
    assert (outcome.kind, outcome.unseen) == (kind, False)
    if failure in (failures.CONTRACT_LIMIT, failures.TIER_LIMIT, failures.LINKED_LIMIT):
        assert "raise the limit" in outcome.message


def test_the_schema_is_a_field_of_the_request(claude: FakeClaude, model: LanguageModel) -> None:
    model.ask(REQUEST)
    body = claude.calls[0].body
    assert body["output_config"] == {"format": {"type": "json_schema", "schema": SCHEMA}}
    assert body["system"] == [{"type": "text", "text": REQUEST.prefix, "cache_control": {"type": "ephemeral"}}]


def test_an_answer_bound_to_a_schema_has_no_text_around_it(claude: FakeClaude, model: LanguageModel) -> None:
    claude.fail(failures.EXTRA_TEXT)
    outcome = failed(model.ask(REQUEST))
    assert (outcome.kind, outcome.unseen) == ("malformed", False)
    assert told(outcome.usage) == used(claude)
    assert "PLANTED" not in outcome.message


def test_the_model_has_the_name_of_its_provider(model: LanguageModel) -> None:
    assert model.name == "anthropic/claude-haiku-5-5"


@pytest.mark.verify
def test_a_pause_of_41_seconds_is_waited_out(claude: FakeClaude, model: LanguageModel) -> None:
    claude.fail(failures.limited(41))
    timing, store, spender = Timing(SystemClock()), MemoryStore(), Spender("run:r1", model.name, "here/1")
    caps = Caps(account=10**10, day=10**10, calls_at_once=5)
    facts = KNOWN_MODELS[0]
    with Budget(store, caps, spender, timing) as money, ThreadPoolExecutor(5) as threads:
        capped = CappedModel(model, money, facts.worst_price, StopToken(), timing)
        began = time.monotonic()
        outcomes = list(threads.map(capped.ask, [REQUEST] * 10))
    assert all(isinstance(outcome, ModelAnswer) for outcome in outcomes)
    assert 41 <= time.monotonic() - began < 41 + LONGEST_SECONDS
