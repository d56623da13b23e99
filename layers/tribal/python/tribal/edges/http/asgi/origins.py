"""Lets pages of other sites that the settings name call the server from a browser, without cookies.

Source: https://fetch.spec.whatwg.org/#http-cors-protocol
"""

from __future__ import annotations

from collections.abc import Mapping

from tribal.edges.http.asgi.messages import Message, Send
from tribal.edges.http.messages import Response

PREFLIGHT_SECONDS = 600
"""How long a browser may remember what is allowed. By judgement: a change of the settings takes effect this late."""
_METHODS = "GET, HEAD, POST, DELETE"
_ACCEPTED = (
    "Accept, Authorization, Content-Type, If-None-Match, Last-Event-ID, X-Request-Id, "
    "X-Tribal-Agent, X-Tribal-Project, X-Tribal-Session, X-Vercel-AI-UI-Message-Stream, "
    "MCP-Protocol-Version, MCP-Session-Id, Mcp-Method, Mcp-Name"
)
_SHOWN = "ETag, Location, MCP-Session-Id, Retry-After, WWW-Authenticate, X-Request-Id, X-Vercel-AI-UI-Message-Stream"


def is_preflight(method: str, headers: Mapping[str, str]) -> bool:
    """Whether a browser asks if a page may send a request."""
    return method == "OPTIONS" and "access-control-request-method" in headers


def preflight_response() -> Response:
    """What pages of the named sites may send; the browser compares it with the request."""
    headers = {
        "Access-Control-Allow-Methods": _METHODS,
        "Access-Control-Allow-Headers": _ACCEPTED,
        "Access-Control-Max-Age": str(PREFLIGHT_SECONDS),
    }
    return Response(200, b"", "text/plain", headers=headers)


def with_origin(send: Send, origin: str | None) -> Send:
    """Sends answers that depend on the origin, and that a page of this one may read."""
    added = [(b"vary", b"Origin")]
    if origin is not None:
        added += [
            (b"access-control-allow-origin", origin.encode("latin-1")),
            (b"access-control-expose-headers", _SHOWN.encode()),
        ]

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *added]}
        await send(message)

    return sending
