"""The retriever: passes API Gateway's requests to the package's routes and returns their responses."""

from __future__ import annotations

import base64
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger, Metrics, Tracer
from aws_lambda_powertools.metrics import MetricUnit

from functions.contexts import LambdaContext
from functions.retriever.callers import caller_of
from tribal.app.deployed import deployed_application
from tribal.edges.http.messages import Request
from tribal.edges.http.routes import respond
from tribal.ports import Application
from tribal.settings.deployment import load_deployment

logger, tracer, metrics = Logger(), Tracer(), Metrics()


@logger.inject_lambda_context
@tracer.capture_lambda_handler
@metrics.log_metrics(capture_cold_start_metric=True)
def handle(event: dict[str, Any], _context: LambdaContext) -> dict[str, Any]:
    """Answer a request from API Gateway."""
    request = Request(event["httpMethod"], event["path"], caller_of(event["requestContext"]), _body(event))
    response = respond(request, application())
    if response.tool_failed is not None:
        metrics.add_metric("ToolErrors", MetricUnit.Count, int(response.tool_failed))
    return {
        "statusCode": response.status,
        "body": response.body.decode(),
        "isBase64Encoded": False,
        "multiValueHeaders": {"Content-Type": [response.content_type]},
    }


def _body(event: dict[str, Any]) -> bytes:
    body = event.get("body") or ""
    return base64.b64decode(body) if event.get("isBase64Encoded") else body.encode("utf-8", "surrogatepass")


@cache
def application() -> Application:
    """The application, whose index and model stay open between invocations; the caller comes with each request."""
    return deployed_application(load_deployment())
