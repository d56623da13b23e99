"""The documenter: works on one unit until it is done or time runs short."""

from __future__ import annotations

from typing import Any

from aws_lambda_powertools import Logger, Metrics, Tracer
from aws_lambda_powertools.metrics import MetricUnit

from functions.contexts import LambdaContext
from functions.staging import staged_run
from tribal_contracts import DocumentTask
from tribal_contracts.core.tasks import LoopResult

logger, tracer, metrics = Logger(), Tracer(), Metrics()


@logger.inject_lambda_context
@tracer.capture_lambda_handler
@metrics.log_metrics(capture_cold_start_metric=True)
def handle(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Document the unit of a `DocumentTask`; call again if the `LoopResult` has status `running`."""
    task = DocumentTask.model_validate(event)
    logger.append_keys(run_id=task.run_id, unit_id=task.unit_id)
    status = staged_run(task.run_id, context, task.request).document(task.unit_id)
    metrics.add_metric("UnitsHandedBack", MetricUnit.Count, int(status == "running"))
    return LoopResult(status=status).model_dump(mode="json")
