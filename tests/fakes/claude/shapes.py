"""Whether what is sent and answered is in the SDK's own types, which are generated from the vendor's documentation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from anthropic.types.message import Message
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming, MessageCreateParamsStreaming
from anthropic.types.raw_content_block_delta_event import RawContentBlockDeltaEvent
from anthropic.types.raw_content_block_start_event import RawContentBlockStartEvent
from anthropic.types.raw_content_block_stop_event import RawContentBlockStopEvent
from anthropic.types.raw_message_delta_event import RawMessageDeltaEvent
from anthropic.types.raw_message_start_event import RawMessageStartEvent
from anthropic.types.raw_message_stop_event import RawMessageStopEvent
from anthropic.types.shared.error_details import ErrorDetails
from anthropic.types.shared.error_response import ErrorResponse
from pydantic import BaseModel, TypeAdapter, ValidationError

from tests.fakes.model_servers.shapes import faults_of_model, faults_of_parameters

_EVENTS: Mapping[str, type[BaseModel]] = {
    "message_start": RawMessageStartEvent,
    "content_block_start": RawContentBlockStartEvent,
    "content_block_delta": RawContentBlockDeltaEvent,
    "content_block_stop": RawContentBlockStopEvent,
    "message_delta": RawMessageDeltaEvent,
    "message_stop": RawMessageStopEvent,
}
_PING = {"type": "ping"}
"""Is in no type; anthropic/_streaming.py skips it."""


def faults_of_request(body: Mapping[str, Any]) -> list[str]:
    """What of a request the types of `anthropic.types.message_create_params` lack, by path."""
    kind = MessageCreateParamsStreaming if body.get("stream") else MessageCreateParamsNonStreaming
    return list(faults_of_parameters(body, kind, "request"))


def faults_of_message(body: Mapping[str, Any]) -> list[str]:
    """What of an answer `anthropic.types.message` lacks."""
    return list(faults_of_model(body, Message, "message"))


def faults_of_event(event: Mapping[str, Any]) -> Iterator[str]:
    """What of an event of a stream `anthropic.types.raw_message_stream_event` lacks."""
    kind = str(event.get("type"))
    if kind in _EVENTS:
        yield from faults_of_model(event, _EVENTS[kind], kind)
    elif kind == "error":
        yield from faults_of_error(event)
    elif event != _PING:
        yield f"{kind}: no such event"


def faults_of_error(body: Mapping[str, Any]) -> list[str]:
    """What of an error `anthropic.types.shared.error_response` lacks; its details are types of their own."""
    error = dict(body.get("error", {}))
    details = error.pop("details", None)
    faults = list(faults_of_model({**body, "error": error}, ErrorResponse, "error"))
    if details is not None:
        # A union whose members are told apart by `error_code`.
        adapter: TypeAdapter[Any] = TypeAdapter(ErrorDetails)
        try:
            adapter.validate_python(details)
        except ValidationError:
            faults.append(f"error.details: {details} is none of the SDK's")
    return faults
