"""Known models and their prices; a setting adds models or overrides a price."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from typing import Any

from tribal.errors import ConfigurationError
from tribal.ports import ModelFacts, ModelPrices
from tribal_contracts import ModelEntry, ModelPrice, ModelProvider
from tribal_contracts.core.models import EmbeddingEntry

_ANTHROPIC = "https://platform.claude.com/docs/en/about-claude/pricing, read on 22 November 2026"
_OPENAI = "https://developers.openai.com/api/docs/pricing, read on 28 November 2026"
_GEMINI = "https://ai.google.dev/gemini-api/docs/pricing, for 1 January 2027 on, read on 28 November 2026"
_GEMINI_EMBEDDING = "https://openrouter.ai/google/gemini-embedding-001, read on 28 November 2026"
_GROQ = "https://groq.com/pricing, read on 28 November 2026"
_NO_PRICE = "this machine, which charges nothing"


def _prices(input_usd: str, output_usd: str, cache_write_usd: str, cache_read_usd: str) -> ModelPrices:
    return ModelPrices(Decimal(input_usd), Decimal(output_usd), Decimal(cache_write_usd), Decimal(cache_read_usd))


KNOWN_MODELS = (
    ModelFacts(
        "claude-haiku-5-5",
        _prices("0.10", "0.50", "0.125", "0.01"),
        _ANTHROPIC,
        long_prompt_tokens=100_000,
        long_prompt_factor=Decimal(5),
        thinking="disabled",
        smallest_cached_prefix=512,
    ),
    # It answers 400 to `disabled`. It may think between tool calls, and we send no tools.
    ModelFacts(
        "claude-sonnet-5-5",
        _prices("2", "10", "2.50", "0.10"),
        _ANTHROPIC,
        thinking="between_tools",
        smallest_cached_prefix=512,
    ),
    # Thinking cannot be turned off, only reduced.
    ModelFacts(
        "claude-opus-5-5",
        _prices("4", "20", "5", "0.20"),
        _ANTHROPIC,
        effort="low",
        smallest_cached_prefix=512,
    ),
)
"""By Anthropic's names."""
_OF_OPENAI: dict[str, Any] = {
    "thinking": "disabled",
    # Output costs only 1.5 times as much; the higher factor keeps caps safe.
    "long_prompt_tokens": 272_000,
    "long_prompt_factor": Decimal(2),
    "smallest_cached_prefix": 1024,
    "limits_completion": True,
}
_BY_PROVIDER: dict[ModelProvider, tuple[ModelFacts, ...]] = {
    "anthropic": KNOWN_MODELS,
    "openai": (
        ModelFacts("gpt-6-luna", _prices("0.10", "0.50", "0.125", "0.01"), _OPENAI, **_OF_OPENAI),
        ModelFacts("gpt-6-sol", _prices("2", "10", "2.50", "0.20"), _OPENAI, **_OF_OPENAI),
    ),
    # Half of this until the end of 2026; the higher price keeps caps safe. Thinking can only be reduced.
    "gemini": (ModelFacts("gemini-3.8-flash", _prices("1.50", "7.50", "1.50", "0.15"), _GEMINI, effort="low"),),
    "groq": (
        ModelFacts("openai/gpt-oss-120b", _prices("0.15", "0.60", "0.15", "0.15"), _GROQ, effort="low"),
        ModelFacts("openai/gpt-oss-20b", _prices("0.075", "0.30", "0.075", "0.075"), _GROQ, effort="low"),
    ),
}

_EMBEDDINGS: dict[ModelProvider, tuple[ModelFacts, ...]] = {
    "gemini": (ModelFacts("gemini-embedding-001", _prices("0.15", "0", "0.15", "0.15"), _GEMINI_EMBEDDING),),
}
_ON_BEDROCK = re.compile(
    r"(?:arn:aws[a-z-]*:bedrock:[a-z0-9-]*:[0-9]*:(?:foundation-model|inference-profile)/)?"
    r"(?:(?P<geography>[a-z]{2,6}(?:-gov)?)\.)?anthropic\.(?P<name>[a-z0-9-]+?)(?:-v[0-9]+(?::[0-9]+)?)?"
)
_REGIONAL = Decimal("1.1")
"""Bedrock's price for a region or geography relative to its global price; the higher one keeps caps safe."""


def model_facts(settings: ModelEntry) -> ModelFacts:
    """The facts of a configured model; the settings override what is known of it.

    Raises:
        ConfigurationError: when the price is unknown.
    """
    known = _known(settings)
    if settings.price is not None:
        facts = _priced(settings.name, settings.price, known)
    elif known is None:
        names = ", ".join(model.name for model in _BY_PROVIDER.get(settings.provider, KNOWN_MODELS))
        raise ConfigurationError(
            f"model.name: the price of {settings.name!r} is unknown; set model.price (input_usd and output_usd, in "
            f"dollars per million tokens), or use one of: {names}"
            + (", with 'anthropic.' before it" if settings.provider == "bedrock" else "")
        )
    else:
        facts = known
    changes = {name: value for name in ("thinking", "effort") if (value := getattr(settings, name)) is not None}
    return replace(facts, **changes)


def embedding_facts(settings: EmbeddingEntry) -> ModelFacts:
    """The facts of a model that makes vectors.

    Raises:
        ConfigurationError: when the price is unknown.
    """
    entry, price = settings.entry, settings.usd_per_million_tokens
    if price is not None:
        stated = _prices(str(price), "0", str(price), str(price))
        return ModelFacts(settings.name, stated, "embedding.usd_per_million_tokens of the configuration")
    known = next((each for each in _EMBEDDINGS.get(settings.provider, ()) if each.name == settings.name), None)
    if known is None and entry.is_on_this_machine:
        return _free(entry)
    if known is None:
        raise ConfigurationError(
            f"embedding.name: the price of {settings.name!r} is unknown; set embedding.usd_per_million_tokens"
        )
    return known


def _known(settings: ModelEntry) -> ModelFacts | None:
    if settings.provider != "bedrock":
        known = _BY_PROVIDER.get(settings.provider, ())
        # A gateway on this machine may pass a known model on to its provider, who charges for it.
        free = _free(settings) if settings.is_on_this_machine else None
        return next((model for model in known if model.name == settings.name), free)
    found = _ON_BEDROCK.fullmatch(settings.name)
    model = next((model for model in KNOWN_MODELS if found and model.name == found["name"]), None)
    if found is None or model is None:
        return None
    prices = model.prices if found["geography"] == "global" else model.prices.times(_REGIONAL)
    return replace(model, name=settings.name, prices=prices)


def _free(settings: ModelEntry) -> ModelFacts:
    thinking = "disabled" if settings.provider == "ollama" else None
    return ModelFacts(settings.name, _prices("0", "0", "0", "0"), _NO_PRICE, thinking=thinking)


def _priced(name: str, price: ModelPrice, known: ModelFacts | None) -> ModelFacts:
    """The price of the settings; other facts of a known model are kept."""
    given = {field: Decimal(str(value)) for field, value in price if field.endswith("_usd") and value is not None}
    prices = ModelPrices(
        given["input_usd"],
        given["output_usd"],
        given.get("cache_write_usd", given["input_usd"] * Decimal("1.25")),
        given.get("cache_read_usd", given["input_usd"] * Decimal("0.1")),
    )
    source = "model.price of the configuration"
    model = ModelFacts(name, prices, source) if known is None else replace(known, prices=prices, source=source)
    changes = price.model_fields_set & {"thinking", "effort", "smallest_cached_prefix"}
    return replace(model, **{field: getattr(price, field) for field in changes})
