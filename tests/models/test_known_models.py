"""What is known of models, and what calls of them cost."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cases import each_case
from tribal.errors import ConfigurationError
from tribal.models.known_models import KNOWN_MODELS, model_facts
from tribal.ports import ModelRequest
from tribal_contracts import ModelPrice, ModelSettings, ModelUsage


def settings(name: str, provider: Any = "anthropic", **more: Any) -> ModelSettings:
    secret = {"api_key_secret": "KEY"} if provider == "anthropic" else {}
    return ModelSettings(provider=provider, name=name, **secret, **more)


MILLION = 1_000_000
DOLLAR = 1_000_000_000


@each_case(
    ("name", "dollars"),
    [
        ("claude-haiku-5-5", (0.10, 0.125, 0.01, 0.50)),
        ("claude-sonnet-5-5", (2, 2.50, 0.10, 10)),
        ("claude-opus-5-5", (4, 5, 0.20, 20)),
    ],
)
def test_a_shipped_model_costs_what_its_vendor_asks(name: str, dollars: tuple[float, ...]) -> None:
    model = model_facts(settings(name))
    kinds = ("input_tokens", "cache_write_tokens", "cache_read_tokens", "output_tokens")
    costs = [model.cost(ModelUsage(**{kind: 50_000})) * 20 for kind in kinds]
    assert costs == [round(each * DOLLAR) for each in dollars]
    assert "22 November 2026" in model.source


def test_a_long_prompt_of_haiku_costs_five_times_as_much_with_all_that_belongs_to_it() -> None:
    model = model_facts(settings("claude-haiku-5-5"))
    short = ModelUsage(input_tokens=1, cache_write_tokens=9_999, cache_read_tokens=90_000, output_tokens=100)
    long = short.model_copy(update={"input_tokens": 2})
    assert model.cost(short) == 1 * 100 + 9_999 * 125 + 90_000 * 10 + 100 * 500
    assert model.cost(long) == (2 * 100 + 9_999 * 125 + 90_000 * 10 + 100 * 500) * 5
    sonnet = model_facts(settings("claude-sonnet-5-5"))
    assert sonnet.cost(ModelUsage(input_tokens=MILLION)) == 2 * DOLLAR


def test_the_worst_price_counts_each_byte_as_a_token_that_is_written_to_the_cache() -> None:
    model = model_facts(settings("claude-haiku-5-5"))
    assert model.worst(3_000, 800) == 3_000 * 125 + 800 * 500
    request = ModelRequest("präfix", "part", {"type": "string"}, 800, 1.0)
    assert request.schema_in_words.endswith('\n{"type":"string"}')
    assert request.size_bytes == len(f"präfixpart{request.schema_in_words}".encode())
    assert model.worst_price(request) == model.worst(request.size_bytes, 800)
    assert model.worst(100_001, 800) == (100_001 * 125 + 800 * 500) * 5


@each_case("tokens", [1, 3, 7, 999, 1_000_003])
def test_a_cost_is_whole_and_never_too_low(tokens: int) -> None:
    model = model_facts(settings("mine", price=ModelPrice(input_usd=0.0333, output_usd=1)))
    cost = model.cost(ModelUsage(input_tokens=tokens))
    assert type(cost) is int
    assert (cost - 1) * 10 < tokens * 333 <= cost * 10


@each_case(
    "name",
    [
        "anthropic.claude-haiku-5-5",
        "eu.anthropic.claude-haiku-5-5",
        "us-gov.anthropic.claude-haiku-5-5",
        "apac.anthropic.claude-haiku-5-5-v1:0",
        "arn:aws:bedrock:eu-central-1:123456789012:inference-profile/eu.anthropic.claude-haiku-5-5",
    ],
)
def test_a_model_on_bedrock_is_known_by_each_of_its_ids_at_the_price_of_a_region(name: str) -> None:
    model = model_facts(settings(name, "bedrock"))
    assert (model.name, model.thinking, model.smallest_cached_prefix) == (name, "disabled", 512)
    assert model.cost(ModelUsage(input_tokens=1_000)) == 110_000


def test_a_model_on_bedrock_costs_the_same_everywhere_by_its_global_id() -> None:
    model = model_facts(settings("global.anthropic.claude-haiku-5-5", "bedrock"))
    assert model.cost(ModelUsage(input_tokens=1_000)) == 100_000


@each_case(
    ("name", "provider"),
    [
        ("claude-haiku-9", "anthropic"),
        ("anthropic.claude-haiku-5-5", "anthropic"),
        ("claude-haiku-5-5", "bedrock"),
        ("meta.claude-haiku-5-5", "bedrock"),
        ("arn:aws:bedrock:eu-central-1:123456789012:application-inference-profile/abc123", "bedrock"),
    ],
)
def test_without_a_price_nothing_starts(name: str, provider: str) -> None:
    with pytest.raises(ConfigurationError, match=r"model\.price") as caught:
        model_facts(settings(name, provider))
    assert name in caught.value.message


def test_a_price_of_the_settings_stands_before_that_of_the_table_and_leaves_the_rest() -> None:
    model = model_facts(settings("claude-opus-5-5", price=ModelPrice(input_usd=3, output_usd=15)))
    costs = [
        model.cost(ModelUsage(**{kind: 1_000}))
        for kind in ("input_tokens", "output_tokens", "cache_write_tokens", "cache_read_tokens")
    ]
    assert costs == [3_000_000, 15_000_000, 3_750_000, 300_000]
    assert (model.effort, model.thinking, model.smallest_cached_prefix) == ("low", None, 512)


def test_a_price_of_the_settings_brings_a_model_that_is_not_in_the_table() -> None:
    price = ModelPrice(
        input_usd=1, output_usd=5, cache_write_usd=2, cache_read_usd=0.5, thinking="adaptive", smallest_cached_prefix=99
    )
    model = model_facts(settings("claude-new", price=price))
    assert model.cost(ModelUsage(cache_write_tokens=1, cache_read_tokens=2)) == 3_000
    assert (model.thinking, model.effort, model.smallest_cached_prefix) == ("adaptive", None, 99)


def test_no_model_stands_twice_in_the_table() -> None:
    assert len({model.name for model in KNOWN_MODELS}) == len(KNOWN_MODELS)
