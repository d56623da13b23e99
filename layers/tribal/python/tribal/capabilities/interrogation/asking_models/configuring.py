"""Derive the configuration of interrogations from `interrogation:` and `models:`. No model is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from pydantic import SecretStr

from tribal.capabilities.interrogation.errors import ConfigurationInvalid
from tribal_contracts import ModelEntry
from tribal_contracts.interrogation.configuration import (
    Configuration,
    DetectiveProvider,
    ProviderCredential,
    TimeoutSettings,
    WitnessModel,
)
from tribal_contracts.interrogation.settings import InterrogationSettings, Location, written_location, wrong_names

SHORTEST_KEY = 20
"""Minimum length of a key. Source: data model, 6."""


def parties(section: InterrogationSettings) -> Iterator[tuple[Location, str]]:
    """Yield the names of all models in the section, each with its location."""
    for number, name in enumerate(section.detectives):
        yield ("detectives", number), name
    if section.witness is not None:
        yield ("witness",), section.witness


def derive_configuration(
    section: InterrogationSettings,
    models: Mapping[str, ModelEntry],
    key_of: Callable[[str], SecretStr | None],
    place_of: Callable[[Location], str] = written_location,
) -> Configuration:
    """Return the configuration that the section describes. Source: data model, 6.

    Args:
        section: the section of `databases.yaml` or of an environment.
        models: the entries under `models`, by name.
        key_of: returns the value of a secret; `None` if it is missing.
        place_of: says where a value of the section is, for messages.

    Raises:
        ConfigurationInvalid: when a name, a key or a timeout cannot be used. The message says where it is.
    """
    for location, problem in wrong_names(section, models):
        raise ConfigurationInvalid(f"{place_of(location)}: {problem}")
    keys: dict[str, SecretStr | None] = {}
    for location, name in parties(section):
        keys[name] = _key(models[name], name, key_of, place_of(location))
    return Configuration(
        detectives=[
            ProviderCredential(
                provider=_provider(models[name]),
                api_key=keys[name],
                model=models[name].name,
                is_default=number == 0,
            )
            for number, name in enumerate(section.detectives)
        ],
        witness=None if section.witness is None else _witness(models[section.witness]),
        provider_fallback_order=[*dict.fromkeys(_provider(models[name]) for name in section.order)],
        timeouts=TimeoutSettings(
            cloud_timeout=section.cloud_timeout_seconds, local_timeout=section.local_timeout_seconds
        ),
        default_iteration_limit=section.iterations,
    )


def _key(entry: ModelEntry, name: str, key_of: Callable[[str], SecretStr | None], place: str) -> SecretStr | None:
    if entry.api_key_secret is None:
        return None
    key = key_of(entry.api_key_secret)
    if key is None:
        raise ConfigurationInvalid(
            f"{place}: the secret {entry.api_key_secret!r}, which should hold the API key of {name!r}, is missing"
        )
    if len(key.get_secret_value()) < SHORTEST_KEY:
        raise ConfigurationInvalid(
            f"{place}: the secret {entry.api_key_secret!r} has fewer than {SHORTEST_KEY} characters; store the API "
            f"key of {name!r} in it"
        )
    return key


def _provider(entry: ModelEntry) -> DetectiveProvider:
    match entry.provider:
        case "openai" | "gemini":
            return entry.provider
        case _:
            # Bedrock serves Anthropic's models, and signs with IAM.
            return "anthropic"


def _witness(entry: ModelEntry) -> WitnessModel:
    return WitnessModel(base_url=entry.address, model=entry.name)
