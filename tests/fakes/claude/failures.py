"""How a call can go wrong, each with where it stands that it can."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tests.fakes.model_servers import script
from tests.fakes.model_servers.script import Event
from tests.fakes.model_servers.script import Failure as Failure


def _error(name: str, status: int, type_: str, cites: str = "api/errors", **more: Any) -> Failure:
    return Failure(name, cites, status, type_, billed=False, **more)


def _stop(reason: str, **fields: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda message: {**message, "stop_reason": reason, **fields}


def _text(change: Callable[[str], str]) -> Callable[[dict[str, Any]], Any]:
    def changed(message: dict[str, Any]) -> Any:
        texts = [
            {**block, "text": change(block["text"])} if block["type"] == "text" else block
            for block in message["content"]
        ]
        return {**message, "content": texts}

    return changed


_REFUSED = {"type": "refusal", "category": "cyber", "explanation": "PLANTED: the model's own words."}
_REFUSAL = "anthropic/types/refusal_stop_details.py"
_HTML = b"<html><body>PLANTED: please log in to the network</body></html>"

REFUSAL = Failure("refusal", _REFUSAL, change=_stop("refusal", content=[], stop_details=_REFUSED))
REFUSAL_WITH_TEXT = Failure(
    "refusal with text",
    _REFUSAL,
    change=_stop("refusal", content=[{"type": "text", "text": '{"PLANTED": 1}'}], stop_details=_REFUSED),
)
MAX_TOKENS = Failure(
    "max_tokens",
    "anthropic/types/stop_reason.py",
    change=lambda message: _text(lambda text: text[:-4])({**message, "stop_reason": "max_tokens"}),
)
CONTEXT_EXCEEDED = Failure(
    "context exceeded while answering",
    "anthropic/types/stop_reason.py",
    change=_stop("model_context_window_exceeded"),
)
PROMPT_TOO_LONG = _error(
    "prompt too long",
    400,
    "invalid_request_error",
    "build-with-claude/context-windows",
    message="prompt is too long: 1100000 tokens > 1000000 maximum",
)
BODY_TOO_LARGE = _error(
    "body too large", 413, "invalid_request_error", "anthropic/_exceptions.py: ContentTooLargeError"
)
THINKING_FIRST = Failure(
    "thinking first",
    "anthropic/types/thinking_block.py",
    change=lambda message: {
        **message,
        "content": [
            {"type": "thinking", "thinking": '{"PLANTED": "a thought"}', "signature": "sig"},
            {"type": "redacted_thinking", "data": "b64"},
            *message["content"],
        ],
    },
)
UNKNOWN_BLOCK = Failure(
    "unknown block",
    "none: of the future",
    vendors=False,
    change=lambda message: {**message, "content": [{"type": "hologram", "text": "PLANTED"}, *message["content"]]},
)
UNKNOWN_STOP_REASON = Failure(
    "unknown stop reason", "none: of the future", vendors=False, change=_stop("PLANTED_reason")
)
EXTRA_TEXT = Failure(
    "extra text", "anthropic/types/text_block.py", change=_text(lambda text: f"Here it is, PLANTED:\n{text}")
)
CUT_ANSWER = Failure("cut JSON", "anthropic/types/text_block.py", change=_text(lambda text: text[: len(text) // 2]))
WRONG_SHAPE = Failure("wrong shape", "anthropic/types/text_block.py", change=_text(lambda text: f"[{text}]"))
NO_TEXT = Failure("no text", "anthropic/types/message.py", change=_stop("end_turn", content=[]))
HTML = Failure("HTML with 200", "none: a proxy", vendors=False, body=_HTML, content_type="text/html")
OTHER_JSON = Failure("other JSON with 200", "none: a proxy", vendors=False, body=b'{"status": "PLANTED"}')
NO_USAGE = Failure(
    "no usage",
    "none: a gateway",
    vendors=False,
    change=lambda message: {name: value for name, value in message.items() if name != "usage"},
)
CUT_JSON_BODY = Failure("body that is half a JSON", "none: a proxy", vendors=False, body=b'{"type": "message", "con')

INVALID_REQUEST = _error("invalid request", 400, "invalid_request_error", message="tools.0 is odd")
KEY_REFUSED = _error("401", 401, "authentication_error", message="invalid bearer token")
NO_CREDIT = _error("402", 402, "billing_error", message="no credit")
FORBIDDEN = _error("403", 403, "permission_error", message="not for you")
NO_SUCH_MODEL = _error("404", 404, "not_found_error", message="model: claude-none")
EMPTY_BALANCE = _error(
    "empty balance",
    400,
    "invalid_request_error",
    "https://github.com/anthropics/claude-code/issues/66314",
    message="Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or "
    "purchase credits.",
)
USAGE_LIMIT = _error(
    "usage limit",
    400,
    "invalid_request_error",
    "https://github.com/anthropics/claude-code/issues/38035",
    message="You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.",
)
CONTRACT_LIMIT = _error(
    "spend limit of the contract",
    429,
    "rate_limit_error",
    "anthropic/types/shared/contract_spend_limit_reached_error.py",
    code="contract_spend_limit_reached",
    headers=(("retry-after", "1"),),
)
TIER_LIMIT = _error(
    "spend limit of the tier",
    429,
    "rate_limit_error",
    "anthropic/types/shared/enforced_spend_limit_reached_error.py",
    code="enforced_spend_limit_reached",
)
LINKED_LIMIT = _error(
    "spend limit of a linked organization",
    402,
    "billing_error",
    "anthropic/types/shared/linked_organization_spend_limit_reached_error.py",
    code="linked_organization_spend_limit_reached",
)
ON_HOLD = _error(
    "organization on hold",
    400,
    "invalid_request_error",
    "anthropic/types/shared/organization_on_hold_error.py",
    code="organization_on_hold",
)
RATE_LIMITED = _error("429", 429, "rate_limit_error", headers=(("retry-after", "1"),))
RATE_LIMITED_FOR_A_DAY = _error("429 for a day", 429, "rate_limit_error", headers=(("retry-after", "86400"),))
RATE_LIMITED_FOR_MILLISECONDS = _error(
    "429 in milliseconds",
    429,
    "rate_limit_error",
    "anthropic/_base_client.py: retry-after-ms",
    headers=(("retry-after-ms", "250"), ("retry-after", "41")),
)
NOT_TO_BE_RETRIED = _error(
    "529 that says not to retry",
    529,
    "overloaded_error",
    "anthropic/_base_client.py: x-should-retry",
    headers=(("x-should-retry", "false"),),
)
RETRY_THOUGH_INVALID = _error(
    "400 that says to retry",
    400,
    "invalid_request_error",
    "anthropic/_base_client.py: x-should-retry",
    headers=(("x-should-retry", "true"),),
)
RAMP_LIMITED = _error(
    "ramp limit",
    429,
    "rate_limit_error",
    "anthropic/types/shared/ramp_limit_exceeded_error.py",
    code="ramp_limit_exceeded",
    headers=(("retry-after", "7"),),
)
OVERLOADED = _error("529", 529, "overloaded_error", message="Overloaded")
BROKEN = _error("500", 500, "api_error", message="Internal server error")
GATEWAY = Failure("502 of a gateway", "none: a proxy", 502, vendors=False, body=_HTML, content_type="text/html")
TIMED_OUT = Failure("504", "anthropic/types/shared/gateway_timeout_error_object.py", 504, "timeout_error")

REDIRECT = Failure(
    "redirect", "none: a proxy", 307, vendors=False, billed=False, body=b"", headers=(("location", "/elsewhere"),)
)
RESET = Failure("reset", "none: the network", delivery="reset")
HANG = Failure("hang", "none: the network", delivery="hang")
DRIP = Failure("drip", "none: the network", delivery="drip")
CUT = Failure("cut body", "none: the network", delivery="cut")

STREAM_BREAKS = Failure("stream that breaks off", "none: the network", delivery="break")
STREAM_CUT = Failure("stream that is cut off", "none: the network", delivery="cut")
STREAM_STALLS = Failure("stream that stalls", "none: the network", delivery="stall")


def error_in_stream(type_: str, message: str = "too many of them", *, alone: bool = False) -> Failure:
    """An error in the middle of a stream, or in its place."""
    error = {"type": "error", "error": {"type": type_, "message": message}, "request_id": None}
    return Failure(
        f"{type_} in a stream",
        "anthropic/_streaming.py: sse.event == error",
        change_stream=lambda events: [*events[: 0 if alone else len(events) // 2], error],
    )


ERROR_WITH_200 = Failure(
    "error with 200",
    "none: a gateway",
    vendors=False,
    billed=False,
    body=b'{"type": "error", "error": {"type": "overloaded_error", "message": "too many of them"}}',
)
ERROR_IN_STREAM = error_in_stream("overloaded_error", "Overloaded")
NO_STOP_REASON_IN_STREAM = Failure(
    "stream without a stop reason",
    "none: a proxy",
    vendors=False,
    change_stream=lambda events: [event for event in events if event["type"] not in ("message_delta", "message_stop")],
)
NO_STOP_IN_STREAM = Failure(
    "stream without message_stop",
    "none: a proxy",
    vendors=False,
    change_stream=lambda events: [event for event in events if event["type"] != "message_stop"],
)
NO_USAGE_IN_STREAM = Failure(
    "stream without usage", "none: a gateway", vendors=False, change_stream=lambda events: _without_usage(events)
)


def _without_usage(events: Sequence[Event]) -> Sequence[Event]:
    return [
        {name: value for name, value in event.items() if name != "usage"}
        if event["type"] == "message_delta"
        else {**event, "message": {**event["message"], "usage": None}}
        if event["type"] == "message_start"
        else event
        for event in events
    ]


MIXED = (
    REFUSAL, MAX_TOKENS, THINKING_FIRST, UNKNOWN_BLOCK, UNKNOWN_STOP_REASON, EXTRA_TEXT, CUT_ANSWER, WRONG_SHAPE,
    HTML, NO_USAGE, RATE_LIMITED, OVERLOADED, BROKEN, RESET, CUT, HANG, DRIP,
)  # fmt: skip
"""What may happen to one call out of many; none of it ends a run."""


def limited(seconds: int) -> Failure:
    """A 429 that asks to wait."""
    return replace(RATE_LIMITED, headers=(("retry-after", str(seconds)),))


@dataclass
class Script(script.Script):
    """What happens to the next calls; a share is drawn from `MIXED`."""

    among: tuple[Failure, ...] = MIXED
