"""Passes API Gateway requests to an ASGI application."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from functions.tool_requests import body_of

Message = MutableMapping[str, Any]
Asgi = Callable[[MutableMapping[str, Any], Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Any]


async def answer_request(app: Asgi, event: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """Answer a request with an ASGI application, in API Gateway's format; answers are text.

    Args:
        app: the application.
        event: the request.
        own: additional keys for the application's scope.
    """
    messages: list[Message] = []
    body = body_of(event)

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Message) -> None:
        messages.append(message)

    await app(_scope(event) | own, receive, send)
    start, *rest = messages
    headers: dict[str, list[str]] = {}
    for name, value in start.get("headers", ()):
        headers.setdefault(name.decode("latin-1"), []).append(value.decode("latin-1"))
    content = b"".join(message.get("body", b"") for message in rest)
    return {
        "statusCode": start["status"],
        "body": content.decode(),
        "isBase64Encoded": False,
        "multiValueHeaders": headers,
    }


def _scope(event: dict[str, Any]) -> dict[str, Any]:
    headers = (event.get("headers") or {}).items()
    return {
        "type": "http",
        "http_version": "1.1",
        "method": event["httpMethod"],
        "scheme": "https",
        "path": event["path"],
        "raw_path": event["path"].encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [(name.lower().encode("latin-1"), value.encode("latin-1", "replace")) for name, value in headers],
    }
