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
LOOK = json.dumps({"kind": "manifest"})
"""The message with which the schedule has the indexer look at the manifest, in case its event was lost."""
_INDEXERS = 2
"""The fewest that a mapping allows; one works, the other sends messages back that came meanwhile."""
_BEYOND_TIMEOUT_SECONDS = 60
"""A message whose call died comes back so long after that call must have ended, when its lease has ended too."""
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
        self._own = (permissions.INDEXER_PROGRESS, permissions.INDEXER_LEASE, *self._files)
        self.dead = dead_letters(self, "DeadLetters", f"{environment.prefix}-indexer-dead")
        self.undelivered = dead_letters(self, "Undelivered", f"{environment.prefix}-undelivered")
        self.queue = sqs.Queue(
            self,
            "Queue",
            queue_name=f"{environment.prefix}-indexer",
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=True,
            visibility_timeout=Duration.seconds(
                environment.functions.indexer.timeout_seconds + _BEYOND_TIMEOUT_SECONDS
            ),
            retention_period=Duration.days(4),
            dead_letter_queue=sqs.DeadLetterQueue(
                queue=self.dead, max_receive_count=_ATTEMPTS_ALONE if alone else _ATTEMPTS
            ),
        )
        self.function = Function(
            self,
            "Indexer",
            name="indexer",
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
            batch_size=1,
            function_response_types=["ReportBatchItemFailures"],
            scaling_config=lambda_.CfnEventSourceMapping.ScalingConfigProperty(maximum_concurrency=_INDEXERS),
        )

    def _own_statements(self, storage: Storage) -> list[iam.PolicyStatement]:
        bucket = storage.bucket.bucket_arn
        consume = ["sqs:ChangeMessageVisibility", "sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"]
        removing = [permissions.delete_objects(bucket, *self._files)] if self._files else []
        return [
            *permissions.read_objects(bucket, permissions.DOCUMENTS, *self._own),
            permissions.write_objects(bucket, *self._own),
            *removing,
            permissions.allow("TakeMessages", consume, self.queue.queue_arn),
            permissions.allow("CarryOn", ["sqs:SendMessage"], self.queue.queue_arn),
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
            message=LOOK,
            undelivered=self.undelivered,
        )
