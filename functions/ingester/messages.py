"""The messages on the ingester's queue: S3 events about uploads, and tasks."""

from __future__ import annotations

import json
import re

from pydantic import ValidationError

from tribal_contracts.chat.jobs import IngestTask

_UPLOAD = re.compile(r"(?:.*/)?collections/(?P<collection>[^/]+)/uploads/(?P<job_id>[^/]+)\Z")


class MessageUnreadable(ValueError):
    """The message is malformed; after a few attempts it moves to the dead-letter queue."""


def parse_message(body: str) -> IngestTask:
    """Parse a message from the queue.

    Raises:
        MessageUnreadable: when it is neither an S3 event about an upload nor a task.
    """
    try:
        content = json.loads(body)
        if isinstance(content, dict) and content.get("detail-type") == "Object Created":
            return _of_event(content)
        return IngestTask.model_validate(content)
    except (ValueError, ValidationError, KeyError, TypeError, AttributeError) as error:
        raise MessageUnreadable(f"not a message for the ingester: {type(error).__name__}") from error


def _of_event(event: dict[str, dict[str, dict[str, str]]]) -> IngestTask:
    key = event["detail"]["object"]["key"]
    found = _UPLOAD.match(key)
    if found is None:
        raise MessageUnreadable(f"an event about {key!r}, which is not an upload")
    return IngestTask(collection=found["collection"], job_id=found["job_id"])
