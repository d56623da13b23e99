"""The syncer: syncs decisions on a schedule and for callers of `sync_now`."""

from __future__ import annotations

from dataclasses import asdict
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger, Metrics, Tracer
from aws_lambda_powertools.metrics import MetricUnit

from functions.contexts import MARGIN_SECONDS, LambdaContext, remaining_seconds
from functions.offering import tools_of
from functions.tool_requests import ToolRequests
from tribal.app.deployed import deployed_application
from tribal.capabilities.knowledge.parts import SYNC_SECONDS
from tribal.ports import Application, Caller
from tribal.ports.remembering.audit import MemoryWrite
from tribal.settings.deployment import load_deployment
from tribal.tools.call import call_tool
from tribal.tools.error_classes import error_class_of
from tribal.tools.registry import Registry

SYNC_NOW = "sync_now"
SCHEDULED = "scheduled_at"
"""The only key of the schedule's event; no request from API Gateway has it."""
_SCHEDULE = Caller("schedule")
_GOES_ON = frozenset({"SYN_LOCKED", "SYN_TIMED_OUT"})
"""Codes that are not failures: another sync is running, or the next one resumes."""
_PATIENT_FETCH_SECONDS = 240.0
"""Part of the function's default of ten minutes; the rest is for reading, publishing and writing pointers."""
_FIRST_FAULT = 500
_TIMED_OUT = error_class_of("SYN_TIMED_OUT").http_status

logger, tracer, metrics = Logger(), Tracer(), Metrics()


@logger.inject_lambda_context
@tracer.capture_lambda_handler
@metrics.log_metrics(capture_cold_start_metric=True)
def handle(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Sync for the schedule, or answer a request from API Gateway or the function for MCP.

    Callers get their answer within the limit of API Gateway; the schedule may use all of the function's time.
    """
    if set(event) == {SCHEDULED}:
        return _scheduled(remaining_seconds(context))
    return ToolRequests(application(), _tools(), logger, _count_call).answer(event, context)


def _scheduled(seconds: float) -> dict[str, Any]:
    tools = _tools()
    answer = call_tool(SYNC_NOW, {}, _SCHEDULE, patient_application(seconds), tools)
    error = tools.group_of(SYNC_NOW).error_of(answer)
    record: dict[str, Any] = answer.model_dump(mode="json", by_alias=True)
    if error is None:
        logger.info("synced", sync=record)
        metrics.add_metric("ItemsFailed", MetricUnit.Count, record["result"]["failures"])
    else:
        logger.warning(error.message, code=error.code)
    goes_on = error is not None and error.code in _GOES_ON
    metrics.add_metric("SyncsDone", MetricUnit.Count, int(error is None))
    metrics.add_metric("SyncsFailed", MetricUnit.Count, int(error is not None and not goes_on))
    return record


def _count_call(status: int, failed: bool) -> None:
    metrics.add_metric("ToolErrors", MetricUnit.Count, int(failed))
    metrics.add_metric("SyncsFailed", MetricUnit.Count, int(status >= _FIRST_FAULT and status != _TIMED_OUT))


@cache
def _tools() -> Registry:
    return tools_of("syncer")


@cache
def application() -> Application:
    """The application, whose store and index stay open between invocations; the caller comes with each request."""
    # Leaves time for a cold start, of both functions if called over MCP.
    seconds = SYNC_SECONDS - MARGIN_SECONDS
    return deployed_application(load_deployment(), audit=_audit, sync_seconds=seconds)


def patient_application(seconds: float) -> Application:
    """The application for the schedule: no caller waits, so it may fetch a whole repository."""
    return deployed_application(
        load_deployment(), fetch_seconds=_PATIENT_FETCH_SECONDS, sync_seconds=seconds, audit=_audit
    )


def _audit(write: MemoryWrite) -> None:
    logger.info("memory written", **asdict(write))
