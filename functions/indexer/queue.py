"""The indexer's own queue."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from functions.indexer.messages import Message
from tribal.adapters.aws.clients import aws_client
from tribal.errors import ConfigurationError
from tribal.settings.deployment import Deployment

_MESSAGES_AT_ONCE = 10


class Queue:
    """Takes messages for later calls of the indexer."""

    def __init__(self, deployment: Deployment) -> None:
        self._deployment = deployment

    def send(self, messages: Sequence[Message], delay_seconds: int = 0) -> None:
        """Queue messages, ten a request.

        Raises:
            ConfigurationError: when the stack named no queue.
            RuntimeError: when the queue refused a message; whoever sent it tries again as a whole.
        """
        if self._deployment.queue_url is None:
            raise ConfigurationError("TRIBAL_QUEUE_URL is not set; the stack sets it, so deploy it anew")
        for start in range(0, len(messages), _MESSAGES_AT_ONCE):
            batch = messages[start : start + _MESSAGES_AT_ONCE]
            entries = [
                {"Id": str(number), "MessageBody": message.to_compact_json().decode(), "DelaySeconds": delay_seconds}
                for number, message in enumerate(batch)
            ]
            answer = self._client.send_message_batch(QueueUrl=self._deployment.queue_url, Entries=entries)
            if answer.get("Failed"):
                raise RuntimeError(f"the queue refused {len(answer['Failed'])} message(s): {answer['Failed'][0]}")

    @cached_property
    def _client(self) -> Any:
        return aws_client("sqs", region=self._deployment.region)
