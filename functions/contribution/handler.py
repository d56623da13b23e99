"""The contributor and the publisher, which the name of the function tells apart.

The contributor answers the tools of contribution, prepares, and follows what is published. The publisher answers the
route of approvals and publishes. Each continues only the cycles that are in the state of its job.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger, Metrics, Tracer
from aws_lambda_powertools.metrics import MetricUnit

from functions.contexts import LambdaContext, stop_token
from functions.offering import answered_by, fault_metric_of, routes_of, tools_of
from functions.tool_requests import ToolRequests
from tribal.app.deployed import deployed_application
from tribal.capabilities.contribution.contributions import Contributions
from tribal.capabilities.contribution.cycles.files import ContributionFiles
from tribal.capabilities.contribution.cycles.job_kind import CONTRIBUTIONS
from tribal.capabilities.contribution.parts import contribution_parts
from tribal.capabilities.contribution.scheduled import ScheduledWork, follow_and_prepare, publish_approved
from tribal.edges.http.routing import Route
from tribal.ports import Application, Caller, StopToken
from tribal.settings import read_environment
from tribal.settings.deployment import load_deployment
from tribal.tools.registry import Registry
from tribal_contracts.contribution.cycles import ContributionTask, CycleRecord, CycleState
from tribal_contracts.core.tasks import LoopResult

PUBLISHER = "publisher"
SCHEDULED, PREPARE = "scheduled_at", "prepare"
"""The keys of the schedules' event; no request from API Gateway has them."""
CALL_SECONDS = 20.0
"""The longest that reading repositories may take for a caller: API Gateway waits 29 s, a cold start included."""
_TASK = {*ContributionTask.model_fields}
_SCHEDULE = Caller("schedule")
_FIRST_FAULT = 500

logger, tracer, metrics = Logger(), Tracer(), Metrics()


@logger.inject_lambda_context(clear_state=True)
@tracer.capture_lambda_handler(capture_response=False)
@metrics.log_metrics(capture_cold_start_metric=True)
def handle(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Continue the cycle of a `ContributionTask`, work for the schedule, or answer a request.

    Call again if the `LoopResult` has status `running`.
    """
    if set(event) == _TASK:
        return _run(ContributionTask.model_validate(event), stop_token(context)).model_dump(mode="json")
    if set(event) == {SCHEDULED, PREPARE}:
        return _scheduled(stop_token(context), prepares=event[PREPARE] is True)
    with _application(stop_token(context, CALL_SECONDS)) as app:
        return ToolRequests(app, _tools(_name()), logger, _count_call, _routes(_name())).answer(event, context)


def _run(task: ContributionTask, stop: StopToken) -> LoopResult:
    logger.append_keys(cycle=task.cycle)
    with _application(stop) as app:
        worked = CONTRIBUTIONS.work(app, task, stop)
        if worked.again_in_seconds is not None:
            return LoopResult(status="running")
        _count_failures([ContributionFiles(app.store()).record(task.cycle)])
        return LoopResult(status=worked.status)


def _scheduled(stop: StopToken, *, prepares: bool) -> dict[str, Any]:
    with _application(stop) as app:
        service = Contributions(app, contribution_parts(app), _SCHEDULE, _SCHEDULE.person, stop)
        is_publisher = _name() == PUBLISHER
        done = publish_approved(service) if is_publisher else follow_and_prepare(service, prepares=prepares)
    _count_failures(done.records)
    metrics.add_metric("SchedulesDone", MetricUnit.Count, int(not done.failed and not done.locked))
    found: dict[str, Any] = _shown(done)
    logger.info("scheduled", contributions=found)
    return found


def _shown(done: ScheduledWork) -> dict[str, Any]:
    states = {str(each.cycle): each.outcome or each.state for each in done.records}
    return {"contributions": states, "locked": done.locked, "failed": done.failed}


def _count_failures(records: list[CycleRecord]) -> None:
    """Count contributions that failed; those of the publisher wait for another attempt."""
    is_publisher = _name() == PUBLISHER
    failed = sum(each.outcome == "failed" or (is_publisher and each.error is not None) for each in records)
    metrics.add_metric("ContributionsFailed", MetricUnit.Count, failed)


def _count_call(status: int, failed: bool) -> None:
    metrics.add_metric("ToolErrors", MetricUnit.Count, int(failed))
    metrics.add_metric(str(fault_metric_of(_name())), MetricUnit.Count, int(status >= _FIRST_FAULT))


@contextmanager
def _application(stop: StopToken) -> Iterator[Application]:
    """The application for one call; archives of repositories are removed at its end."""
    app = application()
    shared = contribution_parts(app)
    assert shared.for_call is not None
    state: CycleState = "publishing" if _name() == PUBLISHER else "preparing"
    with closing(replace(shared.for_call(stop), states=(state,))) as parts:
        yield app.with_part(parts)


def _name() -> str:
    return read_environment()["POWERTOOLS_SERVICE_NAME"]


@cache
def _tools(name: str) -> Registry:
    return tools_of(name) if name in answered_by() else Registry(())


@cache
def _routes(name: str) -> tuple[Route, ...]:
    return routes_of(name)


@cache
def application() -> Application:
    """The application, whose store stays open between invocations; the caller comes with each request."""
    return deployed_application(load_deployment())
