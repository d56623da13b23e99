"""From the manifest in the bucket to the index: event, queue, indexer."""

from __future__ import annotations

import json

from aws_cdk import Duration
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.environment import Environment
from infra.stacks import permissions
from infra.stacks.functions import Function, Layers, NetworkPlace
from infra.stacks.queues import dead_letters
from infra.stacks.schedules import schedule
from infra.stacks.storage import Storage

MANIFEST_KEY = "docs/documentation-manifest.json"
RECONCILE = json.dumps({"kind": "reconcile"})
"""The message with which the schedule asks the indexer to compare manifest and index."""
_BATCH = 10
_TIMEOUTS_OF_THE_FUNCTION = 6
_ATTEMPTS = 5
# With a single concurrent indexer, a throttled message returns to the queue, which counts as an attempt.
_ATTEMPTS_ALONE = 50


class Indexing(Construct):
    """The queue and the indexer that consumes it."""

    def __init__(
        self,
        scope: Construct,
        name: str,
        *,
        environment: Environment,
        storage: Storage,
        layers: Layers,
        place: NetworkPlace | None,
        statements: list[iam.PolicyStatement],
        variables: dict[str, str],
    ) -> None:
        super().__init__(scope, name)
        alone = environment.index == "sqlite"
        self._files = (permissions.INDEX_FILES,) if alone else ()
        # An indexer with nothing to do reports the last result again.
        self._read = (*self._files, permissions.INDEXER_PROGRESS) if alone else ()
        self.dead = dead_letters(self, "DeadLetters", f"{environment.prefix}-indexer-dead")
        self.undelivered = dead_letters(self, "Undelivered", f"{environment.prefix}-undelivered")
        self.queue = sqs.Queue(
            self,
            "Queue",
            queue_name=f"{environment.prefix}-indexer",
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=True,
            visibility_timeout=Duration.seconds(
                environment.functions.indexer.timeout_seconds * _TIMEOUTS_OF_THE_FUNCTION
            ),
            retention_period=Duration.days(4),
            dead_letter_queue=sqs.DeadLetterQueue(
                queue=self.dead, max_receive_count=_ATTEMPTS_ALONE if alone else _ATTEMPTS
            ),
        )
        self.function = Function(
            self,
            "Indexer",
            package="indexer",
            environment=environment,
            layers=layers,
            place=place,
            statements=[*statements, *self._own_statements(storage)],
            variables=variables | {"TRIBAL_QUEUE_URL": self.queue.queue_url},
            reserved=1 if alone else None,
        )
        self._feed(environment, storage)
        lambda_.CfnEventSourceMapping(
            self,
            "Messages",
            event_source_arn=self.queue.queue_arn,
            function_name=self.function.resource.ref,
            batch_size=_BATCH,
            function_response_types=["ReportBatchItemFailures"],
            scaling_config=lambda_.CfnEventSourceMapping.ScalingConfigProperty(
                maximum_concurrency=2 if alone else environment.concurrency.indexers
            ),
        )

    def _own_statements(self, storage: Storage) -> list[iam.PolicyStatement]:
        bucket = storage.bucket.bucket_arn
        consume = ["sqs:ChangeMessageVisibility", "sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"]
        removing = [permissions.delete_objects(bucket, *self._files)] if self._files else []
        return [
            *permissions.read_objects(bucket, permissions.DOCUMENTS, *self._read),
            permissions.write_objects(bucket, permissions.INDEXER_PROGRESS, *self._files),
            *removing,
            permissions.allow("TakeMessages", consume, self.queue.queue_arn),
            permissions.allow("FanOut", ["sqs:SendMessage"], self.queue.queue_arn),
        ]

    def _feed(self, environment: Environment, storage: Storage) -> None:
        events.Rule(
            self,
            "ManifestWritten",
            rule_name=f"{environment.prefix}-manifest-written",
            event_pattern=events.EventPattern(
                source=["aws.s3"],
                detail_type=["Object Created"],
                detail={"bucket": {"name": [storage.bucket.bucket_name]}, "object": {"key": [MANIFEST_KEY]}},
            ),
            targets=[targets.SqsQueue(self.queue, dead_letter_queue=self.undelivered)],
        )
        schedule(
            self,
            "Reconcile",
            when=environment.reconcile,
            environment=environment,
            target_arn=self.queue.queue_arn,
            action="sqs:SendMessage",
            message=RECONCILE,
            undelivered=self.undelivered,
        )
