"""Sending to a queue of SQS."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from moto import mock_aws

from tribal.adapters.aws.queue import SqsQueue


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    with mock_aws():
        yield boto3.client("sqs", region_name="eu-central-1")


def waiting(client: Any, url: str) -> list[str]:
    bodies: list[str] = []
    while found := client.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages"):
        bodies += [message["Body"] for message in found]
    return bodies


def test_any_number_of_messages_is_sent(client: Any) -> None:
    url = client.create_queue(QueueName="q")["QueueUrl"]
    bodies = [f"message {number}" for number in range(25)]
    SqsQueue(client, url).send(bodies)
    SqsQueue(client, url).send([])
    assert sorted(waiting(client, url)) == sorted(bodies)


def test_a_delayed_message_is_not_delivered_yet(client: Any) -> None:
    url = client.create_queue(QueueName="q")["QueueUrl"]
    SqsQueue(client, url).send(["later"], delay_seconds=60)
    assert waiting(client, url) == []
    counted = client.get_queue_attributes(QueueUrl=url, AttributeNames=["ApproximateNumberOfMessagesDelayed"])
    assert counted["Attributes"]["ApproximateNumberOfMessagesDelayed"] == "1"


def test_a_message_that_the_queue_refuses_is_an_error() -> None:
    class Refusing:
        def send_message_batch(self, **request: Any) -> dict[str, Any]:
            return {"Failed": [{"Id": request["Entries"][0]["Id"], "Code": "InternalError"}]}

    with pytest.raises(RuntimeError, match=r"refused 1 message.*InternalError"):
        SqsQueue(Refusing(), "https://sqs.example/q").send(["one"])
