"""The finisher: writes the overviews and the manifest, in several invocations if necessary."""

from __future__ import annotations

from typing import Any

from aws_lambda_powertools import Logger, Metrics, Tracer

from functions.contexts import LambdaContext
from functions.staging import staged_run
from tribal_contracts import FinishTask
from tribal_contracts.core.tasks import LoopResult

logger, tracer, metrics = Logger(), Tracer(), Metrics()


@logger.inject_lambda_context
@tracer.capture_lambda_handler
@metrics.log_metrics(capture_cold_start_metric=True)
def handle(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Finish the run of a `FinishTask`; call again if the `LoopResult` has status `running`."""
    task = FinishTask.model_validate(event)
    logger.append_keys(run_id=task.run_id)
    return LoopResult(status=staged_run(task.run_id, context).finish()).model_dump(mode="json")
