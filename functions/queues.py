"""Messages of a queue: those of a batch that fail are redelivered, and a job that takes longer is sent back."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from pydantic import ValidationError

from tribal.ports import Application
from tribal.ports.capability import Worked
from tribal_contracts import Contract

Task = TypeVar("Task", bound=Contract)


class MessageUnreadable(ValueError):
    """The message is malformed; after a few attempts it moves to the dead-letter queue."""


def process_messages(event: dict[str, Any], take: Callable[[SQSRecord], None], metrics: Metrics) -> dict[str, Any]:
    """Process a batch of messages; those that fail are reported back, and SQS redelivers them."""
    processor = BatchProcessor(event_type=EventType.SQS, raise_on_entire_batch_failure=False)
    answer: dict[str, Any] = dict(process_partial_response(event=event, record_handler=take, processor=processor))
    metrics.add_metric("MessagesFailed", MetricUnit.Count, len(answer.get("batchItemFailures", [])))
    return answer


def parse_message(body: str, kind: type[Task], of_key: Callable[[str], Task | None]) -> Task:
    """Parse a message: a task, or an S3 event about an object.

    Args:
        body: of the message.
        kind: of task.
        of_key: makes the task of the object's key; `None` if it is not one to work on.

    Raises:
        MessageUnreadable: when it is neither.
    """
    try:
        content = json.loads(body)
        if not isinstance(content, dict) or content.get("detail-type") != "Object Created":
            return kind.model_validate(content)
        key = content["detail"]["object"]["key"]
        task = of_key(key)
    except (ValueError, ValidationError, KeyError, TypeError, AttributeError) as error:
        raise MessageUnreadable(f"not a message for this function: {type(error).__name__}") from error
    if task is None:
        raise MessageUnreadable(f"an event about {key!r}, which is nothing to work on")
    return task


def send_back(task: Contract, delay_seconds: int, app: Application) -> None:
    """Have a task delivered again after a delay."""
    app.run.queue().send([task.to_compact_json().decode()], delay_seconds)


def send_back_unfinished(worked: Worked, task: Contract, app: Application, logger: Logger) -> bool:
    """Send the task of a job that has not ended back; returns whether it was sent."""
    if worked.again_in_seconds is None:
        return False
    send_back(task, worked.again_in_seconds, app)
    logger.info("the job goes on later", delay_seconds=worked.again_in_seconds)
    return True
