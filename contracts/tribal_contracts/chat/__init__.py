"""Contracts of the chat: its state, events and requests, and what collections and uploads are."""

from __future__ import annotations

from pydantic import BaseModel

from tribal_contracts.chat.audit import AuditedAnswer
from tribal_contracts.chat.collections import (
    CollectionContents,
    CollectionList,
    CollectionManifest,
    CollectionRecord,
    PassageIndexPointer,
    SourceRecord,
    StoredPassage,
)
from tribal_contracts.chat.events import ChatEvent, ChatSource, UiMessageChunk, WholeAnswer
from tribal_contracts.chat.jobs import JobList, RemovalReport, UploadAccepted, UploadJob
from tribal_contracts.chat.requests import ChatRequest, UploadRequest
from tribal_contracts.chat.settings import ChatSettings
from tribal_contracts.chat.state import AgentState

EXPORTED: dict[str, type[BaseModel]] = {
    "agent-state": AgentState,
    "audited-answer": AuditedAnswer,
    "chat-request": ChatRequest,
    "chat-event": ChatEvent,
    "chat-source": ChatSource,
    "chat-answer": WholeAnswer,
    "ui-message-chunk": UiMessageChunk,
    "upload-request": UploadRequest,
    "upload-accepted": UploadAccepted,
    "upload-job": UploadJob,
    "upload-jobs": JobList,
    "removal-report": RemovalReport,
    "collection": CollectionRecord,
    "collection-list": CollectionList,
    "collection-contents": CollectionContents,
    "collection-manifest": CollectionManifest,
    "collection-source": SourceRecord,
    "collection-passage": StoredPassage,
    "passage-index": PassageIndexPointer,
}
"""The contracts exported as JSON Schema, by file name."""

__all__ = ["EXPORTED", "ChatSettings"]
