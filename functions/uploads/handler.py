"""Takes uploads to collections, says what became of them, and has files removed."""

from __future__ import annotations

from functools import cache
from typing import Any

from aws_lambda_powertools import Logger, Metrics, Tracer
from aws_lambda_powertools.metrics import MetricUnit

from functions.contexts import LambdaContext
from functions.offering import fault_metric_of, offered_tools
from functions.tool_requests import ToolRequests
from tribal.app.deployed import deployed_application
from tribal.edges.http.chat.routes import chat_routes
from tribal.edges.http.routing import Route
from tribal.ports import Application
from tribal.settings.deployment import load_deployment

NAME = "uploads"
_FIRST_FAULT = 500

logger, tracer, metrics = Logger(), Tracer(), Metrics()


@logger.inject_lambda_context(clear_state=True)
@tracer.capture_lambda_handler(capture_response=False)
@metrics.log_metrics(capture_cold_start_metric=True)
def handle(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Answer a request from API Gateway."""
    return ToolRequests(application(), offered_tools(), logger, _count_call, _routes()).answer(event, context)


def _count_call(status: int, _: bool) -> None:
    metrics.add_metric(str(fault_metric_of(NAME)), MetricUnit.Count, int(status >= _FIRST_FAULT))


@cache
def _routes() -> tuple[Route, ...]:
    return chat_routes()


@cache
def application() -> Application:
    """The application, whose store stays open between invocations; the caller comes with each request."""
    return deployed_application(load_deployment())
