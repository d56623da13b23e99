"""Answers tool requests from API Gateway and from the MCP function."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from aws_lambda_powertools import Logger

from functions.callers import headers_of, verified_caller
from functions.contexts import LambdaContext
from functions.recording import record, request_log_of, request_log_of_call
from tribal.edges.http.audit import REQUEST_ID, usable_request_id
from tribal.edges.http.context_headers import with_context_headers
from tribal.edges.http.messages import Request, Response, refusal
from tribal.edges.http.routes import respond
from tribal.errors import RequestRefused
from tribal.ports import Application
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

    def answer(self, event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
        """Answer a request from API Gateway, or a call from the MCP function, which has verified the caller."""
        return self._mcp(event, context.aws_request_id) if is_tool_call(event) else self._request(event)

    def _request(self, event: dict[str, Any]) -> dict[str, Any]:
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
        began = time.perf_counter()
        response = self._response(request)
        seen = request_log_of(request, request_id)
        record(self.logger, seen, request.method, response.status, time.perf_counter() - began)
        if response.tool_failed is not None:
            self.count_call(response.status, response.tool_failed)
        return answered(response, request_id)

    def _response(self, request: Request) -> Response:
        try:
            chosen = replace(request, caller=with_context_headers(request.caller, request.headers))
        except RequestRefused as error:
            return refusal(error, self.app.clock.published())
        return respond(chosen, self.app, self.tools).complete()

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
