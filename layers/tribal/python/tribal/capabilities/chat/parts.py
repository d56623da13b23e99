"""What the chat needs of the application besides its shared parts."""

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
"""The share of `spending.per_day_usd` that chats and uploads may use together. Source: docs/contracts.md, Chat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatParts:
    """Collections, what reads files, and models that answer."""

    settings: ChatSettings
    indexes: Provider[PassageIndexes]
    parser: Provider[DocumentParser]
    embedder: Callable[[CollectionEntry, str, float], TextEmbedder]
    """The embedder of a collection, which books to an account, such as `chat:HASH` or `upload:JOB`, and spends at most
    so many dollars there; one on this machine costs nothing.

    Raises: `ConfigurationError` when its key or its price is missing.
    """
    models: ModelSource
    """The models that may answer, which book to an account such as `chat:HASH`."""
    instructions: Callable[[], str]
    """The prompt of an answer.

    Raises: `ConfigurationError` when the project's own prompt cannot be used.
    """
    scratch: Path
    """A folder for files in progress."""
    launch: Callable[[str, str], None] | None = None
    """Has the job of a collection run elsewhere, by both names; `None` where its upload starts it by itself."""
    asks_models: bool = True
    """Whether a model or a server that embeds may be asked; if not, nothing is sent to any."""
    address: Callable[[str, int, str], UploadAddress] | None = None
    """Makes the address to which the bytes of an announced upload are sent, by its key, size and SHA-256; `None` where
    files are only sent along."""

    def close(self) -> None:
        """Close open resources."""
        if self.indexes.made:
            self.indexes().close()


def chat_parts(app: Application) -> ChatParts:
    """The parts of the chat.

    Raises:
        ConfigurationError: when the application has none.
    """
    parts = app.part(ChatParts)
    if parts is None:
        raise ConfigurationError("this application has no chat and takes no uploads")
    return parts


def without_models(app: Application) -> Application:
    """Return the application with a chat that asks neither models nor servers that embed."""
    return app.with_part(replace(chat_parts(app), asks_models=False))
