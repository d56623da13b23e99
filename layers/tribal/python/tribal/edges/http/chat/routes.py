"""The routes of the chat: questions, uploads, and what became of them.

Source: chat specification, 3; docs/contracts.md, Chat
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from tribal.capabilities.chat.errors import (
    ChatBusy,
    ChatForbidden,
    CollectionMismatch,
    CollectionNotFound,
    JobNotFound,
    QuestionInvalid,
    UploadRefused,
    UploadTooLarge,
)
from tribal.capabilities.chat.parts import ChatParts, chat_parts
from tribal.capabilities.chat.rights import WRITE_COLLECTIONS
from tribal.edges.http.bodies import accepts, json_object, require_json
from tribal.edges.http.chat.framings import (
    UI_MESSAGE_STREAM,
    UI_VERSION,
    specification_stream,
    ui_message_stream,
    whole_answer,
)
from tribal.edges.http.chat.limits import CallerLimits
from tribal.edges.http.chat.whole_events import AnswerEvents
from tribal.edges.http.messages import EVENT_STREAM, JSON, Events, Request, Response, event_stream
from tribal.edges.http.routing import Call, Route
from tribal.errors import AnswerTypeRefused, IndexNotReady, RequestRefused
from tribal_contracts.chat.requests import MAX_REQUEST_BYTES, ChatRequest
from tribal_contracts.chat.settings import ChatSettings

if TYPE_CHECKING:
    from tribal.capabilities.chat.uploads.uploads import Uploads
    from tribal.edges.http.chat.forms import ReceivedForm, UploadForm
    from tribal.edges.http.chat.whole_events import EventSource
    from tribal.ports.application import Application
    from tribal.ports.caller import Caller
    from tribal_contracts import Contract

QUESTIONS = "/api/chat/stream"
UPLOADS = "/api/admin/upload"
JOBS = "/api/admin/etl/jobs"
JOB = "/api/admin/etl/status"
COLLECTIONS = "/api/admin/collections"
COLLECTION = f"{COLLECTIONS}/{{name}}"
SOURCES = f"{COLLECTION}/sources/{{source_id}}"
FORM = "multipart/form-data"
_READ_BYTES = 1024 * 1024
"""Up to this size a question is read, so that the refusal says what to change."""
_QUESTION = 'a question, such as {"messages": [{"role": "user", "content": "..."}]}'
_JOBS, _MOST_JOBS = 50, 500
_LONGEST_NUMBER = 9

Admission = Callable[[], AbstractContextManager[object]]
OpenChat = Callable[["Application", "Caller", ChatRequest], "EventSource"]


def open_chat(app: Application, caller: Caller, request: ChatRequest) -> EventSource:
    """Check a question and return what answers it; raises before anything is answered."""
    from tribal.capabilities.chat.asking.chat import Chat

    return Chat(caller, app).open(request).events


def uploads_of(app: Application, caller: Caller) -> Uploads:
    """Uploads and removals of one caller."""
    from tribal.capabilities.chat.uploads.uploads import Uploads

    return Uploads(app, caller)


def chat_routes(opening: OpenChat | None = None) -> tuple[Route, ...]:
    """The routes of one server process, whose limits on callers hold for it alone; `opening` replaces `open_chat`."""
    routes = _ChatRoutes(opening or open_chat, CallerLimits())
    return (
        Route(
            "POST",
            QUESTIONS,
            routes.ask,
            "Ask a collection; the answer is streamed.",
            content_type=EVENT_STREAM,
            other_types=(JSON,),
            largest_body_bytes=_READ_BYTES,
            models=_question_models,
            failures=(QuestionInvalid, CollectionNotFound, ChatForbidden, ChatBusy, CollectionMismatch, IndexNotReady),
        ),
        Route(
            "POST",
            UPLOADS,
            routes.upload,
            "Upload a file or an archive to a collection; it is indexed later.",
            status=202,
            body_type=FORM,
            models=_upload_models,
            failures=(UploadRefused, UploadTooLarge, CollectionNotFound, ChatForbidden, ChatBusy),
            receives=routes.receive,
            sweep=_sweep,
        ),
        Route(
            "GET",
            f"{JOB}/{{job_id}}",
            routes.job,
            "What became of an upload.",
            models=_job_models,
            failures=(JobNotFound, ChatForbidden),
        ),
        Route(
            "GET",
            JOBS,
            routes.jobs,
            "The uploads that the caller may see, newest first.",
            parameters=("limit",),
            models=_jobs_models,
            failures=(ChatForbidden,),
        ),
        Route(
            "GET",
            COLLECTIONS,
            routes.collections,
            "The collections that the caller may see.",
            models=_collections_models,
            failures=(ChatForbidden,),
        ),
        Route(
            "GET",
            COLLECTION,
            routes.collection,
            "A collection with its files.",
            models=_collection_models,
            failures=(CollectionNotFound, ChatForbidden),
        ),
        Route(
            "DELETE",
            SOURCES,
            routes.remove,
            "Remove an uploaded file; no answer uses it from now on.",
            models=_removal_models,
            failures=(CollectionNotFound, ChatForbidden),
        ),
    )


@dataclass(frozen=True, slots=True)
class _ChatRoutes:
    open_chat: OpenChat
    limits: CallerLimits

    def ask(self, call: Call) -> Response:
        request = call.request
        question = _question(call)
        kind = EVENT_STREAM if question.stream else JSON
        if not accepts(request.headers.get("accept"), kind):
            raise AnswerTypeRefused(f"with `stream: {str(question.stream).lower()}` the answer is {kind}; accept that")
        settings = chat_settings(call.app)
        self.limits.count_question(request.caller.subject, settings.questions_per_minute)
        source = self.open_chat(call.app, request.caller, question)
        events = AnswerEvents(source, call.app.clock.published)
        admission = partial(self.limits.stream, request.caller.subject)
        return _framed(events, question, request.headers, admission, settings.answer_seconds)

    def upload(self, call: Call) -> Response:
        """Answer an upload whose body has arrived whole."""
        from tribal.edges.http.chat.forms import UploadForm

        require_writer(call.request.caller)
        headers = call.request.headers
        parts = chat_parts(call.app)
        if parts.address is not None:
            from tribal.edges.http.chat.announcing import announce, is_announcement, require_small

            if is_announcement(headers.get("content-type")):
                return announce(uploads_of(call.app, call.request.caller), call, JOB)
            require_small(call.request.body)
        limit = parts.settings.uploads.largest_mb
        with UploadForm(headers.get("content-type"), parts.scratch, limit) as form:
            form.feed(call.request.body)
            return _accept_upload(call.app, call.request.caller, form.finish())

    @contextmanager
    def receive(self, request: Request, app: Application, slot: Hashable) -> Iterator[_ReceivedUpload]:
        """Take an upload as it arrives."""
        from tribal.edges.http.chat.forms import UploadForm

        require_writer(request.caller)
        parts = chat_parts(app)
        limit = parts.settings.uploads.largest_mb
        with (
            self.limits.upload(slot),
            UploadForm(request.headers.get("content-type"), parts.scratch, limit) as form,
        ):
            form.require_size(request.headers.get("content-length"))
            yield _ReceivedUpload(form, partial(_accept_upload, app, request.caller))

    def job(self, call: Call) -> Response:
        return _answered(uploads_of(call.app, call.request.caller).job(call.values["job_id"]))

    def jobs(self, call: Call) -> Response:
        limit = _limit(call.request.query.get("limit"))
        return _answered(uploads_of(call.app, call.request.caller).jobs(limit))

    def collections(self, call: Call) -> Response:
        return _answered(uploads_of(call.app, call.request.caller).collections())

    def collection(self, call: Call) -> Response:
        return _answered(uploads_of(call.app, call.request.caller).collection(call.values["name"]))

    def remove(self, call: Call) -> Response:
        require_writer(call.request.caller)
        uploads = uploads_of(call.app, call.request.caller)
        return _answered(uploads.remove(call.values["name"], call.values["source_id"]))


@dataclass(frozen=True, slots=True)
class _ReceivedUpload:
    form: UploadForm
    accept: Callable[[ReceivedForm], Response]

    def feed(self, data: bytes) -> None:
        self.form.feed(data)

    def finish(self) -> Response:
        return self.accept(self.form.finish())


def _sweep(app: Application) -> None:
    from tribal.edges.http.chat.forms import remove_abandoned

    if (parts := app.part(ChatParts)) is not None:
        remove_abandoned(parts.scratch)


def chat_settings(app: Application) -> ChatSettings:
    """The settings of the chat, which answers about the documentation without any."""
    parts = app.part(ChatParts)
    return ChatSettings() if parts is None else parts.settings


def require_writer(caller: Caller) -> None:
    """Refuse a caller who may not change collections, before anything is read.

    Raises:
        ChatForbidden: when the right is missing.
    """
    if not caller.may(WRITE_COLLECTIONS):
        raise ChatForbidden(
            f"uploads and removals need the right {WRITE_COLLECTIONS!r}: `tribal serve --write`, or a token with it"
        )


def _accept_upload(app: Application, caller: Caller, form: ReceivedForm) -> Response:
    """Hand over a file that has arrived, and answer with the job that indexes it."""
    from tribal_contracts.chat.jobs import UploadAccepted

    job = uploads_of(app, caller).accept(form.file, form.filename, form.collection)
    place = f"{JOB}/{job.job_id}"
    message = f"{job.filename} is being indexed into {job.collection}; GET {place} shows the progress"
    accepted = UploadAccepted(job_id=job.job_id, filename=job.filename, message=message)
    return Response(202, accepted.to_compact_json(), headers={"Location": place})


def _question(call: Call) -> ChatRequest:
    request = call.request
    require_json(request.headers.get("content-type"))
    if len(request.body) > MAX_REQUEST_BYTES:
        raise QuestionInvalid(f"the request is larger than {MAX_REQUEST_BYTES // 1024} KB; send fewer earlier messages")
    try:
        question = ChatRequest.model_validate(json_object(request.body, _QUESTION))
        question.to_compact_json()
    except PydanticSerializationError:
        raise QuestionInvalid("the request contains a lone surrogate, which is not valid text") from None
    except ValidationError as error:
        problem = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(map(str, problem["loc"]))[:100].encode("utf-8", "replace").decode()
        raise QuestionInvalid(f"the request is not valid: {where}: {problem['msg']}; send {_QUESTION}") from None
    return question


def _framed(
    events: AnswerEvents, question: ChatRequest, headers: Mapping[str, str], admission: Admission, seconds: float
) -> Response:
    if not question.stream:
        made: Events = partial(whole_answer, events)
        # Compressed, white space that is sent meanwhile would wait for the answer.
        response = Response(200, b"", JSON, headers={"Content-Encoding": "identity"}, events=made)
    elif headers.get(UI_MESSAGE_STREAM) == UI_VERSION or question.trigger is not None:
        made = partial(ui_message_stream, events, f"msg-{secrets.token_hex(12)}")
        response = event_stream(made, {UI_MESSAGE_STREAM: UI_VERSION})
    else:
        response = event_stream(partial(specification_stream, events))
    return replace(response, admission=admission, seconds=seconds)


def _answered(answer: Contract) -> Response:
    return Response(200, answer.to_compact_json())


def _limit(given: str | None) -> int:
    if given is None:
        return _JOBS
    if not given.isdecimal() or len(given) > _LONGEST_NUMBER or not 1 <= int(given) <= _MOST_JOBS:
        raise RequestRefused(f"`limit` must be a number from 1 to {_MOST_JOBS}")
    return int(given)


def _question_models() -> tuple[type[Contract], type[Contract]]:
    from tribal_contracts.chat.events import WholeAnswer

    return ChatRequest, WholeAnswer


def _upload_models() -> tuple[type[Contract], type[Contract]]:
    from tribal_contracts.chat.jobs import UploadAccepted
    from tribal_contracts.chat.requests import UploadForm

    return UploadForm, UploadAccepted


def _job_models() -> tuple[None, type[Contract]]:
    from tribal_contracts.chat.jobs import UploadJob

    return None, UploadJob


def _jobs_models() -> tuple[None, type[Contract]]:
    from tribal_contracts.chat.jobs import JobList

    return None, JobList


def _collections_models() -> tuple[None, type[Contract]]:
    from tribal_contracts.chat.collections import CollectionList

    return None, CollectionList


def _collection_models() -> tuple[None, type[Contract]]:
    from tribal_contracts.chat.collections import CollectionContents

    return None, CollectionContents


def _removal_models() -> tuple[None, type[Contract]]:
    from tribal_contracts.chat.jobs import RemovalReport

    return None, RemovalReport
