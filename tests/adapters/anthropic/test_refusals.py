"""What a refusal says about money, waiting and retries, beyond its status."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import httpx2

from tests.cases import each_case
from tests.fakes.claude import aws, frames
from tribal.adapters.anthropic.model import ADVICE
from tribal.adapters.anthropic.refusals import read_error, read_refusal
from tribal.adapters.language_models.refusals import failure_of
from tribal.ports import ModelFailure, ModelRequest

REQUEST = ModelRequest("Describe tables.", '{"table": "orders"}', None, 100, 10.0)


def refusal(status: int, message: str = "no", **headers: str) -> ModelFailure:
    body = json.dumps({"type": "error", "error": {"type": "invalid_request_error", "message": message}})
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    refused = read_refusal(status, named, body.encode())
    return failure_of(refused, httpx2.Headers(named), status, REQUEST, ADVICE, 1)


@each_case(
    "message",
    [
        "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to purchase credits.",
        "You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.",
        "This request would exceed your organization's monthly spend limit.",
    ],
)
def test_an_empty_balance_and_a_reached_limit_stop_the_run_although_they_come_as_400(message: str) -> None:
    found = refusal(400, message)
    assert found.kind == "stopped"
    assert "add credit or raise the limit" in found.message


def test_another_400_is_about_the_request() -> None:
    assert refusal(400, "max_tokens: must be positive").kind == "rejected"


def test_milliseconds_come_before_seconds() -> None:
    assert refusal(429, retry_after_ms="1500", retry_after="7").retry_after_seconds == 1.5


def test_without_a_time_to_wait_that_of_the_limit_which_is_used_up_counts() -> None:
    now = datetime.now(UTC)
    found = refusal(
        429,
        anthropic_ratelimit_requests_remaining="12",
        anthropic_ratelimit_requests_reset=(now + timedelta(seconds=50)).isoformat(),
        anthropic_ratelimit_tokens_remaining="0",
        anthropic_ratelimit_tokens_reset=(now + timedelta(seconds=20)).isoformat(),
    )
    assert found.retry_after_seconds is not None
    assert 15 < found.retry_after_seconds <= 20


@each_case(("value", "expected"), [("true", True), ("false", False), ("", None), ("maybe", None)])
def test_the_providers_word_about_a_retry_is_passed_on(value: str, expected: bool | None) -> None:
    assert refusal(529, x_should_retry=value).may_retry is expected


def test_an_exception_in_a_stream_of_bedrock_has_the_status_of_the_same_one_as_a_response() -> None:
    for name in frames.exceptions():
        status, _ = read_error({"type": name, "message": "no"}, unseen=False)
        assert status == aws.statuses()[name[0].upper() + name[1:]]


def test_an_error_with_status_200_stops_the_run_if_its_twin_does() -> None:
    spent = {"type": "rate_limit_error", "message": "no", "details": {"error_code": "enforced_spend_limit_reached"}}
    for error, says in (
        ({"type": "permission_error", "message": "no"}, "permission"),
        ({"type": "invalid_request_error", "message": "Your credit balance is too low"}, "money"),
        (spent, "money"),
    ):
        _, refusal = read_error(error, unseen=False)
        assert (refusal.kind, refusal.says) == ("stopped", says)


@each_case("error", [{}, {"type": 7, "message": ["PLANTED"], "details": "no"}, {"type": "odd_error", "message": "no"}])
def test_an_error_of_unknown_type_is_unavailable_and_may_have_cost_something(error: dict[str, object]) -> None:
    status, refusal = read_error(error, unseen=False)
    assert (status, refusal.kind, refusal.unseen) == (500, "unavailable", True)
