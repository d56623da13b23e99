"""The retriever: passes API Gateway's requests to the package's routes and returns their responses."""

from __future__ import annotations

import base64
import json
import time
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger, Metrics, Tracer
from aws_lambda_powertools.metrics import MetricUnit

from functions.callers import caller_of
from functions.contexts import LambdaContext
from functions.retriever.recording import record, record_index, seen_of, seen_of_call
from tribal.app.deployed import deployed_application
from tribal.edges.http.audit import REQUEST_ID, usable_request_id
from tribal.edges.http.messages import Request
from tribal.edges.http.routes import respond
from tribal.errors import code_outcome
from tribal.ports import Application
from tribal.settings.deployment import load_deployment
from tribal.tools.registry import REGISTRY
from tribal.tools.remote import answer_tool_call, is_tool_call, read_tool_call

logger, tracer, metrics = Logger(), Tracer(), Metrics()


@logger.inject_lambda_context
@tracer.capture_lambda_handler
@metrics.log_metrics(capture_cold_start_metric=True)
def handle(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Answer a request from API Gateway, or the function for MCP, which has verified the caller that it names."""
    if is_tool_call(event):
        return _answer_mcp(event, context.aws_request_id)
    request = Request(
        event["httpMethod"],
        event["path"],
        caller_of(event["requestContext"]),
        _body(event),
        query=event.get("queryStringParameters") or {},
        headers={name.lower(): value for name, value in (event.get("headers") or {}).items()},
    )
    request_id = usable_request_id(
        request.headers.get(REQUEST_ID), event["requestContext"].get("requestId") or "unknown"
    )
    began = time.perf_counter()
    response = respond(request, application())
    record(logger, seen_of(request, request_id), request.method, response.status, time.perf_counter() - began)
    if response.tool_failed is not None:
        _count_call(failed=response.tool_failed)
    return {
        "statusCode": response.status,
        "body": response.body.decode(),
        "isBase64Encoded": False,
        "multiValueHeaders": {
            "Content-Type": [response.content_type],
            "X-Request-Id": [request_id],
            **{name: [value] for name, value in response.headers.items()},
        },
    }


def _answer_mcp(event: dict[str, Any], request_id: str) -> dict[str, Any]:
    began = time.perf_counter()
    call = read_tool_call(event)
    answer = answer_tool_call(call, application())
    error = REGISTRY.capability_of(call.tool).error_of(answer)
    status = 200 if error is None else code_outcome(error.code).http_status
    record(logger, seen_of_call(call, request_id), "POST", status, time.perf_counter() - began)
    _count_call(failed=error is not None)
    answered: dict[str, Any] = json.loads(answer.to_compact_json())
    return answered


def _count_call(*, failed: bool) -> None:
    metrics.add_metric("ToolErrors", MetricUnit.Count, int(failed))
    record_index(application())


def _body(event: dict[str, Any]) -> bytes:
    body = event.get("body") or ""
    return base64.b64decode(body) if event.get("isBase64Encoded") else body.encode("utf-8", "surrogatepass")


@cache
def application() -> Application:
    """The application, whose index and model stay open between invocations; the caller comes with each request."""
    return deployed_application(load_deployment())
