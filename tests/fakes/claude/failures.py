"""How a call can go wrong, each with where it stands that it can."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from tests.fakes.http_server import Delivery


@dataclass(frozen=True)
class Failure:
    """What happens instead of an answer, or to one.

    Args:
        cites: where the vendor says so; what no vendor says comes from something in between, or from the future.
        status: of an error; 200 changes the answer that the model gave. vendors: whether the shape is the vendor's,
            which is then checked. billed: whether the model ran.
    """

    name: str
    cites: str
    status: int = 200
    type: str = ""
    code: str | None = None
    message: str = "An error occurred."
    headers: tuple[tuple[str, str], ...] = ()
    change: Callable[[dict[str, Any]], Any] | None = None
    body: bytes | None = None
    content_type: str = "application/json"
    delivery: Delivery = "whole"
    vendors: bool = True
    billed: bool = True


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

MIXED = (
    REFUSAL, MAX_TOKENS, THINKING_FIRST, UNKNOWN_BLOCK, UNKNOWN_STOP_REASON, EXTRA_TEXT, CUT_ANSWER, WRONG_SHAPE,
    HTML, NO_USAGE, RATE_LIMITED, OVERLOADED, BROKEN, RESET, CUT, HANG, DRIP,
)  # fmt: skip
"""What may happen to one call out of many; none of it ends a run."""


def limited(seconds: int) -> Failure:
    """A 429 that asks to wait."""
    return replace(RATE_LIMITED, headers=(("retry-after", str(seconds)),))


@dataclass
class Script:
    """What happens to the next calls: a list first, then a share of all others."""

    next: list[Failure | None] = field(default_factory=list)
    share: float = 0.0
    among: tuple[Failure, ...] = MIXED
    dice: random.Random = field(default_factory=lambda: random.Random(0))

    def draw(self) -> Failure | None:
        """What happens to this call."""
        if self.next:
            return self.next.pop(0)
        return self.dice.choice(self.among) if self.share and self.dice.random() < self.share else None
