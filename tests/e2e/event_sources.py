"""Hands the messages of a queue to a function, as the event source mapping between them says.

Time that would only be waited for is taken as passed: a message that failed is tried again at once, and a delayed one
is delivered as soon as nothing else is to be done.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

from moto.sqs.models import sqs_backends

_POLL_SECONDS = 0.05


class EventSources:
    """Polls the queue of one mapping with the rights of its function."""

    def __init__(self, client: Callable[..., Any], mapping: dict[str, Any], role: str, pollers: int = 2) -> None:
        self._functions = client("lambda")
        self._queue = client("sqs", role=role)
        self._function: str = mapping["FunctionArn"]
        assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"], mapping
        self._batch: int = mapping["BatchSize"]
        _, _, _, self._region, self._account, self._name = mapping["EventSourceArn"].split(":")
        self.arn: str = mapping["EventSourceArn"]
        self._url = client("sqs").get_queue_url(QueueName=self._name)["QueueUrl"]
        self._stopping, self._lock = threading.Event(), threading.Lock()
        self._in_progress = 0
        self.delivered: list[str] = []
        """Every body that was ever handed over, in order."""
        self._threads = [threading.Thread(target=self._poll, daemon=True) for _ in range(pollers)]
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Stop polling."""
        self._stopping.set()
        for thread in self._threads:
            thread.join()

    @property
    def idle(self) -> bool:
        """Whether the queue is empty and no call is in progress."""
        with self._lock:
            return self._in_progress == 0 and not self._messages()

    def _messages(self) -> list[Any]:
        return list(sqs_backends[self._account][self._region].queues[self._name]._messages)

    def _due(self) -> bool:
        """Whether a message can be received: to look is cheaper than to ask."""
        return any(message.visible and not message.delayed for message in self._messages())

    def _poll(self) -> None:
        while not self._stopping.is_set():
            with self._lock:
                messages = self._receive() if self._due() else []
                self._in_progress += 1
            try:
                if messages:
                    self._hand_over(messages)
            finally:
                with self._lock:
                    self._in_progress -= 1
            if not messages:
                self._let_time_pass()
                self._stopping.wait(_POLL_SECONDS)

    def _receive(self) -> list[dict[str, Any]]:
        received = self._queue.receive_message(
            QueueUrl=self._url, MaxNumberOfMessages=self._batch, MessageSystemAttributeNames=["All"]
        )
        return list(received.get("Messages", ()))

    def _hand_over(self, messages: list[dict[str, Any]]) -> None:
        self.delivered += [message["Body"] for message in messages]
        records = [self._record(message) for message in messages]
        answer = self._functions.invoke(FunctionName=self._function, Payload=json.dumps({"Records": records}).encode())
        content = json.loads(answer["Payload"].read())
        failed = {message["MessageId"] for message in messages}
        if "FunctionError" not in answer:
            failed = {failure["itemIdentifier"] for failure in content["batchItemFailures"]}
        done = [message for message in messages if message["MessageId"] not in failed]
        if done:
            entries = [{"Id": message["MessageId"], "ReceiptHandle": message["ReceiptHandle"]} for message in done]
            self._queue.delete_message_batch(QueueUrl=self._url, Entries=entries)
        for message in self._messages():
            if message.id in failed:
                message.visible_at = 0.0

    def _record(self, message: dict[str, Any]) -> dict[str, Any]:
        return {
            "messageId": message["MessageId"],
            "receiptHandle": message["ReceiptHandle"],
            "body": message["Body"],
            "attributes": message["Attributes"],
            "messageAttributes": {},
            "md5OfBody": message["MD5OfBody"],
            "eventSource": "aws:sqs",
            "eventSourceARN": self.arn,
            "awsRegion": self._region,
        }

    def _let_time_pass(self) -> None:
        """Deliver what is delayed, once there is nothing else."""
        with self._lock:
            waiting = self._messages()
            if self._in_progress == 0 and all(message.delayed_until for message in waiting):
                for message in waiting:
                    message.delayed_until = 0.0
