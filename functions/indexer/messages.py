"""What the indexer's queue carries: events of S3 about the manifest, and the indexer's own tasks."""

from __future__ import annotations

import json

from pydantic import ValidationError

from tribal.catalog.locations import MANIFEST_FILE
from tribal.indexing import IndexTask


class MessageUnreadable(ValueError):
    """No message of ours; after a few attempts it lies in the dead-letter queue."""


def parse_message(body: str) -> IndexTask:
    """Read a message of the queue.

    Raises:
        MessageUnreadable: when it is neither an event about the manifest nor one of our own.
    """
    try:
        content = json.loads(body)
        if isinstance(content, dict) and content.get("detail-type") == "Object Created":
            return _of_event(content)
        return IndexTask.model_validate(content)
    except (ValueError, ValidationError, KeyError, TypeError, AttributeError) as error:
        raise MessageUnreadable(f"this is no message for the indexer: {type(error).__name__}") from error


def _of_event(event: dict[str, dict[str, dict[str, str]]]) -> IndexTask:
    key = event["detail"]["object"]["key"]
    if not key.endswith(MANIFEST_FILE):
        raise MessageUnreadable(f"an event about {key!r}, which is not the manifest")
    return IndexTask(kind="manifest")
