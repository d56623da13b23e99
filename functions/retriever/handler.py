"""The retriever: passes API Gateway's requests to the package's routes and returns their responses."""

from __future__ import annotations

from functools import cache
from typing import Any

from aws_lambda_powertools import Logger, Metrics, Tracer
from aws_lambda_powertools.metrics import MetricUnit

from functions.contexts import LambdaContext
from functions.offering import offered_tools
from functions.recording import record_index
from functions.tool_requests import ToolRequests
from tribal.app.deployed import deployed_application
from tribal.ports import Application
from tribal.settings.deployment import load_deployment

logger, tracer, metrics = Logger(), Tracer(), Metrics()


@logger.inject_lambda_context
@tracer.capture_lambda_handler
@metrics.log_metrics(capture_cold_start_metric=True)
def handle(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Answer a request from API Gateway, or a call from the MCP function, which has verified the caller."""
    return ToolRequests(application(), offered_tools(), logger, _count_call).answer(event, context)


def _count_call(_status: int, failed: bool) -> None:
    metrics.add_metric("ToolErrors", MetricUnit.Count, int(failed))
    record_index(application())


@cache
def application() -> Application:
    """The application, whose index and model stay open between invocations; the caller comes with each request."""
    return deployed_application(load_deployment())
