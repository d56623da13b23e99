"""The checker: answers `knowledge_check` from what was synced."""

from __future__ import annotations

from functools import cache
from typing import Any

from aws_lambda_powertools import Logger, Metrics, Tracer
from aws_lambda_powertools.metrics import MetricUnit

from functions.answering import Answering
from functions.contexts import LambdaContext
from functions.offering import tools_of
from tribal.app.deployed import deployed_application
from tribal.ports import Application
from tribal.settings.deployment import load_deployment
from tribal.tools.registry import Registry

_FIRST_FAULT = 500

logger, tracer, metrics = Logger(), Tracer(), Metrics()


@logger.inject_lambda_context
@tracer.capture_lambda_handler
@metrics.log_metrics(capture_cold_start_metric=True)
def handle(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Answer a request from API Gateway, or the function for MCP, which has verified the caller that it names."""
    return Answering(application(), _tools(), logger, _count_call).answer(event, context)


def _count_call(status: int, failed: bool) -> None:
    metrics.add_metric("ToolErrors", MetricUnit.Count, int(failed))
    metrics.add_metric("CheckFaults", MetricUnit.Count, int(status >= _FIRST_FAULT))


@cache
def _tools() -> Registry:
    return tools_of("checker")


@cache
def application() -> Application:
    """The application, whose store and snapshot stay read between invocations; the caller comes with each request."""
    return deployed_application(load_deployment())
