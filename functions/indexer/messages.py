"""The messages on the indexer's queue: S3 events about the manifest, and tasks."""

from __future__ import annotations

import json

from pydantic import ValidationError

from tribal.identity.locations import MANIFEST_FILE
from tribal.indexing import IndexTask


class MessageUnreadable(ValueError):
    """The message is malformed; after a few attempts it moves to the dead-letter queue."""


def parse_message(body: str) -> IndexTask:
    """Parse a message from the queue.

    Raises:
        MessageUnreadable: when it is neither an S3 event about the manifest nor one of the indexer's tasks.
    """
    try:
        content = json.loads(body)
        if isinstance(content, dict) and content.get("detail-type") == "Object Created":
            return _of_event(content)
        return IndexTask.model_validate(content)
    except (ValueError, ValidationError, KeyError, TypeError, AttributeError) as error:
        raise MessageUnreadable(f"not a message for the indexer: {type(error).__name__}") from error


def _of_event(event: dict[str, dict[str, dict[str, str]]]) -> IndexTask:
    key = event["detail"]["object"]["key"]
    if not key.endswith(MANIFEST_FILE):
        raise MessageUnreadable(f"an event about {key!r}, which is not the manifest")
    return IndexTask(kind="manifest")
