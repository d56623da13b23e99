"""Language models: what is configured, and what their calls cost. Extension contracts."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, Tag, model_validator

from tribal_contracts.core.shape import ClosedContract, Contract, Count, Text, Unset, optional

NANODOLLARS = 1_000_000_000
"""Nanodollars in a dollar: whole numbers, of which every price a token is made."""

ModelProvider = Literal["anthropic", "bedrock", "openai", "gemini", "groq", "ollama"]
Dollars = Annotated[float, Field(gt=0, le=1_000_000)]
Price = Annotated[float, Field(ge=0, le=1_000_000)]
Thinking = Literal["disabled", "between_tools", "adaptive"]
Effort = Literal["low", "medium", "high"]
_CALLS_AT_ONCE = 5
_CALL_SECONDS = 60.0
_LOCAL_CALL_SECONDS = 1_800.0
_WITHOUT_KEY = ("bedrock", "ollama")
_OWN_BINDING = ("anthropic", "bedrock")
ADDRESSES: Mapping[ModelProvider, str] = {
    "anthropic": "https://api.anthropic.com",
    "bedrock": "https://bedrock-runtime.amazonaws.com",
    "openai": "https://api.openai.com/v1",
    "gemini": "https://generativelanguage.googleapis.com/v1beta/openai",
    "groq": "https://api.groq.com/openai/v1",
    "ollama": "http://127.0.0.1:11434",
}
"""The addresses of the providers; Bedrock's has the region in it where it is called."""
_LOOPBACK = re.compile(r"https?://(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])(?::[0-9]+)?(?:/|$)", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://[^\s/?#@]+(?:/[^\s?#]*)?", re.IGNORECASE)


def _address(text: str) -> str:
    if not _ADDRESS.fullmatch(text):
        raise ValueError("it is not an address such as https://gateway.example.com/v1, without login and query")
    return text


def _model_name(text: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9-]{0,39}", text):
        raise ValueError("a name has lower-case letters, digits and hyphens, starts with a letter, and is short")
    return text


def _require_key(provider: ModelProvider, api_key_secret: str | None, base_url: str | None) -> None:
    is_own_server = provider == "openai" and base_url is not None
    if api_key_secret is None and provider not in _WITHOUT_KEY and not is_own_server:
        raise ValueError(f"provider {provider} needs api_key_secret, the name of the secret with its key")


BaseUrl = Annotated[str, AfterValidator(_address)]
ModelName = Annotated[str, AfterValidator(_model_name)]
"""A name under `models`."""


class ModelPrice(ClosedContract):
    """What a model costs, in dollars a million tokens, for one that is not in the shipped table or has a new price."""

    input_usd: Price = Field(description="Dollars for a million tokens of input.")
    output_usd: Price = Field(description="Dollars for a million tokens of output.")
    cache_write_usd: Price | Unset = optional(
        "Dollars to write a million tokens to the cache. By default 1.25 times the input."
    )
    cache_read_usd: Price | Unset = optional(
        "Dollars to read a million tokens from the cache. By default a tenth of the input."
    )
    thinking: Thinking | Unset = optional("Older place of the model's key `thinking`.")
    effort: Effort | Unset = optional("Older place of the model's key `effort`.")
    smallest_cached_prefix: Count = Field(
        default=4096, description="Minimum tokens of a prefix that the provider caches."
    )


class ModelEntry(ClosedContract):
    """One model, at one provider."""

    provider: ModelProvider = Field(
        description="Who runs the model: a vendor, `ollama` on this machine, or `openai` with a `base_url` for any "
        "server that speaks its protocol."
    )
    name: Annotated[str, Field(min_length=1, max_length=200)] = Field(
        description="The provider's name of the model, such as `claude-haiku-5-5`."
    )
    api_key_secret: Text | Unset = optional(
        "Name of the secret with the key of the provider's API: an environment variable, or a file in the folder "
        "TRIBAL_SECRETS."
    )
    base_url: BaseUrl | Unset = optional(
        "Address of your own server or gateway. Everything for the provider is sent there, including the key."
    )
    region: Text | Unset = optional("Bedrock: the region. By default that of the AWS configuration.")
    endpoint: Literal["messages", "runtime"] = Field(
        default="messages",
        description="Bedrock: `messages` is bedrock-mantle; `runtime` is bedrock-runtime, which AWS recommends for new "
        "applications.",
    )
    calls_at_once: Annotated[int, Field(ge=1, le=500)] | Unset = optional(
        "Parallel calls, over all processes and functions of a run. By default 5, and 1 for a server on this machine."
    )
    call_timeout_seconds: Annotated[float, Field(gt=0, le=3600)] | Unset = optional(
        "Maximum time of a call. By default 60 seconds, retries included; 30 minutes for a server on this machine; in "
        "Lambda what the invocation has left."
    )
    idle_timeout_seconds: float = Field(
        default=60.0,
        gt=0,
        le=3600,
        description="Maximum time between two pieces of a streamed answer, and five times that to its first.",
    )
    context_tokens: Annotated[int, Field(ge=512, le=100_000_000)] | Unset = optional(
        "Context length of a server that does not report it. Tables that do not fit are asked about in parts."
    )
    thinking: Thinking | Unset = optional("Type of thinking to ask for. By default that of the shipped table.")
    effort: Effort | Unset = optional("Effort to ask for. By default that of the shipped table.")
    binds_answers: bool | Unset = optional(
        "Whether the server is sent a JSON schema that binds its answers. By default OpenAI's own address is, servers "
        "that are recognised (llama.cpp, Ollama, vLLM, SGLang, LM Studio), and those on which a trial succeeded."
    )
    token_limit_key: Literal["max_tokens", "max_completion_tokens"] | Unset = optional(
        "What the server calls the limit of an answer. By default its own name is found out."
    )
    price: ModelPrice | Unset = optional(
        "Price of a model that is missing in the shipped table, or whose price has changed."
    )

    @model_validator(mode="after")
    def _belongs_to_the_provider(self) -> Self:
        provider, has_key = self.provider, self.api_key_secret is not None
        _require_key(provider, self.api_key_secret, self.base_url)
        if provider == "bedrock" and has_key:
            raise ValueError("provider bedrock takes the current AWS identity; leave out api_key_secret")
        if provider != "bedrock" and (self.region is not None or self.endpoint != "messages"):
            raise ValueError("region and endpoint belong to provider bedrock")
        if provider in _OWN_BINDING:
            for name in ("binds_answers", "token_limit_key"):
                if getattr(self, name) is not None:
                    raise ValueError(f"{name} is known for provider {provider}; leave it out")
        return self

    @property
    def label(self) -> str:
        """Provider and name, as shown."""
        return f"{self.provider}/{self.name}"

    @property
    def address(self) -> str:
        """Where it is, as configured or as its provider says."""
        return self.base_url or ADDRESSES[self.provider]

    @property
    def parallel_calls(self) -> int:
        """The most calls at once: a server on this machine usually answers one after another."""
        return self.calls_at_once or (1 if self.is_on_this_machine else _CALLS_AT_ONCE)

    @property
    def deadline_seconds(self) -> float:
        """The time that has to be left before a call begins, and in which it may be retried."""
        return self.call_timeout_seconds or _CALL_SECONDS

    @property
    def longest_seconds(self) -> float | None:
        """The time that one attempt may take where more than the deadline is left; `None` if it is configured."""
        if self.call_timeout_seconds is not None:
            return None
        return _LOCAL_CALL_SECONDS if self.is_on_this_machine else _CALL_SECONDS

    @property
    def is_on_this_machine(self) -> bool:
        """Whether its requests stay on this machine, as far as its address says."""
        return self.provider == "ollama" if self.base_url is None else _LOOPBACK.match(self.base_url) is not None


class EmbeddingEntry(ClosedContract):
    """The model that turns passages and questions into vectors; without one, that of the index does."""

    provider: Literal["gemini", "openai", "ollama"] = Field(
        description="Who runs the model; `openai` with a `base_url` is any server that speaks its protocol."
    )
    name: Annotated[str, Field(min_length=1, max_length=200)] = Field(
        description="The provider's name of the model, such as `gemini-embedding-001`."
    )
    dimensions: int = Field(default=768, ge=8, le=4_096, description="Length of the vectors.")
    api_key_secret: Text | Unset = optional("Name of the secret with the key of the provider's API.")
    base_url: BaseUrl | Unset = optional("Address of your own server or gateway, instead of the provider's.")
    usd_per_million_tokens: Annotated[float, Field(ge=0, le=1_000)] | Unset = optional(
        "Dollars for a million tokens. By default 0 on this machine, else the price of the shipped table."
    )
    call_timeout_seconds: float = Field(
        default=30.0, gt=0, le=300, description="Maximum time of a call, retries included."
    )

    @model_validator(mode="after")
    def _has_a_key(self) -> Self:
        _require_key(self.provider, self.api_key_secret, self.base_url)
        return self

    @property
    def entry(self) -> ModelEntry:
        """The same as an entry of a model: address, key and price."""
        usd = self.usd_per_million_tokens
        price = None if usd is None else ModelPrice(input_usd=usd, output_usd=0, smallest_cached_prefix=0)
        stated = {"api_key_secret": self.api_key_secret, "base_url": self.base_url, "price": price}
        given = {name: value for name, value in stated.items() if value is not None}
        return ModelEntry.model_validate({"provider": self.provider, "name": self.name, **given})


class OnnxEmbedding(ClosedContract):
    """A model in a folder, run on this machine."""

    onnx: str = Field(min_length=1, description="Folder of a sentence-transformers model in ONNX format.")


class ServerEmbedding(EmbeddingEntry):
    """A server that embeds the documentation and questions about it."""

    near: float = Field(
        default=0.5,
        gt=0,
        lt=1,
        description="Cosine similarity from which a table is near to a question in meaning. It depends on the model.",
    )


def _checked_embedder(value: object) -> object:
    is_named = isinstance(value, OnnxEmbedding | ServerEmbedding) or value == "wordllama"
    if not is_named and not (isinstance(value, Mapping) and {"onnx", "provider"} & value.keys()):
        raise ValueError("write wordllama, or below it either onnx with a folder, or provider and name of a server")
    return value


def _embedder_tag(value: object) -> str:
    if isinstance(value, str):
        return "shipped"
    is_onnx = "onnx" in value if isinstance(value, Mapping) else isinstance(value, OnnxEmbedding)
    return "onnx" if is_onnx else "server"


EmbedderSection = Annotated[
    Annotated[Literal["wordllama"], Tag("shipped")]
    | Annotated[OnnxEmbedding, Tag("onnx")]
    | Annotated[ServerEmbedding, Tag("server")],
    Discriminator(_embedder_tag),
    BeforeValidator(_checked_embedder),
]
"""The section `embedder`."""


class RunCaps(ClosedContract):
    """What describing tables may cost, and in which words it is done."""

    per_run_usd: Dollars = Field(
        default=5.0, description="Maximum cost of a run in dollars. Beyond it rules describe the rest."
    )
    per_day_usd: Dollars = Field(default=20.0, description="Older spelling of `spending.per_day_usd`.")
    accept_unfit: bool = Field(
        default=False, description="Use the model without testing it, and even if it failed `tribal check --ask`."
    )
    language: str = Field(
        default="English",
        min_length=1,
        max_length=60,
        pattern=r"^[^\r\n{}]+$",
        description="Language of the descriptions.",
    )
    terms: dict[
        Annotated[str, Field(min_length=1, max_length=80)], Annotated[str, Field(min_length=1, max_length=400)]
    ] = Field(default_factory=dict, max_length=200, description="Older spelling of `terms` at the top of the file.")


class ModelSettings(RunCaps, ModelEntry):
    """The model that describes tables; without one, rules do."""


class NamedModel(RunCaps):
    """The model that describes tables, by its name under `models`."""

    use: ModelName = Field(description="Name under `models`.")


class SpendingSettings(ClosedContract):
    """What all models together may cost."""

    per_day_usd: Dollars = Field(default=20.0, description="Maximum cost of all models in dollars, for each UTC day.")


def _tag(value: object) -> str:
    named = "use" in value if isinstance(value, Mapping) else isinstance(value, NamedModel)
    return "named" if named else "given"


def resolved(
    section: ModelSettings | NamedModel, models: Mapping[str, ModelEntry], spending: SpendingSettings | None
) -> ModelSettings:
    """The section `model` with the keys of the entry that it names, and the cap of a day.

    Raises:
        ValueError: when it names no entry, or the cap of a day is given twice.
    """
    if spending is not None and "per_day_usd" in section.model_fields_set:
        raise ValueError("model.per_day_usd is the older spelling of spending.per_day_usd; keep the newer one")
    values = section.model_dump(exclude_unset=True)
    if isinstance(section, NamedModel):
        name = values.pop("use")
        if name not in models:
            raise ValueError(unknown_model(name, models))
        values = models[name].model_dump(exclude_unset=True) | values
    return ModelSettings(**values | ({} if spending is None else {"per_day_usd": spending.per_day_usd}))


def unknown_model(name: str, models: Mapping[str, ModelEntry]) -> str:
    """What to say of a name that is not under `models`."""
    near = difflib.get_close_matches(name, models, n=1)
    known = f"did you mean {near[0]!r}?" if near else f"the names there are {', '.join(models) or 'none yet'}"
    return f"{name!r} is not under `models`; {known}"


ModelSection = Annotated[
    Annotated[ModelSettings, Tag("given")] | Annotated[NamedModel, Tag("named")], Discriminator(_tag)
]
"""The section `model`."""


def _is_zero(value: object) -> bool:
    return value == 0


class ModelUsage(Contract):
    """What calls of a model have used; failed calls count too."""

    calls: Count = 0
    input_tokens: Count = 0
    cache_write_tokens: Count = 0
    cache_read_tokens: Count = 0
    output_tokens: Count = 0
    """Thinking included."""
    time_ms: Count = 0
    """Sum of the calls' wall time."""
    nanodollars: Count = 0
    estimated_calls: Count = Field(default=0, exclude_if=_is_zero)
    """Calls whose tokens the server did not report: they are counted by size, and cost the most that is possible."""

    @property
    def tokens(self) -> int:
        """All tokens: input, cache writes, cache reads and output."""
        return self.input_tokens + self.cache_write_tokens + self.cache_read_tokens + self.output_tokens

    def __add__(self, other: ModelUsage) -> ModelUsage:
        return ModelUsage(**{name: getattr(self, name) + getattr(other, name) for name in ModelUsage.model_fields})


def sum_usage(usages: Iterable[ModelUsage | None]) -> ModelUsage | None:
    """The sum; `None` where there was no call."""
    total = sum((usage for usage in usages if usage is not None), start=ModelUsage())
    return total if total.calls else None


class WrittenTexts(Contract):
    """Texts about tables and columns that a model has written."""

    written: Count = 0
    """Those that were kept, or of which nothing was left."""
    unsupported: Count = 0
    """Those dropped because they share no evidence with what they describe."""

    def __add__(self, other: WrittenTexts) -> WrittenTexts:
        return WrittenTexts(written=self.written + other.written, unsupported=self.unsupported + other.unsupported)


def sum_texts(texts: Iterable[WrittenTexts | None]) -> WrittenTexts | None:
    """The sum; `None` where no text was written."""
    total = sum((each for each in texts if each is not None), start=WrittenTexts())
    return total if total.written else None


class ModelQuote(Contract):
    """What describing would take, estimated before anything is sent; samples and repairs come on top."""

    calls: Count = 0
    tokens: Count = 0
    """Input at three bytes a token, and an answer of usual length."""
    nanodollars: Count = 0
    """Without what the provider's cache saves."""
    seconds: float = 0.0

    def __add__(self, other: ModelQuote) -> ModelQuote:
        return ModelQuote(**{name: getattr(self, name) + getattr(other, name) for name in ModelQuote.model_fields})
