"""What can go wrong with a call, by vendor's protocol, for the tests of every `LanguageModel`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.fakes.claude import failures as claude
from tests.fakes.model_servers.script import Failure
from tests.fakes.openai import failures as openai

Expected = Sequence[tuple[Failure, str]]


@dataclass(frozen=True)
class Faults:
    """Failures with the kind of each, where it differs."""

    usage_is_told: Expected
    """The model ran, and its usage is known."""
    still_an_answer: Sequence[Failure]
    end_not_seen: Sequence[Failure]
    """The model may have run, and no one knows what it used."""
    nothing_is_billed: Expected
    broken_streams: Sequence[Failure]
    """Of a stream: it ends before its answer does, or without usage."""
    limited: Callable[[int], Failure]
    """A 429 that asks to wait for so many seconds."""
    html: Failure
    other_json: Failure
    reset: Failure
    hang: Failure
    drip: Failure
    stall: Failure
    cut: Failure
    overloaded: Failure
    usage_is_estimated: Sequence[Failure] = ()
    """An answer whose usage the server does not say."""


CLAUDE = Faults(
    usage_is_told=(
        (claude.REFUSAL, "refused"),
        (claude.REFUSAL_WITH_TEXT, "refused"),
        (claude.MAX_TOKENS, "truncated"),
        (claude.CONTEXT_EXCEEDED, "too_long"),
        (claude.UNKNOWN_STOP_REASON, "malformed"),
        (claude.CUT_ANSWER, "malformed"),
        (claude.WRONG_SHAPE, "malformed"),
        (claude.NO_TEXT, "malformed"),
    ),
    still_an_answer=(claude.THINKING_FIRST, claude.UNKNOWN_BLOCK),
    end_not_seen=(
        claude.HTML,
        claude.OTHER_JSON,
        claude.NO_USAGE,
        claude.CUT_JSON_BODY,
        claude.GATEWAY,
        claude.TIMED_OUT,
        claude.RESET,
        claude.CUT,
    ),
    nothing_is_billed=(
        (claude.PROMPT_TOO_LONG, "too_long"),
        (claude.INVALID_REQUEST, "rejected"),
        (claude.KEY_REFUSED, "stopped"),
        (claude.NO_CREDIT, "stopped"),
        (claude.EMPTY_BALANCE, "stopped"),
        (claude.USAGE_LIMIT, "stopped"),
        (claude.FORBIDDEN, "stopped"),
        (claude.NO_SUCH_MODEL, "stopped"),
        (claude.RATE_LIMITED, "throttled"),
        (claude.BROKEN, "unavailable"),
        (claude.REDIRECT, "stopped"),
    ),
    broken_streams=(
        claude.STREAM_BREAKS,
        claude.STREAM_CUT,
        claude.NO_STOP_REASON_IN_STREAM,
        claude.NO_STOP_IN_STREAM,
        claude.NO_USAGE_IN_STREAM,
    ),
    limited=claude.limited,
    html=claude.HTML,
    other_json=claude.OTHER_JSON,
    reset=claude.RESET,
    hang=claude.HANG,
    drip=claude.DRIP,
    stall=claude.STREAM_STALLS,
    cut=claude.CUT,
    overloaded=claude.OVERLOADED,
)

OPENAI = Faults(
    usage_is_told=(
        (openai.REFUSAL, "refused"),
        (openai.CONTENT_FILTER, "refused"),
        (openai.TEXT_THEN_FILTER, "refused"),
        (openai.TRUNCATED, "truncated"),
        (openai.CUT_ANSWER, "malformed"),
        (openai.WRONG_SHAPE, "malformed"),
        (openai.NO_TEXT, "malformed"),
    ),
    still_an_answer=(openai.UNKNOWN_FINISH_REASON,),
    usage_is_estimated=(openai.NO_USAGE,),
    end_not_seen=(
        openai.HTML,
        openai.OTHER_JSON,
        openai.CUT_JSON_BODY,
        openai.GATEWAY,
        openai.TIMED_OUT,
        openai.RESET,
        openai.CUT,
    ),
    nothing_is_billed=(
        (openai.CONTEXT_EXCEEDED, "too_long"),
        (openai.LONGER_THAN_OLLAMA_TAKES, "too_long"),
        (openai.INVALID_REQUEST, "rejected"),
        (openai.KEY_REFUSED, "stopped"),
        (openai.KEY_NOT_VALID, "stopped"),
        (openai.NO_CREDIT, "stopped"),
        (openai.NO_QUOTA, "stopped"),
        (openai.FORBIDDEN, "stopped"),
        (openai.NO_PERMISSION, "stopped"),
        (openai.NO_SUCH_MODEL, "stopped"),
        (openai.RATE_LIMITED, "throttled"),
        (openai.BROKEN, "unavailable"),
        (openai.OVERLOADED, "unavailable"),
        (openai.REDIRECT, "stopped"),
        (openai.PERMANENT_REDIRECT, "stopped"),
    ),
    broken_streams=(
        openai.STREAM_BREAKS,
        openai.STREAM_CUT,
        openai.ERROR_IN_STREAM,
    ),
    limited=openai.limited,
    html=openai.HTML,
    other_json=openai.OTHER_JSON,
    reset=openai.RESET,
    hang=openai.HANG,
    drip=openai.DRIP,
    stall=openai.STREAM_STALLS,
    cut=openai.CUT,
    overloaded=openai.OVERLOADED,
)
