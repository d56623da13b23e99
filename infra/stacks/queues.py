"""Queues: encrypted, reached over TLS alone, and where dead letters go."""

from __future__ import annotations

from aws_cdk import Duration
from aws_cdk import aws_sqs as sqs
from constructs import Construct

DEAD_LETTER_DAYS = 14


def dead_letters(scope: Construct, name: str, queue_name: str) -> sqs.Queue:
    """A queue for what could not be handled; a person looks at it, and sends it back."""
    return sqs.Queue(
        scope,
        name,
        queue_name=queue_name,
        encryption=sqs.QueueEncryption.SQS_MANAGED,
        enforce_ssl=True,
        retention_period=Duration.days(DEAD_LETTER_DAYS),
    )
