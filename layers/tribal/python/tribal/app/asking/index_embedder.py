"""The embedder of the documentation's index, as `embedder` in `databases.yaml` says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tribal.app.asking.embedders import RemoteEmbedder, server_readiness
from tribal.errors import ConfigurationError, EmbeddingFailed
from tribal.ports import Embedder, ModelReadiness, Provider
from tribal.ports.models.chains import ModelAccount
from tribal_contracts.core.models import EmbedderSection, OnnxEmbedding, RunCaps, ServerEmbedding

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tribal.app.models import Models
    from tribal.app.project_text import ProjectText
    from tribal.ports import Caller
    from tribal_contracts import CapabilitySettings

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


def index_embedder(
    section: EmbedderSection,
    project: Path,
    local: Provider[Embedder],
    models: Models,
    text: Callable[[], ProjectText],
    sections: Mapping[str, CapabilitySettings],
) -> Callable[[Caller | str], Embedder] | None:
    """Build what opens the embedder for a caller's questions or the run with that id; `None` for `local`.

    Args:
        section: the section `embedder`.
        project: folder that a relative folder starts from.
        local: the embedder in this process.
        models: reads keys and keeps caps.
        text: reads the configuration, which says which databases are kept from models.
        sections: of the configuration; the chat's has the caps of questions.
    """
    if isinstance(section, OnnxEmbedding):
        opened = onnx_embedder(project / section.onnx, local)
        return lambda _: opened()
    if isinstance(section, ServerEmbedding):
        return lambda user: _server(section, user, local, models, text, sections)
    return None


def onnx_embedder(folder: Path, local: Provider[Embedder]) -> Provider[Embedder]:
    """The embedder over a model in a folder; `local` judges words."""

    def opened() -> Embedder:
        from tribal.adapters.onnx.embedder import OnnxEmbedder

        return OnnxEmbedder(folder, lambda words: local().knows(words))

    return Provider(opened)


def embedder_readiness(section: EmbedderSection, models: Models) -> list[ModelReadiness]:
    """Check whether the embedder of the index can be used; calls no server."""
    if isinstance(section, ServerEmbedding):
        return [server_readiness("embedder", section, models)]
    return []


def _server(
    section: ServerEmbedding,
    user: Caller | str,
    local: Provider[Embedder],
    models: Models,
    text: Callable[[], ProjectText],
    sections: Mapping[str, CapabilitySettings],
) -> Embedder:
    from tribal.app.chat import question_account
    from tribal.models.known_models import embedding_facts
    from tribal.models.ledger import RUN

    try:
        facts = embedding_facts(section)
    except ConfigurationError as error:
        raise EmbeddingFailed(error.message.replace("embedding.", "embedder.")) from error
    if isinstance(user, str):
        usd = (models.options().model or RunCaps()).per_run_usd
        account = ModelAccount(RUN + user, usd)
    else:
        account, usd = question_account(user, sections)
    return IndexServer(models, section, facts, account, usd, section.near, local, text())
