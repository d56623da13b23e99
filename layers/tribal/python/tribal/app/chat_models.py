"""Models that answer in a chat, and servers that embed, within their caps. SDKs load with the first call."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tribal.app.models import thinking_tokens
from tribal.capabilities.chat.parts import ChatModel
from tribal.errors import ConfigurationError, EmbeddingFailed, TribalError
from tribal.ports import ModelFailure, ModelReadiness, ModelRequest, StopToken
from tribal_contracts import NANODOLLARS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tribal.app.models import Models
    from tribal.app.project_text import ProjectText
    from tribal.ports import Embedder, LanguageModel, ModelFacts, Provider
    from tribal.ports.passages import TextEmbedder
    from tribal_contracts.chat.settings import ChatSettings, CollectionEntry, Intent
    from tribal_contracts.core.models import EmbeddingEntry

CHAT_SHARE = 0.5
"""The share of `spending.per_day_usd` that chats and uploads may use together. Source: docs/contracts.md, Chat."""
TEXTS_A_CALL = 64
"""Texts embedded by one call; vendors take 100 or more."""
_BYTES_PER_CHARACTER = 4


@dataclass(frozen=True, slots=True)
class ChatModels:
    """Builds models and embedders from the settings."""

    settings: ChatSettings
    models: Models
    embedder: Provider[Embedder]
    """The embedder in this process."""
    text: Callable[[], ProjectText]
    """Says which databases are kept from models; read for each answer, because it may change."""

    def open(self, names: list[str], account: str, stop: StopToken) -> list[ChatModel]:
        """The models of some names, for an account.

        Raises:
            ConfigurationError: when a name is unknown, or the key, the price or the package of its model is missing.
        """
        return [self._opened(name, account, stop) for name in names]

    def route(self, entry: CollectionEntry, intent: Intent) -> list[str]:
        """The models of a collection for an intent, in order; a tutor asks Groq only to reason, and after Gemini."""
        names = entry.models_for(intent)
        if entry.profile != "tutor" or not isinstance(entry.models, list):
            return names
        gemini = [name for name in names if self.models.named[name].provider == "gemini"]
        others = [name for name in names if name not in gemini]
        return [*gemini, *others] if intent == "reasoning" or not gemini else gemini

    def may_send(self) -> Callable[[str], bool]:
        """Says whether text about a database may be sent to a model: not if its entry has `describer: rules`."""
        text = self.text()
        return (lambda name: not text.keeps_from_models(name)) if text.keeps_any else lambda _: True

    def instructions(self) -> str:
        """The prompt of an answer.

        Raises:
            ConfigurationError: when the project's own prompt cannot be used.
        """
        from tribal.prompt_templates import CHATTING, load_prompts

        return load_prompts(self.models.prompts(), self.models.prompts_place, CHATTING).texts["chat_answer.md"]

    def embedder_of(self, entry: CollectionEntry, account: str, usd: float) -> TextEmbedder:
        """The embedder of a collection; one on a server books to the account.

        Raises:
            ConfigurationError: when its key or its price is missing.
        """
        if entry.embedding is None:
            return LocalEmbedder(self.embedder())
        from tribal.models.known_models import embedding_facts

        facts = embedding_facts(entry.embedding)
        return RemoteEmbedder(self, entry.embedding, facts, account, usd)

    def caps(self, account: str, usd: float, calls_at_once: int) -> Any:
        """The caps of an account: of a caller for a day, or of an upload."""
        from tribal.models import Caps
        from tribal.models.ledger import CHAT

        limit = self.settings.per_caller_day_usd if account.startswith(CHAT) else usd
        day = round(self.models.per_day_usd * NANODOLLARS)
        return Caps(round(limit * NANODOLLARS), day, calls_at_once, chats=round(day * CHAT_SHARE))

    def _opened(self, name: str, account: str, stop: StopToken) -> ChatModel:
        entry = self.models.named.get(name)
        if entry is None:
            raise ConfigurationError(f"{name!r} is not under `models`")
        facts = self.models.require(entry)
        model = self.models.capped(entry, facts, account, self.caps(account, 0.0, entry.calls_at_once), stop)
        return ChatModel(
            name=entry.name,
            model=model,
            worst_usd=lambda request: facts.worst_price(request) / NANODOLLARS,
            timeout_seconds=entry.call_timeout_seconds,
            thinking_tokens=thinking_tokens(facts),
        )


def embeddings_readiness(settings: ChatSettings | None, models: Models) -> Iterator[ModelReadiness]:
    """Whether the server of each collection's vectors can be called; without calling it."""
    from tribal.models.known_models import embedding_facts

    for entry in settings.collections if settings else ():
        section = f"collections.{entry.title}.embedding"
        chosen = entry.embedding
        if chosen is None:
            if entry.profile == "tutor":
                missing = "a tutor without it refuses every question; add `embedding` to the collection"
                yield ModelReadiness(section, "none", "", missing=missing)
            continue
        secret = chosen.api_key_secret
        ready = ModelReadiness(section, f"{chosen.provider}/{chosen.name}", "", needs_key=secret is not None)
        try:
            ready = replace(ready, prices=embedding_facts(chosen).source)
            if secret is not None and models.secrets().get(secret) is None:
                ready = replace(ready, missing=f"the secret {secret!r} is missing; {models.hint}")
        except TribalError as error:
            ready = replace(ready, missing=error.message)
        yield ready


