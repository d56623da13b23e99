"""Frames the events of an answer for clients: the specification's events, the AI SDK's chunks, or one JSON object.

Source: chat specification, 3.1; https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from typing import TYPE_CHECKING

from pydantic_core import PydanticSerializationError

from tribal.capabilities.chat.events import ChatEvent, Finished, SourcesFound, Step, TextPiece
from tribal.ports.stopping import StopToken
from tribal_contracts.chat.events import (
    ChatSource,
    DeltaChunk,
    ErrorChunk,
    FinishChunk,
    FinishEvent,
    GovernorChunk,
    PartChunk,
    PlainChunk,
    ReasoningDelta,
    SourceDocumentChunk,
    SourcesEvent,
    SourceUrlChunk,
    StartChunk,
    TextDelta,
    WholeAnswer,
)

if TYPE_CHECKING:
    from typing import Literal

    from tribal_contracts import Contract

OrderedEvents = Callable[[StopToken], Generator[ChatEvent, None, None]]
"""The events of an answer as `AnswerEvents` makes them."""
UI_MESSAGE_STREAM = "x-vercel-ai-ui-message-stream"
"""The header of requests and responses in the AI SDK's framing."""
UI_VERSION = "v1"
_DONE = b"data: [DONE]\n\n"
_SURROGATE = re.compile("[\ud800-\udfff]")
_TYPES = {
    "pdf": "application/pdf",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "md": "text/markdown",
    "txt": "text/plain",
    "html": "text/html",
    "htm": "text/html",
}
_OTHER_TYPE = "application/octet-stream"


def specification_stream(events: OrderedEvents, stop: StopToken) -> Generator[bytes, None, None]:
    """The specification's events, as server-sent events."""
    with closing(events(stop)) as made:
        yield from map(_sent, specification_events(made))


def ui_message_stream(events: OrderedEvents, message_id: str, stop: StopToken) -> Generator[bytes, None, None]:
    """The chunks of the AI SDK's UI message stream, as server-sent events.

    Args:
        events: of the answer.
        message_id: id of the message that the client shows; unique.
        stop: asks the answer to end.
    """
    with closing(events(stop)) as made:
        yield from map(_sent, ui_message_chunks(made, message_id))
    yield _DONE


def whole_answer(events: OrderedEvents, stop: StopToken) -> Generator[bytes, None, None]:
    """The whole answer as one JSON object."""
    texts: list[str] = []
    found: tuple[ChatSource, ...] = ()
    with closing(events(stop)) as made:
        for event in made:
            match event:
                case TextPiece(text):
                    texts.append(text)
                case SourcesFound(sources):
                    found = sources
                case Finished():
                    answer = WholeAnswer(text="".join(texts), sources=list(found), finish=_finish(event))
                    yield _encoded(answer)


def specification_events(events: Iterable[ChatEvent]) -> Iterator[Contract]:
    """The specification's events: reasoning, text, at most one list of sources, and the end."""
    found: tuple[ChatSource, ...] = ()
    for event in events:
        match event:
            case Step(text):
                yield ReasoningDelta(reasoningDelta=_line(text))
            case TextPiece(text):
                yield TextDelta(textDelta=text)
            case SourcesFound(sources):
                found = sources
            case Finished():
                if found:
                    yield SourcesEvent(sources=list(found))
                yield _finish(event)


def ui_message_chunks(events: Iterable[ChatEvent], message_id: str) -> Iterator[Contract]:
    """The chunks of one message; sources come as soon as they are known, also within a part."""
    part: Literal["reasoning", "text"] | None = None
    yield StartChunk(messageId=message_id)
    yield PlainChunk(type="start-step")
    for event in events:
        match event:
            case Step(text) | TextPiece(text):
                wanted: Literal["reasoning", "text"] = "reasoning" if isinstance(event, Step) else "text"
                if part != wanted:
                    yield from _ended(part)
                    yield PartChunk(type=f"{wanted}-start", id=_id(wanted))
                    part = wanted
                delta = _line(text) if wanted == "reasoning" else text
                yield DeltaChunk(type=f"{wanted}-delta", id=_id(wanted), delta=delta)
            case SourcesFound(sources):
                yield from map(_source_chunk, sources)
            case Finished():
                yield from _ended(part)
                yield from _last_chunks(event)


def _last_chunks(event: Finished) -> Iterator[Contract]:
    finish = _finish(event)
    if finish.governor is not None:
        yield GovernorChunk(data=finish.governor)
    if finish.error is not None:
        yield ErrorChunk(errorText=finish.error.message)
    yield PlainChunk(type="finish-step")
    stated = {
        "intent": finish.intent,
        "model": finish.model_selected,
        "droppedSentences": finish.dropped_sentences,
        "verdict": finish.verdict,
        "mainTables": finish.main_tables,
        "unexplained": finish.unexplained,
        "reading": finish.reading and finish.reading.model_dump(mode="json"),
        "warnings": finish.warnings,
    }
    metadata = {name: value for name, value in stated.items() if value is not None}
    yield FinishChunk(finishReason=finish.finish_reason, messageMetadata=metadata)


def _source_chunk(source: ChatSource) -> Contract:
    if source.url is not None:
        return SourceUrlChunk(sourceId=source.source_id, url=source.url, title=source.title)
    metadata = {"page_number": source.page_number, "course_id": source.course_id}
    if source.source_path is not None:
        metadata["source_path"] = source.source_path
    if source.distance is not None:
        metadata["distance"] = source.distance
    ending = source.source_filename.rpartition(".")[2].lower()
    return SourceDocumentChunk(
        sourceId=source.source_id,
        mediaType=_TYPES.get(ending, _OTHER_TYPE),
        title=source.title,
        filename=source.source_filename,
        providerMetadata={"tribal": metadata},
    )


def _ended(part: Literal["reasoning", "text"] | None) -> Iterator[Contract]:
    if part is not None:
        yield PartChunk(type=f"{part}-end", id=_id(part))


def _id(part: str) -> str:
    return f"{part}-0"


def _finish(event: Finished) -> FinishEvent:
    return FinishEvent(
        finish_reason=event.reason,
        error=event.error,
        governor=event.governor,
        intent=event.intent,
        model_selected=event.model,
        dropped_sentences=event.dropped_sentences,
        verdict=None if event.error else event.verdict,
        main_tables=list(event.main_tables) or None,
        unexplained=list(event.unexplained) or None,
        reading=event.reading,
        warnings=list(event.warnings) or None,
    )


def _line(step: str) -> str:
    """A step with a line break, since clients join the pieces."""
    return f"{step}\n"


def _sent(event: Contract) -> bytes:
    # JSON escapes every line break at which a server-sent event could end.
    return b"data: " + _encoded(event) + b"\n\n"


def _encoded(event: Contract) -> bytes:
    try:
        return event.to_compact_json()
    except PydanticSerializationError:
        # A lone surrogate, which UTF-8 does not have.
        text = json.dumps(event.model_dump(), ensure_ascii=False, separators=(",", ":"))
        return _SURROGATE.sub("\ufffd", text).encode()
