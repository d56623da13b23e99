"""Reads chat completions of any server: whole answers and the events of a stream."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tribal.adapters.language_models.answers import (
    ThoughtFilter,
    answer_of,
    broken_stream,
    estimated_usage,
    is_cut,
    member_of,
    usage_of,
    without_thoughts,
)
from tribal.adapters.language_models.refusals import Advice, failure_of
from tribal.adapters.openai.refusals import read_error
from tribal.ports import FailureKind, ModelAnswer, ModelFacts, ModelFailure, ModelOutcome, ModelRequest
from tribal_contracts import ModelUsage

_STOPPED: dict[str, tuple[FailureKind, str]] = {
    "length": ("truncated", "the answer reached its token limit"),
    "content_filter": ("refused", "the provider withheld the answer"),
}
"""By finish reason. `stop` means that the answer is complete; servers write many others, or none."""
_ENDS = frozenset({"Pe", "Pf", "Po", "Sk"})
"""Categories of the last character of a text that was not cut: full stops, closing brackets, quotes and fences."""
_FEWEST_TOKENS = 8
"""A prompt has at least one token for so many bytes; if fewer are reported, the server has cut it."""
_CUT = "the server cut the prompt to its context length; {}"


@dataclass(slots=True)
class Completion:
    """An answer as far as it has come, whole or in events."""

    text: str = ""
    reason: object = None
    usage: Mapping[str, Any] = field(default_factory=dict)
    model: str = ""
    refuses: bool = False
    error: object = None
    has_choice: bool = False
    """Whether anything of an answer came."""

    def add(self, part: Mapping[str, Any]) -> str:
        """Add a whole answer, or an event; returns its text."""
        self.error = self.error or part.get("error")
        self.usage = _usage(part.get("usage")) or _usage(member_of(part, "x_groq").get("usage")) or self.usage
        model = part.get("model")
        self.model = self.model or (model if isinstance(model, str) else "")
        choices = part.get("choices")
        first = choices[0] if isinstance(choices, list) and choices else None
        choice: Mapping[str, Any] = first if isinstance(first, Mapping) else {}
        self.reason = choice.get("finish_reason") or self.reason
        self.has_choice = self.has_choice or bool(choice)
        said = member_of(choice, "message") or member_of(choice, "delta")
        self.refuses = self.refuses or bool(said.get("refusal"))
        text = _text(said.get("content"))
        self.text += text
        return text

    def outcome(
        self, request: ModelRequest, facts: ModelFacts, advice: Advice, longer_context: str, time_ms: int
    ) -> ModelOutcome:
        """Return the outcome of a call that ended."""
        if self.error:
            return self._failed(request, advice, time_ms)
        if not self.has_choice:
            return broken_stream(advice.provider, time_ms)
        text = without_thoughts(self.text)
        usage = _counted(self.usage, facts, time_ms)
        # The schema may not be part of the prompt.
        prompt_bytes = len(f"{request.prefix}{request.part}".encode())
        if usage is not None and _prompt_tokens(usage) < prompt_bytes // _FEWEST_TOKENS:
            return ModelFailure("too_long", _CUT.format(longer_context), usage)
        usage = usage or estimated_usage(self.text, request, facts, time_ms)
        return self._read(text, request, usage)

    def _read(self, text: str, request: ModelRequest, usage: ModelUsage) -> ModelOutcome:
        if self.refuses:
            return ModelFailure("refused", "the model declined to answer", usage)
        if isinstance(self.reason, str) and self.reason in _STOPPED:
            return ModelFailure(*_STOPPED[self.reason], usage, text=text if self.reason == "length" else "")
        answer = answer_of(text, request, usage, bound=False)
        is_whole = isinstance(answer, ModelAnswer) and (request.schema is not None or _has_ended(text))
        if isinstance(answer, ModelAnswer) and (is_whole or self.reason == "stop"):
            return replace(answer, model=self.model)
        if isinstance(answer, ModelFailure) and (self.reason == "stop" or not text.strip()):
            return replace(answer, text=text if is_cut(text) else "")
        return ModelFailure("truncated", "the answer broke off", usage, text=text)

    def _failed(self, request: ModelRequest, advice: Advice, time_ms: int) -> ModelFailure:
        """The failure for an error that came with status 200."""
        error: Mapping[str, Any] = self.error if isinstance(self.error, Mapping) else {"message": self.error}
        status, refusal = read_error(error, unseen=bool(self.text))
        return failure_of(refusal, {}, status, request, advice, time_ms)


@dataclass(slots=True)
class ChatEvents:
    """Reads the events of one stream: usage comes with the last, or Groq's `x_groq`."""

    request: ModelRequest
    facts: ModelFacts
    advice: Advice
    longer_context: str
    _said: Completion = field(default_factory=Completion)
    _filter: ThoughtFilter = field(default_factory=ThoughtFilter)

    def take(self, event: Mapping[str, Any]) -> str:
        """The text that an event adds, without thoughts."""
        text = self._said.add(event)
        return self._filter.shown(text) if text else ""

    def end(self, time_ms: int) -> ModelOutcome:
        """The outcome, once the stream ended."""
        return self._said.outcome(self.request, self.facts, self.advice, self.longer_context, time_ms)


def _has_ended(text: str) -> bool:
    return unicodedata.category(text.rstrip()[-1:] or " ") in _ENDS and not text.rstrip().endswith((",", ";", ":"))


def _usage(reported: object) -> Mapping[str, Any]:
    return reported if isinstance(reported, Mapping) else {}


def _text(content: object) -> str:
    """The text of a message's content, which some servers send in parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, Mapping)]
    return "".join(text for text in texts if isinstance(text, str))


def _counted(reported: Mapping[str, Any], facts: ModelFacts, time_ms: int) -> ModelUsage | None:
    """The usage that a server reports; `None` if it reports none, or only zeros."""
    if not any(reported.get(name) for name in ("prompt_tokens", "completion_tokens")):
        return None
    return usage_of(_counts(reported), facts, time_ms)


def _counts(reported: Mapping[str, Any]) -> dict[str, object]:
    """Tokens by kind: those that came from the cache, or went there, are part of the prompt's.

    Some vendors count thinking in the total alone.
    """
    details = member_of(reported, "prompt_tokens_details")
    read, written = _whole(details.get("cached_tokens")) or 0, _whole(details.get("cache_write_tokens")) or 0
    prompt, output = _whole(reported.get("prompt_tokens")), _whole(reported.get("completion_tokens"))
    total = _whole(reported.get("total_tokens"))
    return {
        # Some servers leave the cached ones out.
        "input_tokens": prompt if prompt is None or prompt < read + written else prompt - read - written,
        "cache_write_tokens": written,
        "cache_read_tokens": read,
        "output_tokens": output if None in (prompt, output, total) else max(output or 0, (total or 0) - (prompt or 0)),
    }


def _prompt_tokens(usage: ModelUsage) -> float:
    """Tokens of the prompt, however the server counts those that it had cached; endless if it reports none."""
    counted = usage.input_tokens + usage.cache_write_tokens + 2 * usage.cache_read_tokens
    return counted or float("inf")


def _whole(count: object) -> int | None:
    return count if type(count) is int else None
