"""The planner: opens a run, reads catalogs, composes the plan, records failures and closes the run."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from aws_lambda_powertools import Logger, Metrics, Tracer
from aws_lambda_powertools.metrics import MetricUnit

from functions.contexts import LambdaContext
from functions.staging import staged_run
from tribal.planning import concurrency_limit
from tribal.runs.records import STAGED_COMMAND, execution_run_id
from tribal_contracts import (
    CloseTask,
    ComposeTask,
    Contract,
    DatabasePointer,
    FailedTask,
    OpenedRun,
    OpenTask,
    ReadResult,
    ReadTask,
)

logger, tracer, metrics = Logger(), Tracer(), Metrics()


@logger.inject_lambda_context
@tracer.capture_lambda_handler
@metrics.log_metrics(capture_cold_start_metric=True)
def handle(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Run the task named by `event["task"]` on the input in `event["input"]`."""
    answer = _TASKS[event["task"]](event["input"], context)
    return answer.model_dump(mode="json") if answer is not None else {}


def _open(content: dict[str, Any], context: LambdaContext) -> Contract:
    task = OpenTask.model_validate(content)
    run_id = execution_run_id(task.execution, datetime.fromisoformat(task.started_at))
    logger.append_keys(run_id=run_id)
    run = staged_run(run_id, context, task.request)
    databases = run.open(STAGED_COMMAND)
    return OpenedRun(
        run_id=run_id,
        databases=[DatabasePointer(name=entry.name, network=entry.network) for entry in databases],
        databases_at_once=concurrency_limit(task.databases_at_once, databases, run.app.run.server_of),
        request=task.request,
    )


def _read(content: dict[str, Any], context: LambdaContext) -> Contract:
    task = ReadTask.model_validate(content)
    logger.append_keys(run_id=task.run_id, database=task.database)
    reading = staged_run(task.run_id, context).read(task.database)
    for error in reading.errors:
        logger.warning(error.message, code=error.code)
    metrics.add_metric("DatabasesUnreachable", MetricUnit.Count, int(reading.status == "unreachable"))
    return ReadResult(database=task.database, status=reading.status)


def _compose(content: dict[str, Any], context: LambdaContext) -> Contract:
    task = ComposeTask.model_validate(content)
    logger.append_keys(run_id=task.run_id)
    composed = staged_run(task.run_id, context, task.request).compose()
    metrics.add_metric("UnitsToDocument", MetricUnit.Count, composed.units)
    return composed


def _fail(content: dict[str, Any], context: LambdaContext) -> None:
    task = FailedTask.model_validate(content)
    logger.append_keys(run_id=task.run_id, unit_id=task.unit_id)
    logger.error("a work unit failed for good", error=task.error)
    metrics.add_metric("UnitsFailed", MetricUnit.Count, 1)
    staged_run(task.run_id, context).record_failure(task)


def _close(content: dict[str, Any], context: LambdaContext) -> Contract:
    task = CloseTask.model_validate(content)
    logger.append_keys(run_id=task.run_id)
    record = staged_run(task.run_id, context).close(task)
    metrics.add_metric("TablesFailed", MetricUnit.Count, record.tables_failed)
    metrics.add_metric("RunsNotCompleted", MetricUnit.Count, int(record.status != "completed"))
    # Return pointers only: the record, with its errors, is in the store.
    return record.model_copy(update={"errors": []})


_TASKS: dict[str, Callable[[dict[str, Any], LambdaContext], Contract | None]] = {
    "open": _open,
    "read": _read,
    "compose": _compose,
    "fail": _fail,
    "close": _close,
}
