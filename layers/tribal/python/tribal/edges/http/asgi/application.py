"""The ASGI application of `tribal serve`: the routes and the layers around them."""

from __future__ import annotations

import json
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from anyio import to_thread
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import Mount
from starlette.routing import Route as Endpoint

from tribal.capabilities import capabilities
from tribal.edges.http.asgi.answer_threads import AnswerThreads
from tribal.edges.http.asgi.event_streams import EventStreams
from tribal.edges.http.asgi.guards import MCP, Guards
from tribal.edges.http.asgi.messages import (
    CALLER,
    REQUEST_LOG,
    SLOT,
    STREAMS,
    Message,
    Receive,
    Scope,
    Send,
    headers_of,
    request_of,
    send_response,
)
from tribal.edges.http.asgi.metrics import CONTENT_TYPE, Metrics
from tribal.edges.http.asgi.observing import RequestObserver
from tribal.edges.http.asgi.receiving import ReceivingEndpoint
from tribal.edges.http.asgi.serving import Serving
from tribal.edges.http.audit import RequestLog
from tribal.edges.http.corrections import correction_routes
from tribal.edges.http.identity import METADATA_PATH, resource_metadata
from tribal.edges.http.messages import Response, refusal
from tribal.edges.http.page import PAGE_ROUTES, prepare_page
from tribal.edges.http.routes import ROUTES, TOOLS, capability_routes, respond
from tribal.edges.http.routing import LARGEST_BODY_BYTES, Call, Route, find_route, largest_body, receiving_route
from tribal.edges.mcp.http import McpEndpoint
from tribal.edges.mcp.tool_client import local_calls
from tribal.edges.mcp.waiting_threads import WaitingThreads
from tribal.errors import RequestRefused, RightMissing, TooManyRequests, TribalError
from tribal.ports.application import Application
from tribal.ports.caller import Caller
from tribal.tools.registry import Registry

if TYPE_CHECKING:
    from tribal.app.job_processes.launching import JobWorkers

METRICS_RIGHT = "metrics:read"
_SMALLEST_COMPRESSED = 1_024


def asgi_application(
    app: Application,
    tools: Registry,
    serving: Serving,
    metrics: Metrics,
    write: Callable[[str], None],
    workers: JobWorkers | None = None,
) -> Starlette:
    """Build the application.

    Args:
        app: the application that answers; closed when the server stops.
        tools: the offered tools.
        serving: the settings of the server.
        metrics: counts requests.
        write: writes a line to the log.
        workers: works on jobs while the server runs.
    """
    offered = [each for each in capabilities() if each.is_configured(app.sections)]
    routes = (*ROUTES, *PAGE_ROUTES, *capability_routes(offered), *_own_routes(serving, metrics))
    waiting = WaitingThreads()
    streams = EventStreams(waiting)
    mcp = McpEndpoint(local_calls(app, tools), tools, sessions=serving.one_process, waiting=waiting)
    observed = _Mcp(mcp, tools)
    answering = ReceivingEndpoint(app, routes, _Bridge(app, tools, serving, routes, streams))

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[dict[str, Any]]:
        # Concurrently with the first requests: the server starts at once, and the first page is fast.
        threading.Thread(target=_prepare, args=(app, tools, routes), daemon=True).start()
        if workers is not None:
            workers.start()
        try:
            async with mcp.running():
                yield {STREAMS: streams}
        finally:
            if workers is not None:
                await to_thread.run_sync(workers.close)
            app.close()

    return Starlette(
        # Some clients append a slash.
        routes=[
            Endpoint(MCP, observed),
            Endpoint(f"{MCP}/", observed),
            Mount("/", app=answering),
        ],
        middleware=[
            Middleware(RequestObserver, routes=routes, metrics=metrics, clock=app.clock, write=write),
            Middleware(
                Guards,
                serving=serving,
                clock=app.clock,
                is_public=partial(_is_public, routes),
                largest_body=partial(largest_body, routes=routes, tools=tools),
                receives_body=lambda method, path: receiving_route(method, path, routes) is not None,
            ),
            Middleware(GZipMiddleware, minimum_size=_SMALLEST_COMPRESSED),
        ],
        lifespan=lifespan,
    )


