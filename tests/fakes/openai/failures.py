"""How a call can go wrong, each with where it stands that it can; `server` writes them as its vendor does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tests.fakes.model_servers import script
from tests.fakes.model_servers.script import Event, Failure

_ERRORS = "https://developers.openai.com/api/docs/guides/error-codes"
_COMPLETION = "openai/types/chat/chat_completion.py"
_RETRIES = "openai/_base_client.py: _parse_retry_after_header"
_HTML = b"<html><body>PLANTED: please log in to the network</body></html>"


def _error(name: str, status: int, type_: str, cites: str = _ERRORS, **more: Any) -> Failure:
    return Failure(name, cites, status, type_, billed=False, **more)


def _choice(reason: str, **message: Any) -> Callable[[dict[str, Any]], Any]:
    """Changes the finish reason, and members of the message."""

    def changed(completion: dict[str, Any]) -> Any:
        (choice,) = completion["choices"]
        new = {**choice, "finish_reason": reason, "message": {**choice["message"], **message}}
        return {**completion, "choices": [new]}

    return changed


def _text(change: Callable[[str], str], reason: str = "stop") -> Callable[[dict[str, Any]], Any]:
    return lambda completion: _choice(reason, content=change(completion["choices"][0]["message"]["content"]))(
        completion
    )


def _usage(change: Callable[[Mapping[str, Any]], Mapping[str, Any] | None]) -> Callable[[dict[str, Any]], Any]:
    def changed(completion: dict[str, Any]) -> Any:
        usage = change(completion["usage"])
        others = {name: value for name, value in completion.items() if name != "usage"}
        return others if usage is None else {**others, "usage": usage}

    return changed


def _thinking_apart(usage: Mapping[str, Any]) -> Mapping[str, Any]:
    reasoning = usage.get("completion_tokens_details", {}).get("reasoning_tokens", 0)
    apart = {"completion_tokens": usage["completion_tokens"] - reasoning}
    return {name: value for name, value in {**usage, **apart}.items() if name != "completion_tokens_details"}


REFUSAL = Failure(
    "refusal",
    "openai/types/chat/chat_completion_message.py",
    change=_choice("stop", content=None, refusal="PLANTED: I'm sorry, I can't assist with that."),
)
CONTENT_FILTER = Failure("content filter", _COMPLETION, change=_choice("content_filter", content=""))
TEXT_THEN_FILTER = Failure("text, then content filter", _COMPLETION, change=_text(lambda text: text, "content_filter"))
TRUNCATED = Failure("length", _COMPLETION, change=_text(lambda text: text[:-4], "length"))
UNKNOWN_FINISH_REASON = Failure(
    "unknown finish reason", "none: of the future", vendors=False, change=_choice("PLANTED_reason")
)
NO_TEXT = Failure("no text", "openai/types/chat/chat_completion_message.py", change=_choice("stop", content=None))
EXTRA_TEXT = Failure("extra text", _COMPLETION, change=_text("Here it is, PLANTED:\n```json\n{}\n```".format))
CUT_ANSWER = Failure("cut JSON", _COMPLETION, change=_text(lambda text: text[: len(text) // 2]))
WRONG_SHAPE = Failure("wrong shape", _COMPLETION, change=_text(lambda text: f"[{text}]"))
PROMPT_CUT = Failure(
    "prompt cut",
    "ollama/ollama llm/llama_server.go: completionPromptForRequest",
    change=_usage(
        lambda usage: {
            "prompt_tokens": 40,
            "completion_tokens": usage["completion_tokens"],
            "total_tokens": 40 + usage["completion_tokens"],
        }
    ),
)
THINKING_ONLY_IN_TOTAL = Failure(
    "thinking tokens only in the total",
    "https://github.com/Clarifai/clarifai-python/pull/978",
    change=_usage(_thinking_apart),
)
HTML = Failure("HTML with 200", "none: a proxy", vendors=False, body=_HTML, content_type="text/html")
OTHER_JSON = Failure("other JSON with 200", "none: a proxy", vendors=False, body=b'{"status": "PLANTED"}')
CUT_JSON_BODY = Failure("body that is half a JSON", "none: a proxy", vendors=False, body=b'{"id": "chatcmpl-1", "cho')
NO_USAGE = Failure("no usage", "openai/types/chat/chat_completion.py", change=_usage(lambda _: None))

CONTEXT_EXCEEDED = _error(
    "context exceeded",
    400,
    "invalid_request_error",
    "https://github.com/simonw/llm/issues/392",
    code="context_length_exceeded",
    message="This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens. "
    "Please reduce the length of the messages.",
)
LONGER_THAN_OLLAMA_TAKES = _error(
    "prompt longer than the context of Ollama",
    400,
    "invalid_request_error",
    "ollama/ollama llm/llama_server.go: completionPromptForRequest",
    message="the prompt is longer than the context length currently available to the model; shorten the prompt, "
    "adjust the context length in settings, or use a model with a longer context length",
)
INVALID_REQUEST = _error("invalid request", 400, "invalid_request_error", message="messages.0 is odd")
KEY_REFUSED = _error(
    "401", 401, "invalid_request_error", code="invalid_api_key", message="Incorrect API key provided: sk-***."
)
KEY_NOT_VALID = _error(
    "key that Gemini refuses",
    400,
    "invalid_request_error",
    "https://ai.google.dev/gemini-api/docs/troubleshooting",
    code="invalid_api_key",
    message="API key not valid. Please pass a valid API key.",
)
NO_CREDIT = _error("402", 402, "billing_error", "none: a gateway", vendors=False, message="no credit")
FORBIDDEN = _error(
    "403", 403, "invalid_request_error", code="unsupported_country_region_territory", message="not for your country"
)
NO_PERMISSION = _error("403 of a key", 403, "permissions_error", message="You have insufficient permissions.")
NO_SUCH_MODEL = _error(
    "404", 404, "invalid_request_error", code="model_not_found", message="The model `none` does not exist."
)
RATE_LIMITED = _error(
    "429",
    429,
    "requests",
    code="rate_limit_exceeded",
    message="Rate limit reached for requests",
    headers=(("retry-after", "1"),),
)
RATE_LIMITED_FOR_MILLISECONDS = replace(
    RATE_LIMITED,
    name="429 in milliseconds",
    cites=_RETRIES,
    headers=(("retry-after-ms", "250"), ("retry-after", "41")),
)
NO_QUOTA = _error(
    "insufficient quota",
    429,
    "insufficient_quota",
    "https://github.com/chatanywhere/GPT_API_free/issues/229",
    code="insufficient_quota",
    message="You exceeded your current quota, please check your plan and billing details.",
)
BROKEN = _error("500", 500, "server_error", message="The server had an error while processing your request")
OVERLOADED = _error("503", 503, "server_error", message="The engine is currently overloaded, please try again later")
NOT_TO_BE_RETRIED = replace(
    OVERLOADED,
    name="503 that says not to retry",
    cites="openai/_base_client.py: x-should-retry",
    headers=(("x-should-retry", "false"),),
)
RETRY_THOUGH_INVALID = replace(
    INVALID_REQUEST,
    name="400 that says to retry",
    cites="openai/_base_client.py: x-should-retry",
    headers=(("x-should-retry", "true"),),
)
GATEWAY = Failure("502 of a gateway", "none: a proxy", 502, vendors=False, body=_HTML, content_type="text/html")
TIMED_OUT = Failure("504", "none: a gateway", 504, "server_error", vendors=False, message="upstream timed out")
RESET = Failure("reset", "none: the network", delivery="reset")
HANG = Failure("hang", "none: the network", delivery="hang")
DRIP = Failure("drip", "none: the network", delivery="drip")
CUT = Failure("cut body", "none: the network", delivery="cut")

STREAM_BREAKS = Failure("stream that breaks off", "none: the network", delivery="break")
STREAM_CUT = Failure("stream that is cut off", "none: the network", delivery="cut")
STREAM_STALLS = Failure("stream that stalls", "none: the network", delivery="stall")
NO_FINISH_REASON = Failure(
    "stream without a finish reason",
    "none: a proxy",
    vendors=False,
    change_stream=lambda events: [event for event in events if not _finishes(event)],
)
ENDS_IN_THE_MIDDLE = Failure(
    "stream that ends in the middle",
    "none: a proxy",
    vendors=False,
    done=False,
    change_stream=lambda events: events[: len(events) // 2],
)
NO_DONE = Failure("stream without [DONE]", "none: a gateway", vendors=False, done=False)
ERROR_IN_STREAM = Failure(
    "error in a stream",
    "openai/_streaming.py: data.get('error')",
    change_stream=lambda events: [
        *events[: len(events) // 2],
        {"error": {"message": "The server had an error", "type": "server_error", "param": None, "code": None}},
    ],
)
NO_USAGE_IN_STREAM = Failure(
    "stream without usage",
    "openai/types/chat/chat_completion_stream_options_param.py",
    change_stream=lambda events: [_without_usage(event) for event in events if event["choices"]],
)
FILTER_IN_STREAM = Failure(
    "text, then content filter, in a stream",
    "openai/types/chat/chat_completion_chunk.py",
    change_stream=lambda events: [_filtered(event) if _finishes(event) else event for event in events],
)


def _finishes(event: Event) -> bool:
    return any(choice["finish_reason"] for choice in event["choices"])


def _without_usage(event: Event) -> Event:
    return {name: value for name, value in event.items() if name not in ("usage", "x_groq")}


def _filtered(event: Event) -> Event:
    return {**event, "choices": [{**choice, "finish_reason": "content_filter"} for choice in event["choices"]]}


MIXED = (
    REFUSAL, CONTENT_FILTER, TRUNCATED, UNKNOWN_FINISH_REASON, EXTRA_TEXT, CUT_ANSWER, WRONG_SHAPE, HTML, NO_USAGE,
    RATE_LIMITED, OVERLOADED, BROKEN, RESET, CUT, HANG, DRIP, STREAM_BREAKS, NO_FINISH_REASON, ERROR_IN_STREAM,
)  # fmt: skip
"""What may happen to one call out of many; none of it ends a run."""


def limited(seconds: int) -> Failure:
    """A 429 that asks to wait."""
    return replace(RATE_LIMITED, name=f"429 for {seconds} s", headers=(("retry-after", str(seconds)),))


def redirected(location: str, status: int = 307) -> Failure:
    """A redirect to another address, as a proxy sends it."""
    headers = (("location", location),)
    return Failure(
        f"redirect {status}", "none: a proxy", status, vendors=False, billed=False, body=b"", headers=headers
    )


RATE_LIMITED_FOR_41_SECONDS = limited(41)
RATE_LIMITED_FOR_A_DAY = limited(86_400)
REDIRECT = redirected("/elsewhere")
PERMANENT_REDIRECT = redirected("/elsewhere", 308)


@dataclass
class Script(script.Script):
    """What happens to the next calls; a share is drawn from `MIXED`."""

    among: tuple[Failure, ...] = MIXED
