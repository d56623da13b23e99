"""The embedder of the documentation's index, as `embedder` in `databases.yaml` says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tribal.app.asking.embedders import RemoteEmbedder, server_readiness
from tribal.errors import ConfigurationError, EmbeddingFailed
from tribal.ports import Embedder, ModelReadiness, Provider
from tribal.ports.models.chains import ModelAccount
from tribal_contracts.core.models import OnnxEmbedding, RunCaps, ServerEmbedding
from tribal_contracts.core.sections import find_section

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tribal.app.building import Building
    from tribal.app.project_text import ProjectText
    from tribal.ports import Caller
    from tribal.settings import Settings

MAX_TEXT_CHARS = 8_192
"""Characters sent of a text, which fit into 8,192 tokens, the least that vendors take."""


@dataclass(frozen=True, slots=True)
class IndexServer(RemoteEmbedder):
    """A server that embeds documents and questions."""

    near: float
    takes_questions = True
    sends_texts = True
    local: Provider[Embedder]
    """Judges words, which are not sent."""
    text: ProjectText
    """Says which databases are kept from servers."""

    def embed(self, texts: Sequence[str]) -> NDArray[Any]:
        """N x D float32, L2-normalised; see `RemoteEmbedder.embed`."""
        return RemoteEmbedder.embed(self, [text[:MAX_TEXT_CHARS] for text in texts])

    def may_embed(self, database: str) -> bool:
        """Whether texts about a database may be sent: none with `describer: rules`."""
        return not self.text.keeps_from_models(database)

    def knows(self, words: Sequence[str]) -> list[bool]:
        """Whether each word looks real; see `Embedder.knows`."""
        return self.local().knows(words)


def index_embedder(building: Building, settings: Settings) -> Callable[[Caller | str], Embedder] | None:
    """Build what opens the embedder for a caller's questions or the run with that id; `None` for the shipped one."""
    if isinstance(settings.embedder, OnnxEmbedding):
        opened = _onnx(building, settings.project / settings.embedder.onnx)
        return lambda _: opened()
    if isinstance(settings.embedder, ServerEmbedding):
        return partial(_server, building, settings.embedder)
    return None


def embedder_readiness(building: Building, settings: Settings) -> list[ModelReadiness]:
    """Check whether the embedder of the index can be used, unless it is the shipped one; calls no server."""
    if isinstance(settings.embedder, ServerEmbedding):
        return [server_readiness("embedder", settings.embedder, building.models)]
    if not isinstance(settings.embedder, OnnxEmbedding):
        return []
    ready = ModelReadiness("embedder", settings.embedder.onnx, "this machine, which charges nothing")
    try:
        # Finding its length loads the model.
        assert _onnx(building, settings.project / settings.embedder.onnx)().dimensions
    except EmbeddingFailed as error:
        ready = replace(ready, missing=error.message)
    return [ready]


def _onnx(building: Building, folder: Path) -> Provider[Embedder]:
    def opened() -> Embedder:
        from tribal.adapters.onnx.embedder import OnnxEmbedder

        return OnnxEmbedder(folder, lambda words: building.embedder().knows(words))

    return Provider(opened)


def _server(building: Building, section: ServerEmbedding, user: Caller | str) -> Embedder:
    from tribal.models.known_models import embedding_facts
    from tribal.models.ledger import RUN

    try:
        facts = embedding_facts(section)
    except ConfigurationError as error:
        raise EmbeddingFailed(error.message.replace("embedding.", "embedder.")) from error
    if isinstance(user, str):
        usd = (building.models.options().model or RunCaps()).per_run_usd
        account = ModelAccount(RUN + user, usd)
    else:
        account, usd = _question_account(building, user)
    return IndexServer(building.models, section, facts, account, usd, section.near, building.embedder, building.text())


def _question_account(building: Building, caller: Caller) -> tuple[ModelAccount, float]:
    """Return what embedding a caller's question is booked to, and the most that it may cost."""
    from tribal.capabilities.chat.asking.chat import account_of
    from tribal.capabilities.chat.parts import CHAT_SHARE
    from tribal.capabilities.chat.rights import ASK_CHAT
    from tribal_contracts.chat.settings import ChatSettings

    if not caller.may(ASK_CHAT):
        raise EmbeddingFailed(f"embedding a question by a server needs the right {ASK_CHAT!r}")
    settings = find_section(building.sections, ChatSettings) or ChatSettings()
    return ModelAccount(account_of(caller), settings.per_caller_day_usd, CHAT_SHARE), settings.per_answer_usd
