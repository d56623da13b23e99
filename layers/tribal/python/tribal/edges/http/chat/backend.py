"""What the routes of the chat call; tests replace it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from tribal.edges.http.chat.whole_events import EventSource
    from tribal.ports.application import Application
    from tribal.ports.caller import Caller
    from tribal_contracts.chat.jobs import JobList, RemovalReport, UploadAddress, UploadJob
    from tribal_contracts.chat.requests import ChatRequest, UploadRequest


class CallerUploads(Protocol):
    """Uploads and removals of one caller."""

    def accept(self, file: Path, filename: str, collection: str | None) -> UploadJob:
        """Take a file into the store, and have it indexed later."""
        ...

    def announce(self, request: UploadRequest) -> UploadJob:
        """The job of a file that will be sent to an address."""
        ...

    def address(self, job: UploadJob) -> UploadAddress:
        """The address for an announced file."""
        ...

    def job(self, job_id: str) -> UploadJob:
        """What became of an upload."""
        ...

    def jobs(self, limit: int) -> JobList:
        """The uploads that the caller may see, newest first."""
        ...

    def remove(self, collection: str, source_id: str) -> RemovalReport:
        """Remove a file from a collection."""
        ...


def _open_chat(app: Application, caller: Caller, request: ChatRequest) -> EventSource:
    from tribal.capabilities.chat.asking.chat import Chat

    return Chat(caller, app).open(request).events


def _uploads(app: Application, caller: Caller) -> CallerUploads:
    from tribal.capabilities.chat.uploads.uploads import Uploads

    return Uploads(app, caller)


@dataclass(frozen=True, slots=True)
class ChatBackend:
    """The use cases behind the routes; each is imported when it is first used."""

    open_chat: Callable[[Application, Caller, ChatRequest], EventSource] = _open_chat
    """Checks a question and returns what answers it; raises before anything is answered."""
    uploads: Callable[[Application, Caller], CallerUploads] = _uploads
