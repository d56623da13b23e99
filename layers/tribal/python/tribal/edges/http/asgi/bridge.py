"""Runs the routes in a small number of threads."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from urllib.parse import parse_qsl

from tribal.edges.http.asgi.answer_threads import AnswerThreads
from tribal.edges.http.asgi.messages import CALLER, REQUEST_LOG, SLOT, Receive, Scope, Send, headers_of, send_response
from tribal.edges.http.asgi.serving import Serving
from tribal.edges.http.audit import RequestLog
from tribal.edges.http.messages import Request
from tribal.edges.http.routes import TOOLS, respond
from tribal.edges.http.routing import Route
from tribal.errors import RequestRefused
from tribal.ports.application import Application
from tribal.tools.registry import Registry

_MOST_PARAMETERS = 50


class Bridge:
    """An ASGI application over the routes."""

    def __init__(self, app: Application, tools: Registry, serving: Serving, routes: Sequence[Route]) -> None:
        self._app = app
        self._tools = tools
        self._serving = serving
        self._routes = routes
        self._turns = AnswerThreads()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, whose body is already received."""
        message = await receive()
        seen: RequestLog = scope[REQUEST_LOG]
        parent, _, name = scope["path"].rstrip("/").rpartition("/")
        if parent == TOOLS and name in self._tools.tools:
            seen.tool = name
        headers = headers_of(scope)
        request = Request(
            scope["method"],
            scope["path"],
            scope[CALLER],
            message.get("body", b""),
            query=_query(scope["query_string"]),
            headers=headers,
            base=self._serving.base(scope["scheme"], headers.get("host", "")),
        )
        answer = partial(respond, request, self._app, self._tools, self._routes)
        await send_response(await self._turns.run(answer, scope[SLOT]), scope, send)


def _query(text: bytes) -> dict[str, str]:
    try:
        return dict(parse_qsl(text.decode("latin-1"), keep_blank_values=True, max_num_fields=_MOST_PARAMETERS))
    except ValueError:
        raise RequestRefused(f"the query string has more than {_MOST_PARAMETERS} parameters") from None
