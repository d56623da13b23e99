"""The configuration that follows from `interrogation:` and `models:`, and what is missing from it."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from pydantic import SecretStr

from tests.cases import each_case
from tribal.capabilities.interrogation.asking_models.configuring import derive_configuration
from tribal.capabilities.interrogation.errors import ConfigurationInvalid
from tribal_contracts import ModelEntry
from tribal_contracts.interrogation.configuration import Configuration
from tribal_contracts.interrogation.settings import InterrogationSettings
from tribal_contracts.schemas import json_schema

KEY = "sk-Zq9Zq9Zq9Zq9Zq9Zq9Zq9"
MODELS = {
    "large": ModelEntry(provider="anthropic", name="claude-sonnet-5-5", api_key_secret="CLAUDE"),
    "aws": ModelEntry(provider="bedrock", name="anthropic.claude-sonnet-5-5"),
    "small": ModelEntry(provider="openai", name="gpt-6-luna", api_key_secret="OPENAI"),
    "own": ModelEntry(provider="openai", name="ours", base_url="http://vllm.internal:8000"),
    "local": ModelEntry(provider="ollama", name="qwen2.5:7b"),
    "fast": ModelEntry(provider="groq", name="openai/gpt-oss-20b", api_key_secret="GROQ"),
}
KEYS = {"CLAUDE": KEY, "OPENAI": KEY}


def derived(**section: Any) -> Configuration:
    keys = {name: SecretStr(key) for name, key in KEYS.items()}
    return derive_configuration(InterrogationSettings(**section), MODELS, keys.get)


def test_it_has_the_form_of_the_data_model() -> None:
    found = derived(detectives=["large", "aws", "small"], witness="local", iterations=7, cloud_timeout_seconds=15)
    shown = found.model_dump(mode="json", by_alias=True)
    assert [(each["provider"], each["model"], each["isDefault"]) for each in shown["detectives"]] == [
        ("anthropic", "claude-sonnet-5-5", True),
        ("anthropic", "anthropic.claude-sonnet-5-5", False),
        ("openai", "gpt-6-luna", False),
    ]
    assert shown["witness"] == {"baseUrl": "http://127.0.0.1:11434", "model": "qwen2.5:7b"}
    assert shown["providerFallbackOrder"] == ["anthropic", "openai"]
    assert shown["timeouts"] == {"cloudTimeout": 15, "localTimeout": 120}
    assert shown["defaultIterationLimit"] == 7
    assert [each.api_key is None for each in found.detectives] == [False, True, False]
    keyed = [each | ({"apiKey": KEY} if "apiKey" in each else {}) for each in shown["detectives"]]
    jsonschema.validate(shown | {"detectives": keyed}, json_schema("interrogation-configuration"))


def test_keys_are_never_printed() -> None:
    found = derived(detectives=["large", "small"])
    assert KEY not in f"{found} {found!r} {found.to_json().decode()}"


@each_case(
    ("section", "order"),
    [
        ({"detectives": ["small", "large"]}, ["openai", "anthropic"]),
        ({"detectives": ["small", "large"], "fallback": ["large", "small"]}, ["openai", "anthropic"]),
        ({"detectives": ["large", "small", "aws"], "fallback": ["aws", "small", "large"]}, ["anthropic", "openai"]),
        ({}, []),
    ],
)
def test_the_default_comes_first_and_each_provider_once(section: dict[str, Any], order: list[str]) -> None:
    assert derived(**section).provider_fallback_order == order


@each_case(
    ("name", "address"),
    [
        ("local", "http://127.0.0.1:11434"),
        ("own", "http://vllm.internal:8000"),
        ("small", "https://api.openai.com/v1"),
    ],
)
def test_a_witness_is_any_model(name: str, address: str) -> None:
    witness = derived(witness=name).witness
    assert witness is not None
    assert witness.base_url == address


@each_case(
    ("section", "keys", "says"),
    [
        ({"detectives": ["none"]}, KEYS, "interrogation.detectives[0]: 'none' is not under `models`"),
        ({"detectives": ["large", "small"]}, {"CLAUDE": KEY}, "interrogation.detectives[1]: the secret 'OPENAI'"),
        ({"detectives": ["small"]}, {"OPENAI": "short"}, "interrogation.detectives[0]: the secret 'OPENAI' has fewer"),
        (
            {"witness": "fast"},
            KEYS,
            "interrogation.witness: the secret 'GROQ', which should hold the API key of 'fast', is missing",
        ),
        ({"detectives": ["fast"]}, KEYS, "interrogation.detectives[0]: 'fast' is of provider groq, which cannot"),
    ],
)
def test_what_is_missing_is_named_with_its_place(section: dict[str, Any], keys: dict[str, str], says: str) -> None:
    values = {name: SecretStr(key) for name, key in keys.items()}
    with pytest.raises(ConfigurationInvalid) as caught:
        derive_configuration(InterrogationSettings(**section), MODELS, values.get)
    assert caught.value.message.startswith(says)
    assert caught.value.code == "INT_CONFIG_INVALID"
    assert "short" not in caught.value.message
