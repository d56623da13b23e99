"""Sessions that are valid by the data model are read, and those that break its text are found."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from pydantic import ValidationError

from tests.cases import each_case
from tribal_contracts.interrogation.configuration import Configuration
from tribal_contracts.interrogation.rules import broken_rules
from tribal_contracts.interrogation.scoring import completeness_score, consistency_score
from tribal_contracts.interrogation.sessions import Gap, InterrogationSession
from tribal_contracts.interrogation.times import instant
from tribal_contracts.schemas import json_schema

SCHEMA = jsonschema.Draft7Validator(json_schema("interrogation-session"), format_checker=jsonschema.FormatChecker())
GAP = {"category": "vagueness", "description": "the unit of amount", "severity": "low"}


def session(**changes: Any) -> dict[str, Any]:
    """A completed session with one pair, valid by every rule, with changes by path (`qaPairs.0.sequence`)."""
    made: dict[str, Any] = {
        "id": "7f3c1f52-6f0e-4b3a-9d53-0f5f3b1f9a11",
        "hypothesis": {"text": "Summarize the health benefits of Vitamin B3", "createdAt": "2025-10-05T14:30:22Z"},
        "startTime": "2025-10-05T14:30:22Z",
        "endTime": "2025-10-05T14:33:00Z",
        "status": "completed",
        "iterationLimit": 5,
        "currentIteration": 1,
        "qaPairs": [
            {
                "sequence": 1,
                "question": "What are the specific dosage recommendations for Vitamin B3?",
                "answer": "The recommended daily allowance is 16mg for adult men...",
                "timestamp": "2025-10-05T14:32:15Z",
                "gapAnalysis": {"gaps": [GAP], "completenessScore": 95, "requiresFollowUp": False},
                "providerUsed": "openai:gpt-4o",
            }
        ],
        "auditResult": {
            "consistencyScore": 88,
            "contradictions": [{"qaPairIndexes": [0, 0], "description": "it says 16mg and 14mg"}],
            "remainingGaps": [GAP],
            "summary": "# Vitamin B3",
        },
        "auditTrail": [],
    }
    for path, value in changes.items():
        place: Any = made
        *parents, name = path.split("__")
        for each in parents:
            place = place[int(each) if each.isdigit() else each]
        if value is None:
            del place[name]
        else:
            place[name] = value
    return made


def read(values: dict[str, Any]) -> InterrogationSession:
    return InterrogationSession.from_json(json.dumps(values))


def test_a_session_keeps_the_rules_and_is_written_as_it_was_read() -> None:
    assert broken_rules(read(session())) == []
    assert json.loads(read(session()).to_json()) == session()
    assert SCHEMA.is_valid(session())


SWITCH = {"timestamp": "2025-10-05T14:31:00Z", "event": "provider_switch", "reason": "429"}


@each_case(
    "changes",
    [
        {"startTime": "2025-10-05T16:30:22.123+02:00"},
        {"hypothesis__createdAt": "2025-10-05t14:30:22z"},
        {"hypothesis__text": "x" * 5_000},
        {"qaPairs__0__answer": "x" * 9_000},
        {"qaPairs__0__answer": ""},
        {"qaPairs__0__providerUsed": "GPT:4"},
        {"auditResult__remainingGaps": []},
        {"auditResult__contradictions": [{"qaPairIndexes": [1, 0], "description": "x"}]},
        {"id": "7F3C1F52-6F0E-4B3A-9D53-0F5F3B1F9A11"},
        {"currentIteration": 2},
        {"qaPairs__0__gapAnalysis__completenessScore": 100},
        {"auditTrail": [SWITCH]},
        {"auditTrail": [SWITCH] * 300},
    ],
)
def test_what_only_the_rules_of_writing_forbid_is_read_and_passes_the_schema(changes: dict[str, Any]) -> None:
    values = session(**changes)
    assert SCHEMA.is_valid(values)
    assert broken_rules(read(values)) != [] or "answer" in str(changes)


def test_a_category_that_another_program_made_up_is_read_but_never_written() -> None:
    values = session(auditResult__remainingGaps=[{"category": "other", "description": "x"}])
    assert any("remainingGaps" in each for each in broken_rules(read(values)))
    assert not SCHEMA.is_valid(values)


@each_case(
    "changes, rule",
    [
        ({"id": "7f3c1f52-6f0e-1b3a-9d53-0f5f3b1f9a11"}, "version 4"),
        ({"hypothesis__text": "  "}, "hypothesis.text"),
        ({"endTime": None}, "endTime"),
        ({"endTime": "2025-10-05T14:30:00Z"}, "endTime must not be before"),
        ({"auditResult": None}, "auditResult must"),
        ({"status": "failed"}, "auditResult must"),
        ({"status": "running"}, "endTime"),
        ({"status": "limit-reached", "auditResult": None}, "limit-reached needs"),
        ({"status": "failed", "auditResult": None}, "interimAudit must"),
        ({"holder": {"name": "x", "expiresAt": "2025-10-05T14:33:00Z"}}, "no holder"),
        ({"qaPairs__0__sequence": 2}, "sequence"),
        ({"qaPairs__0__question": " "}, "question"),
        ({"qaPairs__0__providerUsed": "openai:"}, "providerUsed"),
        ({"qaPairs__0__witnessUsed": "ollama:a b"}, "providerUsed"),
        ({"qaPairs__0__gapAnalysis__requiresFollowUp": True}, "requiresFollowUp"),
        ({"qaPairs__0__gapAnalysis__gaps": []}, "completenessScore"),
        ({"qaPairs__0__gapAnalysis__gaps": [GAP] * 21}, "at most 20 gaps"),
        ({"auditResult__consistencyScore": 90}, "consistencyScore"),
        ({"auditResult__contradictions": [{"qaPairIndexes": [0, 1], "description": "x"}]}, "indexes of pairs"),
        ({"auditResult__contradictions__0__description": " "}, "two indexes"),
        ({"auditResult__summary": " "}, "summary"),
        ({"auditTrail": [SWITCH]}, "provider_switch"),
        ({"auditTrail": [{**SWITCH, "event": "error", "fromProvider": "a:b"}]}, "provider_switch"),
        ({"auditTrail": [{**SWITCH, "event": "error", "timestamp": "2025-10-05T14:40:00Z"}]}, "times of auditTrail"),
    ],
)
def test_a_broken_rule_is_named(changes: dict[str, Any], rule: str) -> None:
    assert any(rule in each for each in broken_rules(read(session(**changes))))


@each_case(
    "changes",
    [
        {"id": "7"},
        {"iterationLimit": 4},
        {"iterationLimit": 21},
        {"status": "stopped"},
        {"currentIteration": -1},
        {"hypothesis__text": ""},
        {"startTime": "yesterday"},
        {"qaPairs": None},
        {"auditTrail": None},
        {"qaPairs__0__gapAnalysis": None},
        {"qaPairs__0__gapAnalysis__gaps": [{**GAP, "severity": "huge"}]},
        {"auditResult__consistencyScore": 101},
        {"auditResult__contradictions": [{"qaPairIndexes": [0], "description": "x"}]},
    ],
)
def test_what_the_schema_of_the_data_model_forbids_is_not_read(changes: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        read(session(**changes))


def test_scores_follow_from_gaps_and_contradictions() -> None:
    gaps = [Gap(category="ambiguity", description="x", severity=each) for each in ("high", "medium", "low")]
    assert consistency_score(gaps, 1) == 100 - 10 - 10 - 5 - 2
    assert consistency_score([], 0) == completeness_score([]) == 100
    assert consistency_score(gaps * 10, 5) == completeness_score(gaps * 10) == 0
    assert completeness_score(gaps[2:]) == 95


def test_times_are_compared_as_points_in_time() -> None:
    assert instant("2025-10-05T16:30:22+02:00") == instant("2025-10-05T14:30:22Z")
    assert instant("2016-12-31T23:59:60Z") == instant("2016-12-31T23:59:59.0Z")
    for text in ("2025-13-05T14:30:22Z", "2025-10-05", "2025-10-05T14:30:22", "\uff12025-10-05T14:30:22Z"):
        with pytest.raises(ValueError, match=r"date-time|month"):
            instant(text)


DETECTIVE = {"provider": "openai", "apiKey": "k" * 20, "model": "gpt-4o", "isDefault": True}


def test_a_configuration_needs_one_default_and_every_provider_in_its_order_and_never_shows_a_key() -> None:
    made = Configuration.model_validate({"detectives": [DETECTIVE], "providerFallbackOrder": ["openai"]})
    assert (made.timeouts.cloud_timeout, made.timeouts.local_timeout, made.default_iteration_limit) == (60, 120, 10)
    assert "k" * 20 not in made.to_json().decode() + repr(made)
    assert Configuration.model_validate({"detectives": [], "providerFallbackOrder": []}).witness is None
    for values in (
        {"detectives": [DETECTIVE], "providerFallbackOrder": []},
        {"detectives": [DETECTIVE, DETECTIVE], "providerFallbackOrder": ["openai"]},
        {"detectives": [{**DETECTIVE, "isDefault": False}], "providerFallbackOrder": ["openai"]},
        {"detectives": [{**DETECTIVE, "apiKey": "k" * 19}], "providerFallbackOrder": ["openai"]},
        {"detectives": [{**DETECTIVE, "provider": "groq"}], "providerFallbackOrder": ["groq"]},
        {"detectives": [], "providerFallbackOrder": [], "timeouts": {"cloudTimeout": 14}},
        {"detectives": [], "providerFallbackOrder": [], "defaultIterationLimit": 4},
        {"detectives": [], "providerFallbackOrder": [], "witness": {"baseUrl": "localhost", "model": "llama2"}},
    ):
        with pytest.raises(ValidationError):
            Configuration.model_validate(values)
