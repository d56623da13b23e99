"""Requests to Bedrock bear the current AWS identity, and nothing of the SDK's environment."""

from __future__ import annotations

import socket
from dataclasses import replace

import pytest

from tests.conformance.language_model import REQUEST, answered, failed
from tests.fakes.claude import FakeClaude
from tests.waiting import LONGEST_SECONDS
from tribal.adapters.bedrock.model import bedrock_model
from tribal.models.known_models import model_facts
from tribal.ports import LanguageModel
from tribal_contracts import ModelPrice, ModelSettings

HAIKU = "eu.anthropic.claude-haiku-5-5"
OLD = "anthropic.claude-haiku-4-5-20251001-v1:0"


def over_messages(claude: FakeClaude, name: str = HAIKU) -> LanguageModel:
    settings = ModelSettings(provider="bedrock", name=name, base_url=claude.messages_address)
    return bedrock_model(settings, model_facts(settings), "eu-central-1")


def over_runtime(claude: FakeClaude, name: str = HAIKU, price: ModelPrice | None = None) -> LanguageModel:
    settings = ModelSettings(provider="bedrock", name=name, base_url=claude.address, endpoint="runtime", price=price)
    return bedrock_model(settings, model_facts(settings), "eu-central-1")


@pytest.mark.parametrize("opened", [over_messages, over_runtime])
def test_environment_variables_of_the_sdk_change_nothing(
    claude: FakeClaude, aws_account: None, monkeypatch: pytest.MonkeyPatch, opened: object
) -> None:
    for name in ("ANTHROPIC_BEDROCK_BASE_URL", "ANTHROPIC_BEDROCK_MANTLE_BASE_URL"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("AWS_BEARER_TOKEN_BEDROCK", "ANTHROPIC_AWS_API_KEY"):
        monkeypatch.setenv(name, "not-ours")
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "Authorization: Bearer not-ours\nanthropic-beta: strange")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    assert callable(opened)
    answered(opened(claude).ask(REQUEST))
    (call,) = claude.calls
    assert "/eu-central-1/bedrock" in call.headers["authorization"]
    assert "anthropic-beta" not in call.headers


def test_a_session_of_a_role_sends_its_token(
    claude: FakeClaude, aws_account: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SESSION_TOKEN", "of the session")
    answered(over_messages(claude).ask(REQUEST))
    assert claude.calls[0].headers["x-amz-security-token"] == "of the session"


@pytest.mark.parametrize("opened", [over_messages, over_runtime])
def test_an_identity_that_bedrock_refuses_stops_everything(
    claude: FakeClaude, aws_account: None, opened: object
) -> None:
    claude.secrets = {}
    assert callable(opened)
    outcome = failed(opened(claude).ask(REQUEST))
    assert (outcome.kind, outcome.unseen) == ("stopped", False)
    assert "allow bedrock" in outcome.message


def test_without_credentials_nothing_is_sent(
    claude: FakeClaude, aws_account: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    outcome = failed(over_messages(claude).ask(REQUEST))
    assert (outcome.kind, outcome.unseen, claude.calls) == ("stopped", False, [])
    assert "aws configure" in outcome.message


def test_credentials_that_do_not_come_end_at_the_deadline(
    claude: FakeClaude, aws_account: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", f"http://127.0.0.1:{silent.getsockname()[1]}/")
        outcome = failed(over_messages(claude).ask(replace(REQUEST, deadline_seconds=0.6)))
    assert (outcome.kind, outcome.unseen, claude.calls) == ("timed_out", False, [])
    assert outcome.usage.time_ms < 1_000 * LONGEST_SECONDS


def test_a_profile_that_there_is_not_stops_everything(
    claude: FakeClaude, aws_account: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    monkeypatch.setenv("AWS_PROFILE", "nowhere")
    outcome = failed(over_messages(claude).ask(REQUEST))
    assert (outcome.kind, outcome.unseen) == ("stopped", False)
    assert "nowhere" in outcome.message


@pytest.mark.parametrize(
    ("name", "version"),
    [
        (OLD, "bedrock-2023-05-31"),
        ("anthropic.claude-opus-4-20250514-v1:0", "bedrock-2023-05-31"),
        ("anthropic.claude-3-5-haiku-20241022-v1:0", "bedrock-2023-05-31"),
        ("anthropic.claude-opus-4-7", "2026-10-21"),
        (HAIKU, "2026-10-21"),
    ],
)
def test_older_models_get_the_version_that_bedrock_runtime_knows_them_by(
    claude: FakeClaude, aws_account: None, name: str, version: str
) -> None:
    over_runtime(claude, name, ModelPrice(input_usd=1, output_usd=5)).ask(REQUEST)
    assert claude.versions == [version]


def test_what_bedrock_asks_more_for_a_region_is_in_the_price(claude: FakeClaude, aws_account: None) -> None:
    here, anywhere = (
        answered(over_messages(claude, name).ask(REQUEST)).usage for name in (HAIKU, f"global{HAIKU[2:]}")
    )
    assert (here.tokens, here.output_tokens) == (anywhere.tokens, anywhere.output_tokens)
    assert here.nanodollars == -(-anywhere.nanodollars * 11 // 10)
