"""Counts tokens, remembers prefixes as vendors' caches do, and prices a call; same input, same numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.model_servers.counting import count
from tests.fakes.model_servers.minds import system_of
from tests.fakes.openai.vendor import VendorModel, VendorName

_REASONING_TOKENS = 40


@dataclass(frozen=True)
class Tokens:
    """What a vendor bills of a call; `output` includes the reasoning."""

    input: int = 0
    output: int = 0
    cache_write: int = 0
    cache_read: int = 0
    reasoning: int = 0

    @property
    def prompt(self) -> int:
        """Tokens of the prompt, cached or not."""
        return self.input + self.cache_write + self.cache_read

    def nanodollars(self, model: VendorModel) -> int:
        """The price of a call."""
        input_price, output_price, write_price, read_price = model.prices
        prompt = self.input * input_price + self.cache_write * write_price + self.cache_read * read_price
        output = self.output * output_price
        is_dear = model.dear_above is not None and self.prompt > model.dear_above
        return prompt * 2 + output * 3 // 2 if is_dear else prompt + output

    def usage(self, vendor: VendorName) -> dict[str, Any]:
        """As an answer reports it (openai/types/completion_usage.py)."""
        usage: dict[str, Any] = {
            "prompt_tokens": self.prompt,
            "completion_tokens": self.output,
            "total_tokens": self.prompt + self.output,
        }
        if vendor == "ollama":
            # ollama/ollama openai/openai.go, `Usage`: nothing else.
            return usage
        details = {"cached_tokens": self.cache_read}
        if self.cache_write:
            details["cache_write_tokens"] = self.cache_write
        usage["prompt_tokens_details"] = details
        usage["completion_tokens_details"] = {"reasoning_tokens": self.reasoning}
        return usage


def reasoning_tokens(body: Mapping[str, Any], model: VendorModel) -> int:
    """Tokens of reasoning, which are billed as output."""
    return _REASONING_TOKENS if model.efforts and body.get("reasoning_effort") != "none" else 0


@dataclass
class PrefixCache:
    """Which system prompts were seen; nothing has to be marked.

    A schema in `response_format` is part of the prefix.

    Source: https://developers.openai.com/api/docs/guides/prompt-caching.
    """

    seen: set[str] = field(default_factory=set)

    def tokens(self, body: Mapping[str, Any], model: VendorModel) -> Tokens:
        """Tokens of the prompt."""
        bound = body.get("response_format")
        prefix = (json.dumps(bound, sort_keys=True) if bound else "") + system_of(body)
        others = [each for each in body["messages"] if each["role"] not in ("system", "developer")]
        size, rest = count(prefix), count(json.dumps(others, ensure_ascii=False))
        if model.smallest_cached_prefix is None or size < model.smallest_cached_prefix:
            return Tokens(input=size + rest)
        key = json.dumps([body["model"], prefix])
        if key in self.seen:
            return Tokens(input=rest, cache_read=size)
        self.seen.add(key)
        return Tokens(input=rest, cache_write=size) if model.counts_cache_writes else Tokens(input=size + rest)
