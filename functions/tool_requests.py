"""Answers requests for tools and other routes from API Gateway, and for tools from the MCP function."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from aws_lambda_powertools import Logger

from functions.callers import headers_of, verified_caller
from functions.contexts import LambdaContext, stop_token
from functions.recording import record, request_log_of, request_log_of_call
from tribal.edges.http.audit import DISCONNECTED, REQUEST_ID, RequestLog, usable_request_id
from tribal.edges.http.context_headers import with_context_headers
from tribal.edges.http.messages import Events, Request, Response, refusal
from tribal.edges.http.routes import ROUTES, respond
from tribal.edges.http.routing import Route
from tribal.errors import RequestRefused, TribalError
from tribal.ports import Application, StopToken
from tribal.tools.error_classes import error_class_of
from tribal.tools.registry import Registry
from tribal.tools.remote import answer_tool_call, is_tool_call, read_tool_call


@dataclass(frozen=True, slots=True)
class ToolRequests:
    """Answers requests for tools with the parts of one function."""

    app: Application
    tools: Registry
    logger: Logger
    count_call: Callable[[int, bool], None]
    """Counts a tool call, given the status of its answer and whether it failed."""
    routes: Sequence[Route] = ROUTES

    def answer(self, event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
        """Answer a request from API Gateway, or a call from the MCP function, which has verified the caller."""
        if is_tool_call(event):
            return self._mcp(event, context.aws_request_id)
        request, seen = self._read(event)
        began = time.perf_counter()
        response = self._response(request)
        seen.waits = response.events is not None
        response = _whole(response, stop_token(context, response.seconds))
        self._record(request, seen, response, response.status, began)
        return answered(response, seen.request_id)

    def open(self, event: dict[str, Any]) -> Response:
        """The answer to a request from API Gateway, whose events are still to be made; it is logged when they end."""
        request, seen = self._read(event)
        began = time.perf_counter()
        response = self._response(request)
        headers = {"X-Request-Id": seen.request_id, **response.headers}
        if response.events is None:
            self._record(request, seen, response, response.status, began)
            return replace(response, headers=headers)
        seen.waits = True
        ended = partial(self._record, request, seen, response, began=began)
        return replace(response, headers=headers, events=partial(_followed, response.events, response.status, ended))

    def _read(self, event: dict[str, Any]) -> tuple[Request, RequestLog]:
        request = Request(
            event["httpMethod"],
            event["path"],
            verified_caller(event["requestContext"]),
            body_of(event),
            query=event.get("queryStringParameters") or {},
            headers=headers_of(event),
        )
        request_id = usable_request_id(
            request.headers.get(REQUEST_ID), event["requestContext"].get("requestId") or "unknown"
        )
        return request, request_log_of(request, request_id, self.routes)

    def _record(self, request: Request, seen: RequestLog, response: Response, status: int, began: float) -> None:
        record(self.logger, seen, request.method, status, time.perf_counter() - began)
        if response.tool_failed is not None or self.routes is not ROUTES:
            self.count_call(status, bool(response.tool_failed))

    def _response(self, request: Request) -> Response:
        try:
            chosen = replace(request, caller=with_context_headers(request.caller, request.headers))
        except RequestRefused as error:
            return refusal(error, self.app.clock.published())
        return respond(chosen, self.app, self.tools, self.routes)

    def _mcp(self, event: dict[str, Any], request_id: str) -> dict[str, Any]:
        began = time.perf_counter()
        call = read_tool_call(event)
        answer = answer_tool_call(call, self.app, self.tools)
        error = self.tools.group_of(call.tool).error_of(answer)
        status = 200 if error is None else error_class_of(error.code).http_status
        record(self.logger, request_log_of_call(call, request_id), "POST", status, time.perf_counter() - began)
        self.count_call(status, error is not None)
        response: dict[str, Any] = json.loads(answer.to_compact_json())
        return response


def _whole(response: Response, stop: StopToken) -> Response:
    """The response with all events in its body. Each instance has one answer in progress, so all are admitted."""
    return response if response.events is None else replace(response, body=b"".join(response.events(stop)), events=None)


def _followed(
    events: Events, status: int, ended: Callable[[int], None], stop: StopToken
) -> Generator[bytes, None, None]:
    """The same events; says with which status they ended."""
    last = DISCONNECTED
    try:
        yield from events(stop)
        last = status
    except Exception as error:
        last = error.http_status if isinstance(error, TribalError) else TribalError.http_status
        raise
    finally:
        ended(last)


def answered(response: Response, request_id: str | None = None) -> dict[str, Any]:
    """A response in API Gateway's format."""
    identified = {} if request_id is None else {"X-Request-Id": [request_id]}
    return {
        "statusCode": response.status,
        "body": response.body.decode(),
        "isBase64Encoded": False,
        "multiValueHeaders": {
            "Content-Type": [response.content_type],
            **identified,
            **{name: [value] for name, value in response.headers.items()},
        },
    }


def body_of(event: dict[str, Any]) -> bytes:
    body = event.get("body") or ""
    return base64.b64decode(body) if event.get("isBase64Encoded") else body.encode("utf-8", "surrogatepass")
