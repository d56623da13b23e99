"""Between ASGI and the values of `edges.http.messages`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from tribal.edges.http.messages import Response

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Asgi = Callable[[Scope, Receive, Send], Awaitable[None]]

CALLER = "tribal.caller"
"""Key of the scope under which the verified `Caller` is."""
SLOT = "tribal.slot"
"""Key of the scope under which is with whom the request shares its part of the threads; see `CallerSlots`."""
REQUEST_LOG = "tribal.request"
"""Key of the scope under which the request's `RequestLog` is."""


def headers_of(scope: Scope) -> dict[str, str]:
    """The headers by name in lower case; of one that is given several times all, with commas between."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        found[key] = f"{found[key]}, {text}" if key in found else text
    return found


async def send_response(response: Response, scope: Scope, send: Send) -> None:
    """Send a response whole."""
    headers = {"Content-Type": response.content_type, **response.headers}
    if response.status == 304:
        headers.pop("Content-Type")
    elif scope["method"] != "HEAD":
        headers["Content-Length"] = str(len(response.body))
    raw = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": response.status, "headers": raw})
    await send({"type": "http.response.body", "body": response.body})
