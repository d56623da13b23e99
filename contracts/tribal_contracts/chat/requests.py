"""Requests to the chat and to uploads. Extension contracts: unknown fields are ignored, as clients add some."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from tribal_contracts.core.shape import ContentHash, Contract, Unset, optional

MAX_QUESTION_CHARS = 4_000
MAX_MESSAGES = 40
MAX_REQUEST_BYTES = 64 * 1024


class ChatMessage(Contract):
    """One turn of a conversation."""

    role: str
    content: str | Unset = optional("Its text.")
    parts: list[dict[str, Any]] | Unset = optional("Its parts, as the AI SDK sends them; those of type text are read.")


class ChatRequest(Contract):
    """A question with the conversation before it. Source: chat specification, 3.1."""

    messages: list[ChatMessage]
    stream: bool = True
    collection: str | Unset = optional("The collection to ask.")
    trigger: str | Unset = optional("Sent by the AI SDK, which is answered in its own framing.")


class UploadRequest(Contract):
    """A file that is to be uploaded to an address that is asked for."""

    filename: Annotated[str, Field(min_length=1, max_length=1_000)]
    size_bytes: Annotated[int, Field(ge=1)]
    sha256: ContentHash
    collection: str | Unset = optional("The collection to add it to.")


class UploadForm(Contract):
    """The fields of the form of an upload. Source: chat specification, 3.2."""

    file: Annotated[str, Field(json_schema_extra={"contentMediaType": "application/octet-stream"})]
    """The bytes of a file or an archive, with its name."""
    collection: str | Unset = optional("The collection to add it to.")
