"""The indexer: updates the index from the manifest, one message per unit, and reconciles the two once a day."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger, Metrics, Tracer
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

from functions.contexts import LambdaContext, LambdaDeadline
from functions.indexer.messages import parse_message
from tribal.app.deployed import deployed_application
from tribal.indexing import IndexingContext, IndexTask, TaskResult, carry_out
from tribal.ports import Application, StopToken
from tribal.runs.sinks import SilentSink
from tribal.settings.deployment import Deployment, load_deployment

logger, tracer, metrics = Logger(), Tracer(), Metrics()
_processor = BatchProcessor(event_type=EventType.SQS, raise_on_entire_batch_failure=False)


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts that stay open between invocations."""

    deployment: Deployment
    app: Application


@cache
def parts() -> Parts:
    """Build the parts on the first invocation and reuse them afterwards."""
    deployment = load_deployment()
    return Parts(deployment, deployed_application(deployment))


@logger.inject_lambda_context
@tracer.capture_lambda_handler
@metrics.log_metrics(capture_cold_start_metric=True)
def handle(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Process a batch of messages; those that fail are reported back, and SQS redelivers them."""
    place, stop = parts(), StopToken(LambdaDeadline(context).remaining_seconds)

    def take(record: SQSRecord) -> None:
        task = parse_message(record.body)
        _report(task, _carry_out(task, place, stop), place)

    answer: dict[str, Any] = dict(process_partial_response(event=event, record_handler=take, processor=_processor))
    metrics.add_metric("MessagesFailed", MetricUnit.Count, len(answer.get("batchItemFailures", [])))
    return answer


def _carry_out(task: IndexTask, place: Parts, stop: StopToken) -> TaskResult:
    app = place.app
    with closing(app.index_writer(in_place=task.in_place)) as index:
        context = IndexingContext(app.store(), index, app.embedder(), app.clock, SilentSink(), stop)
        return carry_out(task, context, side_by_side=place.deployment.index == "opensearch")


def _report(task: IndexTask, result: TaskResult, place: Parts) -> None:
    for follow_up in result.follow_ups:
        bodies = [again.to_compact_json().decode() for again in follow_up.tasks]
        place.app.queue().send(bodies, follow_up.delay_seconds)
    error = result.blocked_by
    if error is None:
        logger.info(result.summary, kind=task.kind)
        metrics.add_metric("FilesFailed", MetricUnit.Count, result.files_failed)
    else:
        logger.error(result.summary, code=error.code, reason=error.message)
        metrics.add_metric("IndexingBlocked", MetricUnit.Count, int(error.code != "IDX_MANIFEST_NOT_FOUND"))
