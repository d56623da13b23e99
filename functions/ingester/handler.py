"""The ingester: works through uploads and removals, in slices that fit into an invocation."""

from __future__ import annotations

from functools import cache
from typing import Any

from aws_lambda_powertools import Logger, Metrics, Tracer
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

from functions.contexts import LambdaContext, stop_token
from functions.ingester.messages import parse_message
from tribal.app.deployed import deployed_application
from tribal.capabilities.chat.errors import ChatBusy, CollectionNotFound, JobNotFound
from tribal.capabilities.chat.uploads.ingesting import ingest, may_arrive
from tribal.ports import Application
from tribal.settings.deployment import load_deployment
from tribal_contracts.chat.jobs import IngestTask, JobStatus, UploadJob

BUSY_SECONDS = 60
"""How long a job waits while another one works on its collection. By judgement."""
ARRIVING_SECONDS = 900
"""How long a job waits for an upload that has not arrived: the longest delay of a message."""
_STATES: tuple[JobStatus, ...] = ("completed", "partial", "failed")

logger, tracer, metrics = Logger(), Tracer(), Metrics()
_processor = BatchProcessor(event_type=EventType.SQS, raise_on_entire_batch_failure=False)


@cache
def application() -> Application:
    """Build the application on the first invocation and reuse it afterwards."""
    return deployed_application(load_deployment())


@logger.inject_lambda_context(clear_state=True)
@tracer.capture_lambda_handler(capture_response=False)
@metrics.log_metrics(capture_cold_start_metric=True)
def handle(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Process a batch of messages; those that fail are reported back, and SQS redelivers them."""

    def take(record: SQSRecord) -> None:
        _work(parse_message(record.body), context)

    answer: dict[str, Any] = dict(process_partial_response(event=event, record_handler=take, processor=_processor))
    metrics.add_metric("MessagesFailed", MetricUnit.Count, len(answer.get("batchItemFailures", [])))
    return answer


def _work(task: IngestTask, context: LambdaContext) -> None:
    logger.append_keys(collection=task.collection, job_id=task.job_id)
    app, worked_on = application(), list[UploadJob]()
    try:
        job = ingest(app, task.collection, task.job_id, stop_token(context), worked_on.append)
    except ChatBusy:
        _send_back(app, task, BUSY_SECONDS)
        return
    except (CollectionNotFound, JobNotFound) as error:
        # It cannot be worked on: a message that is sent again would end as a dead letter.
        logger.warning(error.message, code=error.code)
        return
    if job.status == "processing":
        _send_back(app, task, ARRIVING_SECONDS if may_arrive(job, app.clock) else 0)
    elif worked_on:
        _report(job)


def _send_back(app: Application, task: IngestTask, delay_seconds: int) -> None:
    app.run.queue().send([task.to_compact_json().decode()], delay_seconds)
    logger.info("the job goes on later", delay_seconds=delay_seconds)


def _report(job: UploadJob) -> None:
    indexed = sum(each.status == "indexed" for each in job.files)
    log = logger.warning if job.status == "failed" else logger.info
    code = None if job.error is None else job.error.code
    log("the job has ended", status=job.status, files=len(job.files), indexed=indexed, code=code)
    for state in _STATES:
        metrics.add_metric(f"Jobs{state.capitalize()}", MetricUnit.Count, int(job.status == state))
