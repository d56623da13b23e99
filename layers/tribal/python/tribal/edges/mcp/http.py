"""The tools over MCP's streamable HTTP, for whatever server mounts it.

Requests of the current protocol stand alone. Clients of older ones are given a session where the server keeps them, and
do without where it does not, as in AWS Lambda. Answers are JSON. Nothing is ever sent unasked, so that there is no
stream to open by GET.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable, MutableMapping
from contextlib import AbstractAsyncContextManager
from typing import Any

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.context import ServerRequestContext
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.responses import JSONResponse

from tribal.edges.mcp.agents import with_agent
from tribal.edges.mcp.server import build_server
from tribal.edges.mcp.tool_client import CallTool, local_calls
from tribal.ports.application import Application
from tribal.ports.caller import Caller
from tribal.tools.registry import REGISTRY, Registry

CALLER = "tribal.caller"
"""Key of the ASGI scope under which the server in front puts the verified caller."""
SLOT = "tribal.slot"
"""Key under which it may put with whom the request shares its part of the threads; by default with its caller's."""
MOST_SESSIONS = 1_000
"""Open sessions of clients of older protocols; an idle one ends after half an hour. By judgement: 30 kB each."""

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


def mcp_asgi(app: Application, tools: Registry = REGISTRY, *, sessions: bool = True) -> McpEndpoint:
    """The endpoint over the tools of this process; without sessions any process may answer any request."""
    return McpEndpoint(local_calls(app, tools), tools, sessions=sessions)


class McpEndpoint:
    """An ASGI application, to be called while `running`; it takes the caller from the scope and verifies nothing."""

    def __init__(self, call: CallTool, tools: Registry, *, sessions: bool) -> None:
        self._methods = ("POST", "DELETE") if sessions else ("POST",)
        self._manager = StreamableHTTPSessionManager(
            build_server(call, _caller_of, tools, _slot_of),
            json_response=True,
            stateless=not sessions,
            max_sessions=MOST_SESSIONS,
        )

    def running(self) -> AbstractAsyncContextManager[None]:
        """What the endpoint needs while it answers; can be entered once."""
        return self._manager.run()

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["method"] not in self._methods:
            refused = {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "send messages by POST"}}
            await JSONResponse(refused, 405, {"Allow": ", ".join(self._methods)})(scope, receive, send)
            return
        caller: Caller = scope[CALLER]
        # A session belongs to whoever opened it; every request is still answered for its own caller.
        owner = AuthenticatedUser(AccessToken(token="", client_id=caller.subject, scopes=[]))
        await self._manager.handle_request({**scope, "user": owner}, receive, send)


def _caller_of(context: ServerRequestContext[Any]) -> Caller:
    assert context.request is not None
    return with_agent(context.request.scope[CALLER], context)


def _slot_of(context: ServerRequestContext[Any]) -> Hashable:
    assert context.request is not None
    scope = context.request.scope
    slot: Hashable = scope.get(SLOT, scope[CALLER].subject)
    return slot
