"""Known models and their prices; a setting adds models or overrides a price."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal

from tribal.errors import ConfigurationError
from tribal.ports import ModelFacts, ModelPrices
from tribal_contracts import ModelPrice, ModelSettings

_SOURCE = "https://platform.claude.com/docs/en/about-claude/pricing, read on 22 November 2026"

KNOWN_MODELS = (
    ModelFacts(
        "claude-haiku-5-5",
        ModelPrices(Decimal("0.10"), Decimal("0.50"), Decimal("0.125"), Decimal("0.01")),
        _SOURCE,
        long_prompt_tokens=100_000,
        long_prompt_factor=Decimal(5),
        thinking="disabled",
        smallest_cached_prefix=512,
    ),
    # It answers 400 to `disabled`. It may think between tool calls, and we send no tools.
    ModelFacts(
        "claude-sonnet-5-5",
        ModelPrices(Decimal(2), Decimal(10), Decimal("2.50"), Decimal("0.10")),
        _SOURCE,
        thinking="between_tools",
        smallest_cached_prefix=512,
    ),
    # Thinking cannot be turned off, only reduced.
    ModelFacts(
        "claude-opus-5-5",
        ModelPrices(Decimal(4), Decimal(20), Decimal(5), Decimal("0.20")),
        _SOURCE,
        effort="low",
        smallest_cached_prefix=512,
    ),
)
"""By Anthropic's names."""

_ON_BEDROCK = re.compile(
    r"(?:arn:aws[a-z-]*:bedrock:[a-z0-9-]*:[0-9]*:(?:foundation-model|inference-profile)/)?"
    r"(?:(?P<geography>[a-z]{2,6}(?:-gov)?)\.)?anthropic\.(?P<name>[a-z0-9-]+?)(?:-v[0-9]+(?::[0-9]+)?)?"
)
_REGIONAL = Decimal("1.1")
"""Bedrock's price for a region or geography relative to its global price; the higher one keeps caps safe."""


def model_facts(settings: ModelSettings) -> ModelFacts:
    """The facts of the configured model; a price in the settings overrides the known one.

    Raises:
        ConfigurationError: when the price is unknown.
    """
    known = _known(settings)
    if settings.price is not None:
        return _priced(settings.name, settings.price, known)
    if known is None:
        names = ", ".join(model.name for model in KNOWN_MODELS)
        raise ConfigurationError(
            f"model.name: the price of {settings.name!r} is unknown; set model.price (input_usd and output_usd, in "
            f"dollars per million tokens), or use one of: {names}"
            + (", with 'anthropic.' before it" if settings.provider == "bedrock" else "")
        )
    return known


def _known(settings: ModelSettings) -> ModelFacts | None:
    if settings.provider == "anthropic":
        return next((model for model in KNOWN_MODELS if model.name == settings.name), None)
    found = _ON_BEDROCK.fullmatch(settings.name)
    model = next((model for model in KNOWN_MODELS if found and model.name == found["name"]), None)
    if found is None or model is None:
        return None
    prices = model.prices if found["geography"] == "global" else model.prices.times(_REGIONAL)
    return replace(model, name=settings.name, prices=prices)


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
