"""What `make live` does, played against the stand-in."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.fakes.claude import KEY, FakeClaude, failures
from tests.fakes.claude.failures import Failure
from tests.fakes.openai import KEY as OPENAI_KEY
from tests.fakes.openai import FakeOpenAI
from tests.fakes.openai.vendor import VendorName
from tests.live.__main__ import CAP, main

ON = {"TRIBAL_LIVE": "1", "ANTHROPIC_API_KEY": KEY}


@pytest.mark.parametrize("environment", [{}, {"TRIBAL_LIVE": "1"}, {"ANTHROPIC_API_KEY": KEY}])
def test_without_a_key_and_the_switch_it_says_what_to_set_and_sends_nothing(
    claude: FakeClaude, environment: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(environment, claude.address) == 0
    said = capsys.readouterr().out
    assert claude.calls == []
    assert said.count("\n") == 1
    assert "ANTHROPIC_API_KEY" in said
    assert "TRIBAL_LIVE=1" in said


def test_five_tables_are_asked_about_and_the_answers_compared(
    claude: FakeClaude, capsys: pytest.CaptureFixture[str]
) -> None:
    extra = Failure(
        "extra field", "made up", vendors=False, change=lambda message: {**message, "mood": {"now": "good"}}
    )
    claude.fail(None, extra)
    assert main(ON, claude.address) == 0
    said = capsys.readouterr().out
    assert len(claude.calls) == 5
    assert claude.nanodollars < CAP
    assert "- mood.now: only the API sends it\n- mood: only the API sends it\n" in said


def test_an_answer_in_the_same_fields_is_no_difference(claude: FakeClaude, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(ON, claude.address) == 0
    assert "The stand-in answers in the same fields." in capsys.readouterr().out


def test_a_call_that_failed_is_reported_and_fails_the_command(
    claude: FakeClaude, capsys: pytest.CaptureFixture[str]
) -> None:
    claude.fail(*[failures.FORBIDDEN] * 5)
    assert main(ON, claude.address) == 1
    assert "stopped: Anthropic does not permit it (403 permission_error" in capsys.readouterr().out


def test_calls_end_before_they_can_cost_more_than_the_cap(
    claude: FakeClaude, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.live.__main__.CAP", 500_000)
    assert main(ON, claude.address) == 0
    assert 0 < len(claude.calls) < 5
    assert claude.nanodollars <= 500_000
    assert "stopped before call" in capsys.readouterr().out


PROVIDERS: list[tuple[VendorName, str, str]] = [
    ("openai", "OPENAI_API_KEY", OPENAI_KEY),
    ("gemini", "GEMINI_API_KEY", OPENAI_KEY),
    ("groq", "GROQ_API_KEY", OPENAI_KEY),
    ("ollama", "OLLAMA_MODEL", "qwen3:14b"),
]


def test_each_provider_whose_key_is_there_is_asked(
    open_vendor: Callable[[VendorName], FakeOpenAI], capsys: pytest.CaptureFixture[str]
) -> None:
    for vendor, variable, value in PROVIDERS:
        fake = open_vendor(vendor)
        assert main({"TRIBAL_LIVE": "1", variable: value}, fake.address) == 0, capsys.readouterr().out
        assert len(fake.calls) == 5
        said = capsys.readouterr().out
        assert "A stream came in" in said
        assert "The stand-in answers in the same fields." in said
