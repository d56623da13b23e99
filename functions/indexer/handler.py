"""The indexer: brings the index in line with the manifest, one indexer at a time."""

from __future__ import annotations

from contextlib import closing
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger, Metrics, Tracer
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

from functions.contexts import LambdaContext, stop_token
from functions.queues import parse_message, process_messages, send_back
from tribal.app.deployed import deployed_application
from tribal.identity.locations import MANIFEST_FILE
from tribal.indexing import IndexingContext, IndexTask, TaskResult
from tribal.ports import Application
from tribal.runs.indexing import run_task_exclusively
from tribal.runs.sinks import SilentSink
from tribal.settings.deployment import load_deployment

logger, tracer, metrics = Logger(), Tracer(), Metrics()


@cache
def application() -> Application:
    """Build the application on the first invocation and reuse it afterwards."""
    return deployed_application(load_deployment())


@logger.inject_lambda_context
@tracer.capture_lambda_handler
@metrics.log_metrics(capture_cold_start_metric=True)
def handle(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Process a batch of messages; those that fail are reported back, and SQS redelivers them."""
    app, stop = application(), stop_token(context)

    def take(record: SQSRecord) -> None:
        task = parse_message(record.body, IndexTask, task_of)
        with closing(app.run.index_writer()) as index:
            indexing = IndexingContext(app.store(), index, app.embedder(), app.clock, SilentSink(), stop)
            result = run_task_exclusively(task, indexing, record.message_id)
        _report(task, result, app)

    return process_messages(event, take, metrics)


def task_of(key: str) -> IndexTask | None:
    """The task for the manifest by its key; `None` for another object."""
    return IndexTask(kind="manifest") if key.endswith(MANIFEST_FILE) else None


def _report(task: IndexTask, result: TaskResult, app: Application) -> None:
    if result.follow_up is not None:
        send_back(result.follow_up.task, result.follow_up.delay_seconds, app)
    error = result.blocked_by
    if error is None:
        logger.info(result.summary, kind=task.kind)
        metrics.add_metric("FilesFailed", MetricUnit.Count, result.files_failed)
    else:
        logger.error(result.summary, code=error.code, reason=error.message)
        metrics.add_metric("IndexingBlocked", MetricUnit.Count, int(error.code != "IDX_MANIFEST_NOT_FOUND"))
