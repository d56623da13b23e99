"""Embedders of collections: in this process, and on servers within their caps. SDKs load with the first call."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tribal.errors import EmbeddingFailed, TribalError, missing_package
from tribal.ports import ModelFailure, ModelReadiness, ModelRequest
from tribal_contracts import NANODOLLARS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tribal.app.models import Models
    from tribal.ports import Embedder, LanguageModel, ModelFacts
    from tribal.ports.models.chains import ModelAccount
    from tribal_contracts.chat.settings import ChatSettings
    from tribal_contracts.core.models import EmbeddingEntry

TEXTS_A_CALL = 64
"""Texts embedded by one call; vendors take 100 or more."""
_BYTES_PER_CHARACTER = 4


def embeddings_readiness(settings: ChatSettings | None, models: Models) -> Iterator[ModelReadiness]:
    """Whether the server of each collection's vectors can be called; without calling it."""
    for entry in settings.collections if settings else ():
        section = f"collections.{entry.title}.embedding"
        chosen = entry.embedding
        if chosen is None:
            if entry.profile == "tutor":
                missing = "a tutor without it refuses every question; add `embedding` to the collection"
                yield ModelReadiness(section, "none", "", missing=missing)
            continue
        yield server_readiness(section, chosen, models)


def server_readiness(section: str, chosen: EmbeddingEntry, models: Models) -> ModelReadiness:
    """Check whether a server of vectors can be called; without calling it."""
    from tribal.models.known_models import embedding_facts

    secret = chosen.api_key_secret
    ready = ModelReadiness(section, f"{chosen.provider}/{chosen.name}", "", needs_key=secret is not None)
    try:
        ready = replace(ready, prices=embedding_facts(chosen).source)
        if secret is not None and models.secrets().get(secret) is None:
            ready = replace(ready, missing=f"the secret {secret!r} is missing; {models.hint}")
    except TribalError as error:
        ready = replace(ready, missing=error.message)
    return ready


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

    models: Models
    settings: EmbeddingEntry
    facts: ModelFacts
    account: ModelAccount
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
        """N x D float32, L2-normalised; a blank text yields a zero vector.

        Raises:
            EmbeddingFailed: when the server does not answer or refuses, or the money is spent.
        """
        import numpy as np  # imported here because most callers never embed

        caps = self.models.caps(self.account, self.settings.entry.parallel_calls)
        model = self.models.capped_over(self._model(), self.model, self.facts, self.account.name, caps)
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        rows = [row for row, text in enumerate(texts) if text.strip()]
        try:
            for start in range(0, len(rows), TEXTS_A_CALL):
                batch = rows[start : start + TEXTS_A_CALL]
                # JSON has no lone surrogates.
                readable = [texts[row].encode("utf-8", "replace").decode() for row in batch]
                part = json.dumps(readable, ensure_ascii=False)
                request = ModelRequest("", part, None, 0, self.settings.call_timeout_seconds, waits_count=True)
                if (worst := self.facts.worst_price(request) / NANODOLLARS) > self.usd:
                    raise EmbeddingFailed(f"embedding may cost ${worst:.4f}, more than ${self.usd:g}")
                outcome = model.ask(request)
                if isinstance(outcome, ModelFailure):
                    raise EmbeddingFailed(f"{self.model}: {outcome.message}")
                vectors[batch] = np.array(outcome.value["vectors"], dtype=np.float32)
        finally:
            model.close()
        lengths: NDArray[Any] = np.linalg.norm(vectors, axis=1, keepdims=True)
        np.divide(vectors, lengths, out=vectors, where=lengths > 0)
        return vectors

    def _model(self) -> LanguageModel:
        from tribal.adapters.openai.model import openai_embeddings

        models, name = self.models, self.settings.api_key_secret
        key = None if name is None else models.secrets().get(name)
        if name is not None and key is None:
            raise EmbeddingFailed(f"the secret {name!r} with the key of the embedding is missing; {models.hint}")
        renew = None if name is None else lambda: models.secrets().refresh(name)
        try:
            return openai_embeddings(self.settings, self.facts, key, renew)
        except ModuleNotFoundError as error:
            raise EmbeddingFailed(missing_package(error.name, "embedding by a server", "model")) from error