@dataclass(frozen=True, slots=True)
class LocalEmbedder:
    """The embedder in this process; it costs nothing."""

    embedder: Embedder

    @property
    def model(self) -> str:
        """Name of the model."""
        return self.embedder.model

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self.embedder.dimensions

    def embed(self, texts: Sequence[str]) -> NDArray[Any]:
        """N x D float32, L2-normalised; raises `EmbeddingFailed`."""
        return self.embedder.embed(texts)

    def worst_usd(self, characters: int) -> float:  # noqa: ARG002
        """Nothing."""
        return 0.0


@dataclass(frozen=True, slots=True)
class RemoteEmbedder:
    """Embeds over the `/embeddings` of OpenAI's protocol, within the caps of an account."""

    source: ChatModels
    settings: EmbeddingEntry
    facts: ModelFacts
    account: str
    usd: float
    """The most that embedding may cost there at once."""

    @property
    def model(self) -> str:
        """Provider and name."""
        return f"{self.settings.provider}/{self.settings.name}"

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self.settings.dimensions

    def worst_usd(self, characters: int) -> float:
        """What so many characters can cost at most: no text has more tokens than bytes."""
        return self.facts.worst(characters * _BYTES_PER_CHARACTER, 0) / NANODOLLARS

    def embed(self, texts: Sequence[str]) -> NDArray[Any]:
        """N x D float32, L2-normalised.

        Raises:
            EmbeddingFailed: when the server does not answer or refuses, or the money is spent.
        """
        import numpy as np  # imported here because most callers never embed

        models = self.source.models
        entry = self.settings.entry
        caps = self.source.caps(self.account, self.usd, entry.calls_at_once)
        model = models.capped_over(self._model(), self.model, self.facts, self.account, caps)
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        try:
            for start in range(0, len(texts), TEXTS_A_CALL):
                batch = texts[start : start + TEXTS_A_CALL]
                part = json.dumps([each or " " for each in batch], ensure_ascii=False)
                request = ModelRequest("", part, None, 0, self.settings.call_timeout_seconds, waits_count=True)
                if (worst := self.facts.worst_price(request) / NANODOLLARS) > self.usd:
                    raise EmbeddingFailed(f"embedding may cost ${worst:.4f}, more than ${self.usd:g}")
                outcome = model.ask(request)
                if isinstance(outcome, ModelFailure):
                    raise EmbeddingFailed(f"{self.model}: {outcome.message}")
                vectors[start : start + len(batch)] = np.array(outcome.value["vectors"], dtype=np.float32)
        finally:
            model.close()
        lengths: NDArray[Any] = np.linalg.norm(vectors, axis=1, keepdims=True)
        np.divide(vectors, lengths, out=vectors)
        return vectors

    def _model(self) -> LanguageModel:
        from tribal.adapters.openai.model import openai_embeddings
        from tribal.app.parts import model_missing

        models, name = self.source.models, self.settings.api_key_secret
        key = None if name is None else models.secrets().get(name)
        if name is not None and key is None:
            raise EmbeddingFailed(f"the secret {name!r} with the key of the embedding is missing; {models.hint}")
        renew = None if name is None else lambda: models.secrets().refresh(name)
        try:
            return openai_embeddings(self.settings, self.facts, key, renew)
        except ModuleNotFoundError as error:
            raise model_missing(error, bedrock=False) from error
