"""From an upload in the bucket to the passages of its collection: event, queue, ingester."""

from __future__ import annotations

from aws_cdk import Duration, Stack
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.environment import Environment
from infra.stacks.functions import Function, Layers, NetworkPlace
from infra.stacks.permissions import allow
from infra.stacks.queues import dead_letters
from infra.stacks.storage import Storage
from infra.stacks.tool_rights import model_variables, rights_of

INGESTER = "ingester"
UPLOADED = "collections/*/uploads/*"
"""The keys of uploads."""
_AT_ONCE = 4
"""The most uploads that are read at the same time; those of one collection take turns. By judgement."""
_BEYOND_TIMEOUT_SECONDS = 60
"""As for the indexer: a message whose call died comes back when that call and its lease have ended."""
_ATTEMPTS = 5


class Ingesting(Construct):
    """The queue of uploads and removals, and the ingester that consumes it."""

    def __init__(
        self,
        scope: Construct,
        name: str,
        *,
        environment: Environment,
        storage: Storage,
        layers: Layers,
        place: NetworkPlace | None,
        undelivered: sqs.Queue,
        variables: dict[str, str],
    ) -> None:
        super().__init__(scope, name)
        self.dead = dead_letters(self, "DeadLetters", f"{environment.prefix}-{INGESTER}-dead")
        timeout = environment.timeout_of(INGESTER)
        self.queue = sqs.Queue(
            self,
            "Queue",
            queue_name=f"{environment.prefix}-{INGESTER}",
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=True,
            visibility_timeout=Duration.seconds(timeout + _BEYOND_TIMEOUT_SECONDS),
            retention_period=Duration.days(4),
            dead_letter_queue=sqs.DeadLetterQueue(queue=self.dead, max_receive_count=_ATTEMPTS),
        )
        consume = ["sqs:ChangeMessageVisibility", "sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"]
        self.function = Function(
            self,
            "Ingester",
            name=INGESTER,
            environment=environment,
            layers=layers,
            place=place,
            statements=[
                *rights_of(Stack.of(self), environment, storage.bucket.bucket_arn, INGESTER),
                allow("TakeMessages", consume, self.queue.queue_arn),
                allow("CarryOn", ["sqs:SendMessage"], self.queue.queue_arn),
            ],
            variables=variables
            | environment.sections["chat"].variables
            | model_variables(environment, INGESTER)
            | {"TRIBAL_QUEUE_URL": self.queue.queue_url},
        )
        events.Rule(
            self,
            "Uploaded",
            rule_name=f"{environment.prefix}-uploaded",
            event_pattern=events.EventPattern(
                source=["aws.s3"],
                detail_type=["Object Created"],
                detail={
                    "bucket": {"name": [storage.bucket.bucket_name]},
                    "object": {"key": events.Match.wildcard(UPLOADED)},
                },
            ),
            targets=[targets.SqsQueue(self.queue, dead_letter_queue=undelivered)],
        )
        lambda_.CfnEventSourceMapping(
            self,
            "Messages",
            event_source_arn=self.queue.queue_arn,
            function_name=self.function.resource.ref,
            batch_size=1,
            function_response_types=["ReportBatchItemFailures"],
            scaling_config=lambda_.CfnEventSourceMapping.ScalingConfigProperty(maximum_concurrency=_AT_ONCE),
        )