def prepare_answers(app: Application, tools: Registry) -> None:
    """Load and derive in advance what answers and the first view of the page need.

    Raises:
        TribalError: when there is no index yet.
    """
    tools.prepare(app)
    prepare_page(app)


def _prepare(app: Application, tools: Registry, routes: Sequence[Route]) -> None:
    for route in routes:
        if route.sweep is not None:
            route.sweep(app)
    # Without an index there is nothing to prepare; each request gets an error.
    with suppress(TribalError):
        prepare_answers(app, tools)


class _Mcp:
    """The MCP endpoint, which also records the called tool for logs and metrics."""

    def __init__(self, endpoint: McpEndpoint, tools: Registry) -> None:
        self._endpoint = endpoint
        self._tools = tools
        self._largest = max(spec.largest_input_bytes or LARGEST_BODY_BYTES for spec in tools.tools.values())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        seen: RequestLog = scope[REQUEST_LOG]
        seen.route = MCP
        message = await receive()
        seen.tool = self._called(message.get("body", b""))
        seen.waits = _asks_model(self._tools, seen.tool, scope[CALLER])
        waiting = [message]

        async def again() -> Message:
            return waiting.pop() if waiting else await receive()

        await self._endpoint(scope, again, send)

    def _called(self, body: bytes) -> str | None:
        """The tool that a message calls; `None` if it calls none of our tools."""
        try:
            message = json.loads(body) if len(body) <= self._largest else None
            name = message["params"]["name"] if message and message["method"] == "tools/call" else None
        except (ValueError, TypeError, KeyError, RecursionError):
            return None
        return name if isinstance(name, str) and name in self._tools.tools else None


def _asks_model(tools: Registry, tool: str | None, caller: Caller) -> bool:
    return tool is not None and tools.tools[tool].asks_model_for(caller)


def _own_routes(serving: Serving, metrics: Metrics) -> tuple[Route, ...]:
    """The routes of `tribal serve` that a deployed environment does not have."""

    def measured(call: Call) -> Response:
        if not call.request.caller.may(METRICS_RIGHT):
            raise RightMissing(f"metrics need the right {METRICS_RIGHT!r}")
        return Response(200, metrics.text(call.app), CONTENT_TYPE)

    def described(path: str, call: Call) -> Response:
        metadata = resource_metadata(call.request.base, path, serving.issuer, serving.rights)
        return Response(200, json.dumps(metadata).encode())

    return (
        Route("GET", "/metrics", measured, "Metrics for Prometheus.", content_type=CONTENT_TYPE),
        *correction_routes(serving.signing_key),
        *(
            Route("GET", f"{METADATA_PATH}{path}", partial(described, path), "How clients get a token.", public=True)
            for path in ("", MCP)
        ),
    )


def _is_public(routes: tuple[Route, ...], path: str) -> bool:
    try:
        return find_route("GET", path, routes)[0].public
    except RequestRefused:
        return False


class _Bridge:
    """An ASGI application over the routes."""

    def __init__(
        self,
        app: Application,
        tools: Registry,
        serving: Serving,
        routes: Sequence[Route],
        streams: EventStreams,
    ) -> None:
        self._app = app
        self._tools = tools
        self._serving = serving
        self._routes = routes
        self._turns = AnswerThreads()
        self._streams = streams

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, whose body is already received."""
        message = await receive()
        seen: RequestLog = scope[REQUEST_LOG]
        parent, _, name = scope["path"].rstrip("/").rpartition("/")
        if parent == TOOLS and name in self._tools.tools:
            seen.tool = name
        base = self._serving.base(scope["scheme"], headers_of(scope).get("host", ""))
        request = request_of(scope, message.get("body", b""), base)
        answer = partial(respond, request, self._app, self._tools, self._routes)
        seen.waits = _asks_model(self._tools, seen.tool, request.caller)
        threads = self._streams.threads if seen.waits else self._turns
        try:
            response = await threads.run(answer, scope[SLOT])
            if response.events is not None:
                seen.waits = True
                await self._streams.send(response, scope, receive, send)
                return
        except TooManyRequests as error:
            response = refusal(error, self._app.clock.published())
        await send_response(response, scope, send)
