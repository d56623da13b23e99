"""The indexer: brings the index up to the manifest, in messages of one unit each, and reconciles the two once a day.

Whatever a message says, the present manifest and files decide: duplicates, late ones and ones out of order do no harm.
"""

from __future__ import annotations

from typing import Any

from aws_lambda_powertools import Logger, Metrics, Tracer
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

from functions.contexts import LambdaContext, LambdaDeadline
from functions.indexer.messages import Message, parse_message
from functions.indexer.queue import Queue
from tribal import wiring
from tribal.deployed_wiring import deployed_index, deployed_store
from tribal.deployment import Deployment, load_deployment
from tribal.errors import RunInterrupted
from tribal.indexing import index_documents, units_to_index
from tribal.runs.clock import SystemClock
from tribal.runs.sinks import SilentSink

LOW_TIME_SECONDS = 30.0
"""With less time left no further batch of files is begun; the rest goes back into the queue."""
RECONCILE_AFTER_SECONDS = 60

logger, tracer, metrics = Logger(), Tracer(), Metrics()
_processor = BatchProcessor(event_type=EventType.SQS, raise_on_entire_batch_failure=False)


@logger.inject_lambda_context
@tracer.capture_lambda_handler
@metrics.log_metrics(capture_cold_start_metric=True)
def handle(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Take a batch of messages; those that fail are named in the answer and come again."""
    deployment = load_deployment()
    deadline = LambdaDeadline(context)

    def take(record: SQSRecord) -> None:
        _take(parse_message(record.body), deployment, deadline)

    answer: dict[str, Any] = dict(process_partial_response(event=event, record_handler=take, processor=_processor))
    metrics.add_metric("MessagesFailed", MetricUnit.Count, len(answer.get("batchItemFailures", [])))
    return answer


def _take(message: Message, deployment: Deployment, deadline: LambdaDeadline) -> None:
    queue = Queue(deployment)
    store = deployed_store(deployment)
    if message.kind == "manifest" and deployment.index == "opensearch":
        index = deployed_index(deployment, store, in_place=True)
        units = units_to_index(store, index, wiring.embedder().model)
        logger.info("the manifest is fanned out", units=len(units))
        queue.send([Message(kind="unit", unit=unit) for unit in units])
        # Removals, the key graph and the metadata come last, and mend what a unit's message could not do.
        queue.send([Message(kind="reconcile")], delay_seconds=RECONCILE_AFTER_SECONDS if units else 0)
        return
    index = deployed_index(deployment, store, in_place=message.kind == "unit")
    try:
        progress = index_documents(
            store=store,
            index=index,
            embedder=wiring.embedder(),
            clock=SystemClock(),
            sink=SilentSink(),
            pool_stopping=lambda: deadline.remaining_seconds() < LOW_TIME_SECONDS,
            work_units=frozenset({message.unit}) if message.kind == "unit" and message.unit else None,
            force=message.kind == "rebuild" and not message.resumed,
        )
    except RunInterrupted:
        logger.info("out of time; the rest is queued", kind=message.kind)
        queue.send([message.model_copy(update={"resumed": True})])
        return
    metrics.add_metric("FilesFailed", MetricUnit.Count, progress.files_failed)
