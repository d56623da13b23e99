"""Dead-letter queues: encrypted, TLS only."""

from __future__ import annotations

from aws_cdk import Duration
from aws_cdk import aws_sqs as sqs
from constructs import Construct

DEAD_LETTER_DAYS = 14


def dead_letters(scope: Construct, name: str, queue_name: str) -> sqs.Queue:
    """A queue for messages that failed; a person inspects them and sends them back."""
    return sqs.Queue(
        scope,
        name,
        queue_name=queue_name,
        encryption=sqs.QueueEncryption.SQS_MANAGED,
        enforce_ssl=True,
        retention_period=Duration.days(DEAD_LETTER_DAYS),
    )
