"""The ingester: works through uploads and removals, in slices that fit into an invocation."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger, Metrics, Tracer
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

from functions.contexts import LambdaContext, stop_token
from functions.queues import parse_message, process_messages, send_back_unfinished
from tribal.app.deployed import deployed_application
from tribal.capabilities.chat.errors import CollectionNotFound, JobNotFound
from tribal.capabilities.chat.uploads.job_kind import UPLOADS
from tribal.ports import Application
from tribal.settings.deployment import load_deployment
from tribal_contracts.chat.jobs import IngestTask, JobStatus, UploadJob

_UPLOAD = re.compile(r"(?:.*/)?collections/(?P<collection>[^/]+)/uploads/(?P<job_id>[^/]+)\Z")
_STATES: tuple[JobStatus, ...] = ("completed", "partial", "failed")

logger, tracer, metrics = Logger(), Tracer(), Metrics()


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
        _work(parse_message(record.body, IngestTask, task_of), context)

    return process_messages(event, take, metrics)


def task_of(key: str) -> IngestTask | None:
    """The task of an upload by its key; `None` for another object."""
    found = _UPLOAD.match(key)
    return None if found is None else IngestTask(**found.groupdict())


def _work(task: IngestTask, context: LambdaContext) -> None:
    logger.append_keys(collection=task.collection, job_id=task.job_id)
    app, worked_on = application(), list[UploadJob]()
    try:
        worked = UPLOADS.work(app, task, stop_token(context), report=worked_on.append)
    except (CollectionNotFound, JobNotFound) as error:
        # It cannot be worked on: a message that is sent again would end as a dead letter.
        logger.warning(error.message, code=error.code)
        return
    if not send_back_unfinished(worked, task, app, logger) and worked_on:
        _report(worked_on[-1])


def _report(job: UploadJob) -> None:
    indexed = sum(each.status == "indexed" for each in job.files)
    log = logger.warning if job.status == "failed" else logger.info
    code = None if job.error is None else job.error.code
    log("the job has ended", status=job.status, files=len(job.files), indexed=indexed, code=code)
    for state in _STATES:
        metrics.add_metric(f"Jobs{state.capitalize()}", MetricUnit.Count, int(job.status == state))
