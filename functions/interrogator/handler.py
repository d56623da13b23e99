"""The interrogator: answers the tools of interrogation, and runs sessions for their state machine."""

from __future__ import annotations

from functools import cache
from typing import Any

from aws_lambda_powertools import Logger, Metrics, Tracer
from aws_lambda_powertools.metrics import MetricUnit

from functions.contexts import LambdaContext, stop_token
from functions.offering import fault_metric_of, tools_of
from functions.tool_requests import ToolRequests
from tribal.app.deployed import deployed_application
from tribal.capabilities.interrogation.interrogations import run_for_owner
from tribal.capabilities.interrogation.sessions.transitions import was_stopped
from tribal.ports import Application, Identity
from tribal.settings.deployment import Deployment, load_deployment
from tribal.tools.registry import Registry
from tribal_contracts.core.tasks import LoopResult
from tribal_contracts.interrogation.tasks import InterrogationTask

NAME = "interrogator"
_TASK = {*InterrogationTask.model_fields}
_FIRST_FAULT = 500

logger, tracer, metrics = Logger(), Tracer(), Metrics()


@logger.inject_lambda_context(clear_state=True)
@tracer.capture_lambda_handler
@metrics.log_metrics(capture_cold_start_metric=True)
def handle(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Run the session of an `InterrogationTask`, or answer a request from API Gateway or the function for MCP.

    Call again if the `LoopResult` has status `running`.
    """
    if set(event) == _TASK:
        return _run(InterrogationTask.model_validate(event), context).model_dump(mode="json")
    return ToolRequests(application(), _tools(), logger, _count_call).answer(event, context)


def _run(task: InterrogationTask, context: LambdaContext) -> LoopResult:
    logger.append_keys(session_id=task.session_id)
    identity = Identity(company=_deployment().company)
    session = run_for_owner(application(), task.session_id, stop_token(context), identity)
    failed = session is not None and session.status == "failed" and not was_stopped(session)
    metrics.add_metric("SessionsFailed", MetricUnit.Count, int(failed))
    return LoopResult(status="removed" if session is None else session.status)


def _count_call(status: int, failed: bool) -> None:
    metrics.add_metric("ToolErrors", MetricUnit.Count, int(failed))
    metrics.add_metric(str(fault_metric_of(NAME)), MetricUnit.Count, int(status >= _FIRST_FAULT))


@cache
def _tools() -> Registry:
    return tools_of(NAME)


@cache
def _deployment() -> Deployment:
    return load_deployment()


@cache
def application() -> Application:
    """The application, whose store and index stay open between invocations; the caller comes with each request."""
    return deployed_application(_deployment())
