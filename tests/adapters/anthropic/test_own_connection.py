"""Address, key, headers and retries come from the settings alone, whatever the SDK would read or follow."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from opentelemetry import trace
from pydantic import SecretStr

from tests.conformance.language_model import REQUEST, answered, failed
from tests.fakes.claude import KEY, FakeClaude, failures
from tribal.adapters.anthropic.model import anthropic_model
from tribal.errors import SecretsUnavailable
from tribal.models.known_models import model_facts
from tribal.ports import LanguageModel
from tribal_contracts import ModelSettings


def settings_of(claude: FakeClaude, name: str = "claude-haiku-5-5") -> ModelSettings:
    return ModelSettings(provider="anthropic", name=name, api_key_secret="CLAUDE_KEY", base_url=claude.address)


def model_of(claude: FakeClaude, key: str = KEY, name: str = "claude-haiku-5-5") -> LanguageModel:
    settings = settings_of(claude, name)
    return anthropic_model(settings, model_facts(settings), SecretStr(key))


def test_environment_variables_of_the_sdk_change_nothing(
    claude: FakeClaude, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    profile = {"version": "1.0", "base_url": "http://127.0.0.1:9", "authentication": {"type": "user_oauth"}}
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "default.json").write_text(json.dumps(profile))
    monkeypatch.setenv("ANTHROPIC_CONFIG_DIR", str(tmp_path))
    monkeypatch.setenv("ANTHROPIC_PROFILE", "default")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "not-ours")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "not-ours")
    monkeypatch.setenv(
        "ANTHROPIC_CUSTOM_HEADERS", "Authorization: Bearer not-ours\nanthropic-beta: strange\nHost: elsewhere"
    )
    answered(model_of(claude).ask(REQUEST))
    (call,) = claude.calls
    assert call.headers == {
        "host": claude.address.removeprefix("http://"),
        "accept": "application/json",
        "content-type": "application/json",
        "content-length": call.headers["content-length"],
        "user-agent": "tribal-knowledge",
        "anthropic-version": "2026-10-21",
        "authorization": f"Bearer {KEY}",
    }


def test_a_redirect_is_not_followed_with_what_was_asked(claude: FakeClaude) -> None:
    elsewhere = FakeClaude()
    claude.fail(replace(failures.REDIRECT, headers=(("location", f"{elsewhere.address}/v1/messages"),)))
    outcome = failed(model_of(claude).ask(REQUEST))
    elsewhere.stop()
    assert elsewhere.calls == []
    assert "redirect" in outcome.message


def test_one_question_is_one_request_whatever_comes_back(claude: FakeClaude) -> None:
    model = model_of(claude)
    claude.fail(failures.OVERLOADED, failures.BROKEN, failures.RATE_LIMITED, failures.RESET)
    for number in range(1, 5):
        failed(model.ask(REQUEST))
        assert len(claude.calls) == number


class Tracers(trace.NoOpTracerProvider):
    """Remembers who wanted to trace something."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def get_tracer(self, instrumenting_module_name: str, *_: object, **__: object) -> trace.Tracer:
        self.asked.append(instrumenting_module_name)
        return trace.NoOpTracer()


def test_a_question_is_not_traced(claude: FakeClaude, monkeypatch: pytest.MonkeyPatch) -> None:
    tracers = Tracers()
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", tracers)
    answered(model_of(claude).ask(REQUEST))
    assert tracers.asked == []


class Vault:
    """Holds the key, as its rotation left it."""

    def __init__(self, value: str | None) -> None:
        self.value = value
        self.asked = 0

    def renew(self) -> SecretStr | None:
        self.asked += 1
        return None if self.value is None else SecretStr(self.value)


def with_vault(claude: FakeClaude, vault: Vault) -> LanguageModel:
    settings = settings_of(claude)
    return anthropic_model(settings, model_facts(settings), SecretStr(KEY), vault.renew)


