"""Answers some of the tools, and the routes of their capability.

Several functions share this handler; the name of a function selects its tools.
"""

from __future__ import annotations

from dataclasses import asdict
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger, Metrics, Tracer
from aws_lambda_powertools.metrics import MetricUnit

from functions.contexts import LambdaContext
from functions.offering import fault_metric_of, routes_of, tools_of
from functions.tool_requests import ToolRequests
from tribal.app.deployed import deployed_application
from tribal.edges.http.routing import Route
from tribal.ports import Application
from tribal.ports.remembering.audit import MemoryWrite
from tribal.settings import read_environment
from tribal.settings.deployment import load_deployment
from tribal.tools.registry import Registry

_FIRST_FAULT = 500

logger, tracer, metrics = Logger(), Tracer(), Metrics()


@logger.inject_lambda_context
@tracer.capture_lambda_handler
@metrics.log_metrics(capture_cold_start_metric=True)
def handle(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Answer a request from API Gateway, or a call from the MCP function, which has verified the caller."""
    return ToolRequests(application(), _tools(_name()), logger, _count_call, _routes(_name())).answer(event, context)


def _count_call(status: int, failed: bool) -> None:
    metrics.add_metric("ToolErrors", MetricUnit.Count, int(failed))
    fault = fault_metric_of(_name())
    if fault is not None:
        metrics.add_metric(fault, MetricUnit.Count, int(status >= _FIRST_FAULT))


def _name() -> str:
    return read_environment()["POWERTOOLS_SERVICE_NAME"]


@cache
def _tools(name: str) -> Registry:
    return tools_of(name)


@cache
def _routes(name: str) -> tuple[Route, ...]:
    return routes_of(name)


@cache
def application() -> Application:
    """The application, whose store and index stay open between invocations; the caller comes with each request."""
    return deployed_application(load_deployment(), audit=_audit)


def _audit(write: MemoryWrite) -> None:
    logger.info("memory written", **asdict(write))
