"""Counts tokens, remembers prefixes as the prompt cache does, and prices a call; same input, same figures."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.claude.vendor import VendorModel
from tests.fakes.model_servers.counting import count

_THINKING_TOKENS = 40


@dataclass(frozen=True)
class Tokens:
    """What the vendor bills of a call."""

    input: int = 0
    output: int = 0
    cache_write: int = 0
    cache_read: int = 0

    def nanodollars(self, model: VendorModel) -> int:
        """The price of a call."""
        counts = (self.input, self.output, self.cache_write, self.cache_read)
        price = sum(count * each for count, each in zip(counts, model.prices, strict=True))
        prompt = self.input + self.cache_write + self.cache_read
        return price * 5 if model.dear_above is not None and prompt > model.dear_above else price

    def usage(self) -> dict[str, Any]:
        """As an answer tells it (anthropic/types/usage.py)."""
        return {
            "input_tokens": self.input,
            "output_tokens": self.output,
            "cache_creation_input_tokens": self.cache_write,
            "cache_read_input_tokens": self.cache_read,
            "cache_creation": {"ephemeral_5m_input_tokens": self.cache_write, "ephemeral_1h_input_tokens": 0},
            "service_tier": "standard",
        }


def thinking_tokens(body: Mapping[str, Any], model: VendorModel) -> int:
    """Tokens spent on thinking, which are billed (build-with-claude/thinking); without tools there is no between."""
    kind = (body.get("thinking") or {}).get("type", "adaptive" if model.thinks else "disabled")
    return _THINKING_TOKENS if kind in ("adaptive", "enabled") else 0


@dataclass
class PromptCache:
    """Which prefixes were seen (build-with-claude/prompt-caching): a prefix is written once and read ever after.

    Another schema in `output_config.format` is another prefix, and a short one is never cached.
    """

    seen: set[str] = field(default_factory=set)

    def tokens(self, body: Mapping[str, Any], model: VendorModel) -> Tokens:
        """Tokens of the prompt."""
        schema = json.dumps((body.get("output_config") or {}).get("format") or "", sort_keys=True)
        system = body.get("system") or []
        blocks = [{"type": "text", "text": system}] if isinstance(system, str) else list(system)
        marked = [number for number, block in enumerate(blocks, 1) if block.get("cache_control")]
        end = marked[-1] if marked else 0
        prefix = "".join(block["text"] for block in blocks[:end])
        rest = "".join(block["text"] for block in blocks[end:]) + json.dumps(body.get("messages"), ensure_ascii=False)
        size = count(prefix + schema)
        if not prefix or size < model.smallest_cached_prefix:
            return Tokens(input=count(prefix + schema + rest))
        key = json.dumps([body.get("model"), schema, prefix])
        if key in self.seen:
            return Tokens(input=count(rest), cache_read=size)
        self.seen.add(key)
        return Tokens(input=count(rest), cache_write=size)
