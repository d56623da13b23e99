"""Functions of capabilities that take messages from a queue of their own."""

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
from tribal.ports.capability import FunctionSpec

_BEYOND_TIMEOUT_SECONDS = 60
"""As for the indexer: a message whose call died comes back when that call and its lease have ended."""
_ATTEMPTS = 5


class JobQueue(Construct):
    """The queue of a function, and the function that consumes it."""

    def __init__(
        self,
        scope: Construct,
        name: str,
        *,
        spec: FunctionSpec,
        environment: Environment,
        storage: Storage,
        layers: Layers,
        place: NetworkPlace | None,
        undelivered: sqs.Queue,
        variables: dict[str, str],
    ) -> None:
        super().__init__(scope, name)
        assert spec.queue is not None
        self.dead = dead_letters(self, "DeadLetters", f"{environment.prefix}-{spec.name}-dead")
        timeout = environment.timeout_of(spec.name)
        self.queue = sqs.Queue(
            self,
            "Queue",
            queue_name=f"{environment.prefix}-{spec.name}",
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=True,
            visibility_timeout=Duration.seconds(timeout + _BEYOND_TIMEOUT_SECONDS),
            retention_period=Duration.days(4),
            dead_letter_queue=sqs.DeadLetterQueue(queue=self.dead, max_receive_count=_ATTEMPTS),
        )
        consume = ["sqs:ChangeMessageVisibility", "sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"]
        self.function = Function(
            self,
            "Consumer",
            name=spec.name,
            environment=environment,
            layers=layers,
            place=place,
            statements=[
                *rights_of(Stack.of(self), environment, storage.bucket.bucket_arn, spec.name),
                allow("TakeMessages", consume, self.queue.queue_arn),
                allow("CarryOn", ["sqs:SendMessage"], self.queue.queue_arn),
            ],
            variables=variables
            | environment.own_section(spec.name).variables
            | model_variables(environment, spec.name)
            | {"TRIBAL_QUEUE_URL": self.queue.queue_url},
        )
        if spec.queue.created is not None:
            events.Rule(
                self,
                "Created",
                rule_name=f"{environment.prefix}-{spec.name}",
                event_pattern=events.EventPattern(
                    source=["aws.s3"],
                    detail_type=["Object Created"],
                    detail={
                        "bucket": {"name": [storage.bucket.bucket_name]},
                        "object": {"key": events.Match.wildcard(spec.queue.created)},
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
            scaling_config=lambda_.CfnEventSourceMapping.ScalingConfigProperty(maximum_concurrency=spec.queue.at_once),
        )
