"""The vendors that speak OpenAI's protocol, and their models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

VendorName = Literal["openai", "gemini", "groq", "ollama"]

PATHS: dict[VendorName, str] = {"openai": "/v1", "gemini": "/v1beta/openai", "groq": "/openai/v1", "ollama": "/v1"}
"""Of the base URL: openai/_client.py, https://ai.google.dev/gemini-api/docs/openai, https://console.groq.com/docs/openai,
and ollama/ollama docs/api/openai-compatibility.mdx."""


@dataclass(frozen=True)
class VendorModel:
    """What a vendor says of a model."""

    prices: tuple[int, int, int, int] = (0, 0, 0, 0)
    """Nanodollars a token: input, output, cache write, cache read."""
    efforts: frozenset[str] = frozenset()
    """What `reasoning_effort` may be; nothing if the model does not reason."""
    context: int = 1_000_000
    """Tokens of prompt and answer."""
    dear_above: int | None = None
    """Tokens of prompt above which input costs twice as much, and output one and a half times."""
    smallest_cached_prefix: int | None = 1_024
    """Tokens; `None` if nothing is cached."""
    counts_cache_writes: bool = False
    binds: bool = True
    """Whether it takes a JSON schema."""


_LUNA_EFFORTS = frozenset({"none", "low", "medium", "high", "xhigh", "max"})
_THREE_EFFORTS = frozenset({"low", "medium", "high"})

MODELS: dict[VendorName, dict[str, VendorModel]] = {
    # https://developers.openai.com/api/docs/pricing and https://developers.openai.com/api/docs/models: prompts above
    # 272,000 tokens cost more, cache writes cost 1.25 times the input, and prefixes from 1,024 tokens are cached.
    "openai": {
        "gpt-6-luna": VendorModel((100, 500, 125, 10), _LUNA_EFFORTS, dear_above=272_000, counts_cache_writes=True),
        "gpt-6-sol": VendorModel(
            (2_000, 10_000, 2_500, 200), _LUNA_EFFORTS, dear_above=272_000, counts_cache_writes=True
        ),
        "gpt-5-mini": VendorModel((250, 2_000, 250, 25), _THREE_EFFORTS | {"minimal"}, context=400_000),
        "gpt-4.1-mini": VendorModel((400, 1_600, 400, 100)),
    },
    # https://ai.google.dev/gemini-api/docs/pricing, for 1 January 2027 on; half of it until then.
    # https://github.com/BerriAI/litellm/discussions/39357: caching from 4,096 tokens.
    "gemini": {
        "gemini-3.8-flash": VendorModel(
            (1_500, 7_500, 1_500, 150), _THREE_EFFORTS, 1_048_576, smallest_cached_prefix=4_096
        ),
    },
    # https://groq.com/pricing; https://console.groq.com/docs/structured-outputs#supported-models: not every model
    # takes a schema, and the list of models does not say which.
    "groq": {
        "openai/gpt-oss-120b": VendorModel((150, 600, 150, 150), _THREE_EFFORTS, 131_072, smallest_cached_prefix=None),
        "openai/gpt-oss-20b": VendorModel((75, 300, 75, 75), _THREE_EFFORTS, 131_072, smallest_cached_prefix=None),
        "llama-3.1-8b-instant": VendorModel(
            (50, 80, 50, 50), context=131_072, smallest_cached_prefix=None, binds=False
        ),
    },
    # ollama/ollama openai/openai.go: `Usage` has no cached tokens.
    "ollama": {
        "qwen3:14b": VendorModel(
            efforts=_LUNA_EFFORTS | {"minimal", "ultra"}, context=40_960, smallest_cached_prefix=None
        ),
        "gemma3:4b": VendorModel(context=131_072, smallest_cached_prefix=None),
    },
}
