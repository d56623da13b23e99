"""Queues, encrypted and TLS only, and how functions take messages from them."""

from __future__ import annotations

from typing import Any

from aws_cdk import Duration
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.stacks.functions import Function
from infra.stacks.permissions import allow

DEAD_LETTER_DAYS = 14
ATTEMPTS = 5
_BEYOND_TIMEOUT_SECONDS = 60
"""A message whose call died comes back so long after that call must have ended, when its lease has ended too."""


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


def function_queue(
    scope: Construct, queue_name: str, *, timeout_seconds: int, dead: sqs.Queue, attempts: int = ATTEMPTS
) -> sqs.Queue:
    """The queue of a function; a message that fails so often becomes a dead letter."""
    return sqs.Queue(
        scope,
        "Queue",
        queue_name=queue_name,
        encryption=sqs.QueueEncryption.SQS_MANAGED,
        enforce_ssl=True,
        visibility_timeout=Duration.seconds(timeout_seconds + _BEYOND_TIMEOUT_SECONDS),
        retention_period=Duration.days(4),
        dead_letter_queue=sqs.DeadLetterQueue(queue=dead, max_receive_count=attempts),
    )


def rights_to_consume(queue: sqs.Queue) -> list[iam.PolicyStatement]:
    """The statements for a function that takes messages from its queue, and sends itself others."""
    consume = ["sqs:ChangeMessageVisibility", "sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"]
    return [
        allow("TakeMessages", consume, queue.queue_arn),
        allow("CarryOn", ["sqs:SendMessage"], queue.queue_arn),
    ]


def consume(scope: Construct, queue: sqs.Queue, function: Function, *, at_once: int) -> None:
    """Call a function with each message of its queue, so many at once."""
    lambda_.CfnEventSourceMapping(
        scope,
        "Messages",
        event_source_arn=queue.queue_arn,
        function_name=function.resource.ref,
        batch_size=1,
        function_response_types=["ReportBatchItemFailures"],
        scaling_config=lambda_.CfnEventSourceMapping.ScalingConfigProperty(maximum_concurrency=at_once),
    )


def send_created_objects(
    scope: Construct, name: str, *, rule_name: str, bucket_name: str, key: Any, queue: sqs.Queue, undelivered: sqs.Queue
) -> None:
    """Send the events of a bucket about new objects whose keys match `key` to a queue."""
    events.Rule(
        scope,
        name,
        rule_name=rule_name,
        event_pattern=events.EventPattern(
            source=["aws.s3"],
            detail_type=["Object Created"],
            detail={"bucket": {"name": [bucket_name]}, "object": {"key": key}},
        ),
        targets=[targets.SqsQueue(queue, dead_letter_queue=undelivered)],
    )
