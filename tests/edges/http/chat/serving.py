"""`tribal serve` in this process, with a chat whose answers the test chooses, and uploads that are only recorded."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.edges.http.asking import Asking, asking
from tests.edges.http.chat.answers import ANSWER, NOW, source_of
from tests.waiting import LONGEST_SECONDS
from tribal.app import local
from tribal.capabilities.chat.errors import CollectionNotFound, JobNotFound, QuestionInvalid
from tribal.capabilities.chat.events import ChatEvent, Finished, TextPiece
from tribal.capabilities.chat.parts import ChatParts
from tribal.edges.http.chat import routes
from tribal.edges.http.chat.routes import QUESTIONS, UPLOADS
from tribal.edges.http.chat.whole_events import EventSource
from tribal.ports import Application, Caller, Provider
from tribal.ports.stopping import StopToken
from tribal_contracts.chat.jobs import JobList, RemovalReport, UploadAddress, UploadJob
from tribal_contracts.chat.requests import ChatRequest, UploadRequest
from tribal_contracts.chat.settings import ChatSettings

JOB_ID = "20261128T000000Z-abcdef"
QUESTION = {"messages": [{"role": "user", "content": "who is a customer?"}]}
UI_QUESTION = {
    "id": "chat-1",
    "trigger": "submit-message",
    "messages": [{"id": "m-1", "role": "user", "parts": [{"type": "text", "text": "who is a customer?"}]}],
}


@dataclass
class Chats:
    """The answers of a chat: each has `events`, or is handed over piece by piece through `pieces`."""

    events: Sequence[ChatEvent | Exception] = ANSWER
    refusal: Exception | None = None
    """Raised instead of an answer."""
    by_question: Mapping[str, Sequence[ChatEvent | Exception] | Exception] = field(default_factory=dict)
    """Other answers and refusals, by the text of the question."""
    pieces: queue.Queue[ChatEvent | None] | None = None
    """The events of answers to come; `None` ends one."""
    asked: list[tuple[Caller, ChatRequest]] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)
    closed: threading.Event = field(default_factory=threading.Event)

    def open(self, _: Application, caller: Caller, request: ChatRequest) -> EventSource:
        self.asked.append((caller, request))
        if self.refusal is not None:
            raise self.refusal
        if not request.messages:
            raise QuestionInvalid("there is no question")
        if self.pieces is not None:
            return self._handed_over
        events = self.by_question.get(_text_of(request), self.events)
        if isinstance(events, Exception):
            raise events
        return source_of(events)

    def _handed_over(self, stop: StopToken) -> Generator[ChatEvent, None, None]:
        assert self.pieces is not None
        try:
            while not stop.requested:
                try:
                    event = self.pieces.get(timeout=0.01)
                except queue.Empty:
                    continue
                if event is None:
                    yield Finished("stop")
                    return
                yield event
        finally:
            if stop.requested:
                self.stopped.set()
            self.closed.set()


def _text_of(request: ChatRequest) -> str:
    return "".join(part.get("text", "") for part in request.messages[-1].parts or ())


@dataclass
class Received:
    """An upload that was taken."""

    caller: Caller
    data: bytes
    filename: str
    collection: str | None
    place: Path


@dataclass
class RecordedUploads:
    """Uploads that are only recorded."""

    received: list[Received] = field(default_factory=list)
    removed: list[tuple[str, str]] = field(default_factory=list)
    limits: list[int] = field(default_factory=list)
    keeps_bytes: bool = True

    def of(self, _: Application, caller: Caller) -> _OneCaller:
        return _OneCaller(self, caller)


@dataclass
class _OneCaller:
    kept: RecordedUploads
    caller: Caller

    def accept(self, file: Path, filename: str, collection: str | None) -> UploadJob:
        data = file.read_bytes() if self.kept.keeps_bytes else b""
        if collection == "unknown":
            raise CollectionNotFound("there is no collection 'unknown'; you may use handbook")
        self.kept.received.append(Received(self.caller, data, filename, collection, file))
        return job(filename, file.stat().st_size)

    def announce(self, _: UploadRequest) -> UploadJob:
        raise AssertionError("files are sent along")

    def address(self, _: UploadJob) -> UploadAddress:
        raise AssertionError("files are sent along")

    def job(self, job_id: str) -> UploadJob:
        if job_id != JOB_ID:
            raise JobNotFound(f"there is no upload {job_id!r}")
        return job("manual.pdf", 1)

    def jobs(self, limit: int) -> JobList:
        self.kept.limits.append(limit)
        return JobList(jobs=[job("manual.pdf", 1)], total=1, truncated=False)

    def remove(self, collection: str, source_id: str) -> RemovalReport:
        self.kept.removed.append((collection, source_id))
        return RemovalReport(
            collection=collection, source_id=source_id, names=["manual.pdf"], job_id=JOB_ID, gone_by=NOW
        )


def job(filename: str, size: int) -> UploadJob:
    return UploadJob(
        job_id=JOB_ID,
        collection="handbook",
        filename=filename,
        size_bytes=size,
        status="processing",
        created_at=NOW,
        updated_at=NOW,
        requested_by="ada",
    )


@dataclass
class ChatServer:
    """A running server with its chat."""

    server: Asking
    chats: Chats
    uploads: RecordedUploads
    scratch: Path
    client: httpx2.Client = field(repr=False)

    @property
    def address(self) -> str:
        return self.server.address

    def ask(self, content: Any = None, token: str | None = None, **headers: str) -> httpx2.Response:
        """Ask, and read the whole answer."""
        sent = {**_authorized(token), **{name.replace("_", "-"): value for name, value in headers.items()}}
        body = QUESTION if content is None else content
        return self.client.post(QUESTIONS, json=body, headers=sent)

    def upload(
        self, files: Any, token: str | None = None, data: dict[str, Any] | None = None, **headers: str
    ) -> httpx2.Response:
        """Send a form."""
        return self.client.post(UPLOADS, files=files, data=data, headers={**_authorized(token), **headers})

    def leftovers(self) -> list[Path]:
        """Files of uploads that were not removed."""
        return list(self.scratch.glob("*")) if self.scratch.exists() else []


def _authorized(token: str | None) -> dict[str, str]:
    return {} if token is None else {"authorization": f"Bearer {token}"}


def chat_parts(scratch: Path, settings: ChatSettings | None = None) -> ChatParts:
    """Parts of a chat for routes whose use cases are replaced."""

    def unused(*_: Any) -> Any:
        raise AssertionError("the use cases are replaced")

    given: dict[str, Any] = {each.name: unused for each in fields(ChatParts)}
    given |= {"indexes": Provider(unused), "settings": settings or ChatSettings(), "scratch": scratch, "launch": None}
    return ChatParts(**given)


@contextmanager
def chatting(folder: Path, settings: ChatSettings | None = None, **blueprint: Any) -> Iterator[ChatServer]:
    """Serve a project until the block ends."""
    chats, uploads, scratch = Chats(), RecordedUploads(), folder / "scratch"
    parts, build = chat_parts(scratch, settings), local.local_application

    def built(*arguments: Any, **named: Any) -> Application:
        return build(*arguments, **named).with_part(parts)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(routes, "open_chat", chats.open)
        patch.setattr(routes, "uploads_of", uploads.of)
        patch.setattr(local, "local_application", built)
        with (
            asking(folder, **blueprint) as server,
            httpx2.Client(base_url=server.address, timeout=LONGEST_SECONDS) as client,
        ):
            yield ChatServer(server, chats, uploads, scratch, client)


def parsed_events(answer: httpx2.Response) -> list[Any]:
    """The events of a streamed answer."""
    blocks = answer.text.removesuffix("\n\n").split("\n\n")
    values = [block.removeprefix("data: ") for block in blocks if not block.startswith(":")]
    return [value if value == "[DONE]" else json.loads(value) for value in values]


def handed_over(*texts: str) -> queue.Queue[ChatEvent | None]:
    """Pieces of an answer to come."""
    pieces: queue.Queue[ChatEvent | None] = queue.Queue()
    for text in texts:
        pieces.put(TextPiece(text))
    return pieces
