"""The indexer: brings the index up to the manifest, in messages of one unit each, and reconciles the two once a day.

Whatever a message says, the present manifest and files decide: duplicates, late ones and ones out of order do no harm.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from aws_lambda_powertools import Logger, Metrics, Tracer
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

from functions.contexts import LambdaContext, LambdaDeadline
from functions.indexer.messages import Message, parse_message
from functions.indexer.queue import Queue
from tribal.app import local as wiring
from tribal.app.deployed import deployed_index, deployed_store
from tribal.errors import ManifestError, RunInterrupted
from tribal.indexing import agrees, index_documents, record_blocked, units_to_index
from tribal.ports import Embedder, ObjectStore, SearchIndex
from tribal.runs.clock import SystemClock
from tribal.runs.sinks import SilentSink
from tribal.settings.deployment import Deployment, load_deployment

LOW_TIME_SECONDS = 30.0
"""With less time left no further batch of files is begun; the rest goes back into the queue."""
RECONCILE_AFTER_SECONDS = 60

logger, tracer, metrics = Logger(), Tracer(), Metrics()
_processor = BatchProcessor(event_type=EventType.SQS, raise_on_entire_batch_failure=False)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the function works: its clients and the model stay open between calls."""

    deployment: Deployment
    store: ObjectStore
    queue: Queue
    embedder: Embedder

    def index(self, *, in_place: bool) -> SearchIndex:
        return deployed_index(self.deployment, self.store, in_place=in_place)


_kept: dict[str, _Place] = {}


@logger.inject_lambda_context
@tracer.capture_lambda_handler
@metrics.log_metrics(capture_cold_start_metric=True)
def handle(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Take a batch of messages; those that fail are named in the answer and come again."""
    if "all" not in _kept:
        deployment = load_deployment()
        _kept["all"] = _Place(deployment, deployed_store(deployment), Queue(deployment), wiring.embedder())
    place, deadline = _kept["all"], LambdaDeadline(context)

    def take(record: SQSRecord) -> None:
        _take(parse_message(record.body), place, deadline)

    answer: dict[str, Any] = dict(process_partial_response(event=event, record_handler=take, processor=_processor))
    metrics.add_metric("MessagesFailed", MetricUnit.Count, len(answer.get("batchItemFailures", [])))
    return answer


def _take(message: Message, place: _Place, deadline: LambdaDeadline) -> None:
    side_by_side = place.deployment.index == "opensearch"
    try:
        if side_by_side and message.kind == "manifest":
            _fan_out(place)
        elif side_by_side and message.kind == "reconcile" and _agrees(place):
            logger.info("manifest and index agree")
        else:
            _index(message, place, deadline)
    except ManifestError as error:
        # Coming again would not help; the next run does, and its manifest comes with an event of its own.
        logger.error("the manifest cannot be indexed", code=error.code, reason=error.message)
        metrics.add_metric("IndexingBlocked", MetricUnit.Count, int(error.code != "IDX_MANIFEST_NOT_FOUND"))
        record_blocked(place.store, SystemClock(), place.embedder.model, error)


def _fan_out(place: _Place) -> None:
    units = units_to_index(place.store, place.index(in_place=True), place.embedder.model)
    logger.info("the manifest is fanned out", units=len(units))
    place.queue.send([Message(kind="unit", unit=unit) for unit in units])
    # Removals, the key graph and the metadata come last, and put right what a unit's message could not do.
    place.queue.send([Message(kind="reconcile")], delay_seconds=RECONCILE_AFTER_SECONDS if units else 0)


def _agrees(place: _Place) -> bool:
    return agrees(place.store, place.index(in_place=True), place.embedder.model)


def _index(message: Message, place: _Place, deadline: LambdaDeadline) -> None:
    try:
        progress = index_documents(
            store=place.store,
            index=place.index(in_place=message.kind == "unit"),
            embedder=place.embedder,
            clock=SystemClock(),
            sink=SilentSink(),
            pool_stopping=lambda: deadline.remaining_seconds() < LOW_TIME_SECONDS,
            work_units=frozenset({message.unit}) if message.kind == "unit" and message.unit else None,
            force=message.kind == "rebuild" and not message.resumed,
            # What a rebuild left is not whole, whatever the index that is still asked says of itself.
            compare=message.resumed or (message.kind == "reconcile" and place.deployment.index == "opensearch"),
        )
    except RunInterrupted:
        logger.info("out of time; the rest is queued", kind=message.kind)
        place.queue.send([message.model_copy(update={"resumed": True})])
        return
    if progress.status == "pending":
        # Its own event may have been dealt with while this call was held up.
        logger.info("a newer manifest came meanwhile", kind=message.kind)
        place.queue.send([Message(kind="reconcile")])
    metrics.add_metric("FilesFailed", MetricUnit.Count, progress.files_failed)
