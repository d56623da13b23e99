"""A message queue on SQS."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_MESSAGES_AT_ONCE = 10


class SqsQueue:
    """A `MessageQueue` on SQS.

    Args:
        client: a boto3 client for SQS. url: URL of the queue.
    """

    def __init__(self, client: Any, url: str) -> None:
        self._client = client
        self._url = url

    def send(self, bodies: Sequence[str], delay_seconds: int = 0) -> None:
        """Send messages, ten per request, to be delivered after a delay.

        Raises:
            RuntimeError: when the queue refused a message; send the whole batch again.
        """
        for start in range(0, len(bodies), _MESSAGES_AT_ONCE):
            batch = bodies[start : start + _MESSAGES_AT_ONCE]
            entries = [
                {"Id": str(number), "MessageBody": body, "DelaySeconds": delay_seconds}
                for number, body in enumerate(batch)
            ]
            answer = self._client.send_message_batch(QueueUrl=self._url, Entries=entries)
            if answer.get("Failed"):
                raise RuntimeError(f"the queue refused {len(answer['Failed'])} message(s): {answer['Failed'][0]}")
