"""The tools over MCP's streamable HTTP, as an ASGI application.

Requests of the current protocol version are stateless. Clients of older versions get a session, except in AWS Lambda,
which keeps none. Answers are JSON. The server never sends messages on its own, so there is no stream to open by GET.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Hashable, MutableMapping
from contextlib import AbstractAsyncContextManager
from typing import Any

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.context import ServerRequestContext
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.responses import JSONResponse

from tribal.edges.mcp.request_ids import request_id
from tribal.edges.mcp.server import RETRY_SECONDS, build_server, with_agent
from tribal.edges.mcp.tool_client import CallTool
from tribal.edges.mcp.waiting_threads import WaitingThreads
from tribal.errors import TooManyRequests
from tribal.ports.caller import Caller
from tribal.tools.registry import Registry

CALLER = "tribal.caller"
"""ASGI scope key of the verified caller, set by the server in front."""
SLOT = "tribal.slot"
"""Scope key of what identifies requests that share threads; by default, the caller."""
MOST_SESSIONS = 1_000
"""Maximum open sessions of older clients; an idle one ends after 30 minutes. By judgement: 30 kB each."""

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class McpEndpoint:
    """An ASGI application for use within `running`; takes the caller from the scope and verifies nothing.

    Args:
        call: calls a tool.
        tools: the offered tools.
        sessions: whether older clients get a session; without, any process can answer any request.
        waiting: threads that other parts of the server use too.
    """

    def __init__(
        self, call: CallTool, tools: Registry, *, sessions: bool, waiting: WaitingThreads | None = None
    ) -> None:
        self._methods = ("POST", "DELETE") if sessions else ("POST",)
        self._manager = StreamableHTTPSessionManager(
            build_server(call, _caller_of, tools, _slot_of, waiting),
            json_response=True,
            stateless=not sessions,
            max_sessions=MOST_SESSIONS,
        )

    def running(self) -> AbstractAsyncContextManager[None]:
        """Runs the endpoint's background tasks; can be entered once."""
        return self._manager.run()

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["method"] not in self._methods:
            refused = {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "use POST to send messages"}}
            await JSONResponse(refused, 405, {"Allow": ", ".join(self._methods)})(scope, receive, send)
            return
        caller: Caller = scope[CALLER]
        # A session belongs to the caller who opened it; each request is still answered for its own caller.
        owner = AuthenticatedUser(AccessToken(token="", client_id=caller.subject, scopes=[]))
        called = {**scope, "user": owner}
        answer = _WithRequestId(called, receive, send)
        await self._manager.handle_request(called, answer.receive, answer.send)


class _WithRequestId:
    """Adds the request's id to a refusal without one, by which a client knows which request failed.

    A refusal is one message. The id is looked for in the first part of a request, which is usually the only one.
    A call that was refused because too many wait is answered with status 429.
    """

    def __init__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        self._scope = scope
        self._receive = receive
        self._send = send
        self._request = b""
        self._start: Message | None = None

    async def receive(self) -> Message:
        message = await self._receive()
        self._request = self._request or message.get("body", b"")
        return message

    async def send(self, message: Message) -> None:
        wait: int | None = self._scope.get(RETRY_SECONDS)
        if message["type"] == "http.response.start" and wait is not None:
            retry = (b"retry-after", str(wait).encode())
            message = {**message, "status": TooManyRequests.http_status, "headers": [*message["headers"], retry]}
        if message["type"] == "http.response.start" and message["status"] >= 400:
            self._start = message
            return
        if self._start is not None:
            start, self._start = self._start, None
            body = _with_id(message.get("body", b""), self._request)
            length = (b"content-length", b"%d" % len(body))
            headers = [header for header in start["headers"] if header[0].lower() != length[0]]
            await self._send({**start, "headers": [*headers, length]})
            message = {**message, "body": body}
        await self._send(message)


def _with_id(refusal: bytes, request: bytes) -> bytes:
    try:
        content = json.loads(refusal)
    except ValueError:
        return refusal
    if not isinstance(content, dict) or content.get("id", 0) is not None:
        return refusal
    return json.dumps({**content, "id": request_id(request)}).encode()


def _caller_of(context: ServerRequestContext[Any]) -> Caller:
    assert context.request is not None
    return with_agent(context.request.scope[CALLER], context)


def _slot_of(context: ServerRequestContext[Any]) -> Hashable:
    assert context.request is not None
    scope = context.request.scope
    slot: Hashable = scope.get(SLOT, scope[CALLER].subject)
    return slot
