"""The indexer: brings the index in line with the manifest, one indexer at a time."""

from __future__ import annotations

from contextlib import closing
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger, Metrics, Tracer
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

from functions.contexts import LambdaContext, LambdaDeadline
from functions.indexer.messages import parse_message
from tribal.app.deployed import deployed_application
from tribal.indexing import IndexingContext, IndexTask, TaskResult
from tribal.ports import Application, IndexWriter, StopToken
from tribal.runs.indexing import run_task_exclusively
from tribal.runs.sinks import SilentSink
from tribal.settings.deployment import load_deployment

logger, tracer, metrics = Logger(), Tracer(), Metrics()
_processor = BatchProcessor(event_type=EventType.SQS, raise_on_entire_batch_failure=False)


@cache
def application() -> Application:
    """Build the application on the first invocation and reuse it afterwards."""
    return deployed_application(load_deployment())


@logger.inject_lambda_context
@tracer.capture_lambda_handler
@metrics.log_metrics(capture_cold_start_metric=True)
def handle(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Process a batch of messages; those that fail are reported back, and SQS redelivers them."""
    app, deadline = application(), LambdaDeadline(context)

    def take(record: SQSRecord) -> None:
        task = parse_message(record.body)
        with closing(app.run.index_writer()) as index:
            result = run_task_exclusively(task, _context(index, app, deadline), record.message_id)
        _report(task, result, app)

    answer: dict[str, Any] = dict(process_partial_response(event=event, record_handler=take, processor=_processor))
    metrics.add_metric("MessagesFailed", MetricUnit.Count, len(answer.get("batchItemFailures", [])))
    return answer


def _context(index: IndexWriter, app: Application, deadline: LambdaDeadline) -> IndexingContext:
    stop = StopToken(deadline.remaining_seconds)
    return IndexingContext(app.store(), index, app.embedder(), app.clock, SilentSink(), stop)


def _report(task: IndexTask, result: TaskResult, app: Application) -> None:
    if result.follow_up is not None:
        body = result.follow_up.task.to_compact_json().decode()
        app.run.queue().send([body], result.follow_up.delay_seconds)
    error = result.blocked_by
    if error is None:
        logger.info(result.summary, kind=task.kind)
        metrics.add_metric("FilesFailed", MetricUnit.Count, result.files_failed)
    else:
        logger.error(result.summary, code=error.code, reason=error.message)
        metrics.add_metric("IndexingBlocked", MetricUnit.Count, int(error.code != "IDX_MANIFEST_NOT_FOUND"))
