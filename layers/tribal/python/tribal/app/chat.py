"""The parts of the chat: collections published in the store, what reads files, and models that answer."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tribal.app.chat_models import ChatModels
from tribal.capabilities.chat.parts import ChatParts
from tribal.ports import Provider
from tribal_contracts.chat.settings import ChatSettings
from tribal_contracts.core.shape import find_section

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tribal.app.models import Models
    from tribal.app.project_text import ProjectText
    from tribal.ports import Embedder, ObjectStore
    from tribal.ports.passages import DocumentParser, PassageIndexes
    from tribal_contracts import CapabilitySettings


def chat_parts(
    sections: Mapping[str, CapabilitySettings],
    models: Models,
    store: Provider[ObjectStore],
    embedder: Provider[Embedder],
    text: Callable[[], ProjectText],
    scratch: Path,
) -> ChatParts:
    """The parts of the chat.

    Args:
        sections: of the configuration.
        models: builds models and reads keys.
        store: holds the collections.
        embedder: the embedder in this process.
        text: reads the configuration, which says which databases are kept from models.
        scratch: a folder for files in progress, and for copies of indexes.
    """
    settings = find_section(sections, ChatSettings) or ChatSettings()
    chosen = ChatModels(settings, models, embedder, text)
    return ChatParts(
        settings=settings,
        indexes=Provider(partial(_indexes, store, scratch)),
        parser=Provider(_parser),
        embedder=chosen.embedder_of,
        models=chosen.open,
        route=chosen.route,
        instructions=chosen.instructions,
        may_send=chosen.may_send,
        scratch=scratch,
    )


def _indexes(store: Provider[ObjectStore], scratch: Path) -> PassageIndexes:
    from tribal.adapters.sqlite.passages import PublishedPassages

    return PublishedPassages(store(), scratch / "indexes")


def _parser() -> DocumentParser:
    from tribal.adapters.documents.parser import DocumentProcesses

    return DocumentProcesses()
