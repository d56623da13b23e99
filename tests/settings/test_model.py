"""The model that describes tables: what a person may write about it, and who decides in AWS."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cases import each_case
from tribal.app.options import options_of
from tribal.app.parts import model_missing
from tribal.errors import ConfigurationError
from tribal.ports import RunParameters
from tribal.settings import BucketPlace, Settings, load_settings, settings_in_bucket
from tribal.settings.deployment import MODEL_VARIABLE, load_deployment
from tribal_contracts import ModelSettings

DATABASES = "databases:\n  - name: shop\n  - name: hr\n    describer: rules\n"
MODEL = "model: {provider: anthropic, name: claude-haiku-5-5, api_key_secret: claude}\n"
HAIKU = ModelSettings(provider="anthropic", name="claude-haiku-5-5", api_key_secret="claude")
SONNET = ModelSettings(provider="bedrock", name="anthropic.claude-sonnet-5-5")
BUCKET = BucketPlace("bucket")


def load(folder: Path, text: str) -> Settings:
    (folder / "databases.yaml").write_text(text, encoding="utf-8")
    return load_settings(project=folder, environment={})


def described(settings: Settings) -> dict[str, bool]:
    """Whether the model describes each database."""
    options = options_of(settings, RunParameters())
    return {entry.name: options.described_by_model(entry) for entry in options.databases}


def test_rules_describe_every_database_until_a_model_is_named(tmp_path: Path) -> None:
    settings = load(tmp_path, DATABASES)
    assert settings.model is None
    assert described(settings) == {"shop": False, "hr": False}


def test_the_model_describes_every_database_that_is_not_kept_from_it(tmp_path: Path) -> None:
    settings = load(tmp_path, DATABASES + MODEL)
    assert settings.model == HAIKU
    assert described(settings) == {"shop": True, "hr": False}


@each_case(
    ("model", "line", "hint"),
    [
        ("model: yes\n", 3, "model: should hold further keys, indented below it"),
        ("model:\n  provider: anthropic\n", 3, "the key 'name' is missing"),
        (
            "model:\n  provider: mistral\n  name: x\n",
            4,
            "model.provider: should be 'anthropic', 'bedrock', 'openai', 'gemini'",
        ),
        ("model:\n  provider: openai\n  name: x\n", 3, "model: provider openai needs api_key_secret, the name"),
        (
            "model:\n  provider: ollama\n  name: x\n  base_url: here\n",
            6,
            "model.base_url: it is not an address such",
        ),
        ("model: {use: fast}\nmodels:\n  fats: {provider: ollama, name: x}\n", 3, "did you mean 'fats'?"),
        ("model: {use: fast}\n", 3, "'fast' is not under `models`; the names there are none yet"),
        ("models:\n  fast: {provider: ollama, name: x, efort: low}\n", 4, "did you mean 'effort'?"),
        ("models:\n  Fast: {provider: ollama, name: x}\n", 4, "a name has lower-case letters, digits and hyphens"),
        (
            "model: {provider: ollama, name: x, per_day_usd: 3}\nspending: {per_day_usd: 3}\n",
            3,
            "is the older spelling",
        ),
        ("model:\n  provider: anthropic\n  name: x\n", 3, "model: provider anthropic needs api_key_secret, the name"),
        (
            "model:\n  provider: bedrock\n  name: x\n  api_key_secret: y\n",
            3,
            "provider bedrock takes the current AWS identity; leave out api_key_secret",
        ),
        ("model:\n  provider: bedrock\n  name: x\n  per_run_dollars: 3\n", 6, "did you mean 'per_run_usd'?"),
        ("model:\n  provider: bedrock\n  name: x\n  per_day_usd: 0\n", 6, "model.per_day_usd: should be more than 0"),
        ("model:\n  provider: bedrock\n  name: x\n  calls_at_once: 501\n", 6, "should be at most 500"),
        (
            "model:\n  provider: bedrock\n  name: x\n  price: {input_usd: 1, output_usd: 2,\n    efort: low}\n",
            7,
            "did you mean 'effort'?",
        ),
        ("embedder: onnx\n", 3, "embedder: write wordllama, or below it either onnx with a folder, or provider"),
        ("embedder:\n", 3, "embedder: write wordllama, or below it"),
        ("embedder: {onx: here}\n", 3, "embedder: write wordllama, or below it"),
        ("embedder: {onnx: here}\n", 3, "embedder.onnx: there is no folder 'here'"),
        ("embedder: {provider: gemini, name: x}\n", 3, "embedder: provider gemini needs api_key_secret, the name"),
        ("embedder: {provider: ollama, name: x, naer: .4}\n", 3, "did you mean 'near'?"),
    ],
)
def test_a_mistake_about_the_model_is_named_with_its_line_and_what_to_write(
    tmp_path: Path, model: str, line: int, hint: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load(tmp_path, f"databases:\n  - name: shop\n{model}")
    (told,) = caught.value.message.splitlines()
    assert f"databases.yaml, line {line}: " in told
    assert hint in told


def test_a_named_model_has_the_keys_of_its_entry_and_the_caps_of_the_section(tmp_path: Path) -> None:
    settings = load(
        tmp_path,
        DATABASES
        + "model: {use: small, per_run_usd: 3}\nspending: {per_day_usd: 7}\n"
        + "models:\n  small: {provider: ollama, name: 'qwen3:14b', calls_at_once: 2}\n",
    )
    expected = ModelSettings(provider="ollama", name="qwen3:14b", calls_at_once=2, per_run_usd=3, per_day_usd=7)
    assert settings.model == expected
    assert [settings.models["small"].name, settings.per_day_usd] == ["qwen3:14b", 7]


def test_a_database_that_asks_for_a_model_without_one_is_refused(tmp_path: Path) -> None:
    asking = "databases:\n  - name: shop\n    describer: model\n"
    with pytest.raises(
        ConfigurationError, match=r"line 3: 'shop' has describer: model, and the file has no section `mod"
    ):
        load(tmp_path, asking)
    assert described(load(tmp_path, asking + MODEL)) == {"shop": True}


def test_in_a_bucket_the_environment_says_which_model_and_the_file_which_databases() -> None:
    with_model, without = (
        settings_in_bucket(BUCKET, (DATABASES + MODEL).encode(), {}, model=model) for model in (SONNET, None)
    )
    assert (with_model.model, described(with_model)) == (SONNET, {"shop": True, "hr": False})
    assert (without.model, described(without)) == (None, {"shop": False, "hr": False})


def test_a_database_in_a_bucket_that_asks_for_a_model_where_the_environment_has_none_is_refused() -> None:
    asking = b"databases:\n  - name: shop\n    describer: model\n"
    with pytest.raises(ConfigurationError, match="line 3: 'shop' has describer: model, and the environment has no mod"):
        settings_in_bucket(BUCKET, asking + MODEL.encode(), {})
    assert settings_in_bucket(BUCKET, asking, {}, model=SONNET).model == SONNET


DEPLOYED = {"AWS_REGION": "eu-central-1", "TRIBAL_STORE": "s3://bucket"}


def test_a_function_gets_the_model_from_one_variable() -> None:
    assert load_deployment(DEPLOYED).model is None
    for model in (HAIKU, SONNET):
        assert load_deployment(DEPLOYED | {MODEL_VARIABLE: model.to_compact_json().decode()}).model == model


@each_case(
    ("text", "problem"),
    [
        ("{", "model: cannot be used here"),
        (json.dumps({"provider": "anthropic", "name": "x"}), "model: provider anthropic needs api_key_secret"),
        (json.dumps({"provider": "bedrock", "name": "x", "calls_at_once": 0}), "model.calls_at_once: should be at le"),
    ],
)
def test_a_broken_variable_says_where_to_correct_it(text: str, problem: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load_deployment(DEPLOYED | {MODEL_VARIABLE: text})
    assert caught.value.message.startswith(f"{MODEL_VARIABLE}: {problem}")
    assert caught.value.message.endswith("from `model` in the environment file, so correct it there and deploy")


def test_a_missing_package_is_named_with_the_extra_that_brings_it() -> None:
    missing = ModuleNotFoundError("no module", name="anthropic")
    assert "pip install 'tribal-knowledge[model]'" in model_missing(missing).message
    assert "pip install 'tribal-knowledge[aws,model]'" in model_missing(missing, bedrock=True).message
