"""Converts between ASGI and the values of `edges.http.messages`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import parse_qsl

import anyio

from tribal.edges.http.messages import Request, Response
from tribal.errors import RequestRefused

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Asgi = Callable[[Scope, Receive, Send], Awaitable[None]]

CALLER = "tribal.caller"
"""Scope key of the verified `Caller`."""
SLOT = "tribal.slot"
"""Scope key of what identifies requests that share a slot; see `CallerSlots`."""
REQUEST_LOG = "tribal.request"
"""Scope key of the request's `RequestLog`."""
STREAMS = "tribal.streams"
"""Key of the server's `EventStreams` in the state that its connections share."""
_LINGERING_SECONDS = 1.0
_MOST_PARAMETERS = 50


def headers_of(scope: Scope) -> dict[str, str]:
    """Headers by lower-case name; repeated headers are joined with commas."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        found[key] = f"{found[key]}, {text}" if key in found else text
    return found


def request_of(scope: Scope, body: bytes = b"", base: str = "") -> Request:
    """The request of an identified caller.

    Raises:
        RequestRefused: when the query string has too many parameters.
    """
    return Request(
        scope["method"],
        scope["path"],
        scope[CALLER],
        body,
        query=_query(scope["query_string"]),
        headers=headers_of(scope),
        base=base,
    )


def _query(text: bytes) -> dict[str, str]:
    try:
        return dict(parse_qsl(text.decode("latin-1"), keep_blank_values=True, max_num_fields=_MOST_PARAMETERS))
    except ValueError:
        raise RequestRefused(f"the query string has more than {_MOST_PARAMETERS} parameters") from None


def start_message(response: Response) -> Message:
    """The first message of a response, without the length of its body."""
    headers = {**({} if response.status == 304 else {"Content-Type": response.content_type}), **response.headers}
    raw = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
    return {"type": "http.response.start", "status": response.status, "headers": raw}


async def send_response(response: Response, scope: Scope, send: Send) -> None:
    """Send a complete response."""
    start = start_message(response)
    if response.status != 304 and scope["method"] != "HEAD":
        start["headers"].append((b"content-length", str(len(response.body)).encode()))
    await send(start)
    await send({"type": "http.response.body", "body": response.body})


def lingering(send: Send, receive: Receive) -> Send:
    """Sends, and keeps reading for a moment before the answer ends: a client that is still sending its body would
    otherwise see a broken connection instead of the answer."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.body":
            await send({**message, "more_body": True})
            with anyio.move_on_after(_LINGERING_SECONDS):
                while (await receive()).get("more_body", False):
                    pass
            message = {"type": "http.response.body", "body": b""}
        await send(message)

    return sending
