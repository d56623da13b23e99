"""Parts of the application that only the chat needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tribal.errors import ConfigurationError
from tribal_contracts.chat.settings import ChatSettings, CollectionEntry

if TYPE_CHECKING:
    from tribal.ports import Application, Provider
    from tribal.ports.models.chains import ModelSource
    from tribal.ports.passages import DocumentParser, PassageIndexes, TextEmbedder
    from tribal_contracts.chat.jobs import UploadAddress

CHAT_SHARE = 0.5
"""Share of `spending.per_day_usd` that chats and uploads may use together. Source: docs/contracts.md, Chat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatParts:
    """Settings and indexes of collections, readers of files, and models that answer."""

    settings: ChatSettings
    indexes: Provider[PassageIndexes]
    parser: Provider[DocumentParser]
    embedder: Callable[[CollectionEntry, str, float], TextEmbedder]
    """Returns the embedder of a collection. Its costs are charged to an account, such as `chat:HASH` or `upload:JOB`,
    up to this many dollars. An embedder on this machine is free.

    Raises: `ConfigurationError` when its key or its price is missing.
    """
    models: ModelSource
    """Models that may answer. Their costs are charged to an account such as `chat:HASH`."""
    instructions: Callable[[], str]
    """Returns the prompt for answers.

    Raises: `ConfigurationError` when the project's own prompt cannot be used.
    """
    scratch: Path
    """Folder for temporary files."""
    launch: Callable[[str, str], None] | None = None
    """Starts the job with this collection and ID in another process; `None` if the uploading process runs it."""
    asks_models: bool = True
    """Whether models and embedding servers may be called. If not, nothing is sent to any of them."""
    address: Callable[[str, int, str], UploadAddress] | None = None
    """Returns the address for an announced upload, given its key, size and SHA-256; `None` if files arrive only in
    forms."""

    def close(self) -> None:
        """Close open resources."""
        if self.indexes.made:
            self.indexes().close()


def chat_parts(app: Application) -> ChatParts:
    """Return the parts of the chat.

    Raises:
        ConfigurationError: when the application has no chat.
    """
    parts = app.part(ChatParts)
    if parts is None:
        raise ConfigurationError("this application has neither a chat nor uploads")
    return parts


def without_models(app: Application) -> Application:
    """Return the application with a chat that calls no models and no embedding servers."""
    return app.with_part(replace(chat_parts(app), asks_models=False))