def test_a_rotated_key_is_looked_up_once_for_all_calls_that_it_was_refused_to(claude: FakeClaude) -> None:
    claude.keys = {"rotated"}
    vault = Vault("rotated\n")
    model = with_vault(claude, vault)
    together = threading.Barrier(8)

    def ask(_: int) -> None:
        together.wait()
        answered(model.ask(REQUEST))

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(ask, range(8)))
    answered(model.ask(REQUEST))
    assert vault.asked == 1


@pytest.mark.parametrize("value", [KEY, None, "another that is wrong"])
def test_a_key_that_stays_refused_stops_everything(claude: FakeClaude, value: str | None) -> None:
    claude.keys = set()
    vault = Vault(value)
    outcome = failed(with_vault(claude, vault).ask(REQUEST))
    assert (outcome.kind, outcome.unseen, vault.asked) == ("stopped", False, 1)
    assert "model.api_key_secret" in outcome.message


def test_a_secret_store_that_does_not_answer_leaves_the_key_refused(claude: FakeClaude) -> None:
    def renew() -> SecretStr | None:
        raise SecretsUnavailable("the secret store did not answer")

    claude.keys = set()
    settings = settings_of(claude)
    model = anthropic_model(settings, model_facts(settings), SecretStr(KEY), renew)
    assert failed(model.ask(REQUEST)).kind == "stopped"


def test_a_key_with_a_line_break_at_its_end_is_a_key(claude: FakeClaude) -> None:
    answered(model_of(claude, f"{KEY}\n").ask(REQUEST))


@pytest.mark.parametrize("key", ["", "two\nlines", "schlüssel"])
def test_what_cannot_be_a_key_is_not_sent(claude: FakeClaude, key: str) -> None:
    outcome = failed(model_of(claude, key).ask(REQUEST))
    assert (outcome.kind, outcome.unseen, claude.calls) == ("stopped", False, [])
    assert key == "" or key not in outcome.message


@pytest.mark.parametrize("name", ["claude-haiku-5-5", "claude-sonnet-5-5", "claude-opus-5-5"])
def test_every_known_model_takes_what_is_sent_to_it_and_costs_what_the_table_says(
    claude: FakeClaude, name: str
) -> None:
    usages = [answered(model_of(claude, name=name).ask(REQUEST)).usage for _ in range(2)]
    assert [usage.nanodollars for usage in usages] == [call.nanodollars for call in claude.calls]


def test_a_request_is_known_by_its_number_where_it_failed(claude: FakeClaude) -> None:
    claude.fail(failures.BROKEN, replace(failures.BROKEN, headers=(("request-id", "<script>"),)))
    model = model_of(claude)
    assert "[request req_failed]" in failed(model.ask(REQUEST)).message
    assert "script" not in failed(model.ask(REQUEST)).message


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("2.5", 2.5), ("-3", 0.0), ("Thu, 01 Jan 2015 00:00:00 GMT", 0.0), ("nan", None), ("inf", None), ("soon", None)],
)
def test_a_wait_is_read_as_seconds_or_as_a_date(claude: FakeClaude, value: str, seconds: float | None) -> None:
    claude.fail(replace(failures.RATE_LIMITED, headers=(("retry-after", value),)))
    assert failed(model_of(claude).ask(REQUEST)).retry_after_seconds == seconds


NO_OBJECTS = {
    "a number that JSON lacks": '{"a": NaN}',
    "very deep": "[" * 100_000,
    "two objects": '{"a": 1} {"a": 2}',
    "nothing": "",
    "null": "null",
    "a string": '"{}"',
    "a huge number": "7" * 5_000,
}


@pytest.mark.parametrize("text", NO_OBJECTS.values(), ids=list(NO_OBJECTS))
def test_what_is_no_json_object_is_malformed(claude: FakeClaude, text: str) -> None:
    claude.mind = lambda _: text
    outcome = failed(model_of(claude).ask(replace(REQUEST, max_tokens=100_000)))
    assert (outcome.kind, outcome.unseen) == ("malformed", False)
    assert outcome.usage.nanodollars == claude.nanodollars
