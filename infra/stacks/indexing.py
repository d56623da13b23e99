"""From the manifest in the bucket to the index: event, queue, indexer."""

from __future__ import annotations

import json

from aws_cdk import aws_iam as iam
from constructs import Construct

from infra.environment import Environment
from infra.stacks import permissions
from infra.stacks.functions import Function, Layers, NetworkPlace
from infra.stacks.queues import (
    ATTEMPTS,
    consume,
    dead_letters,
    function_queue,
    rights_to_consume,
    send_created_objects,
)
from infra.stacks.schedules import schedule
from infra.stacks.storage import Storage

MANIFEST_KEY = "docs/documentation-manifest.json"
LOOK = json.dumps({"kind": "manifest"})
"""The message with which the schedule has the indexer look at the manifest, in case its event was lost."""
_INDEXERS = 2
"""The fewest that a mapping allows; one works, the other sends messages back that came meanwhile."""
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
        self.queue = function_queue(
            self,
            f"{environment.prefix}-indexer",
            timeout_seconds=environment.functions.indexer.timeout_seconds,
            dead=self.dead,
            attempts=_ATTEMPTS_ALONE if alone else ATTEMPTS,
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
        consume(self, self.queue, self.function, at_once=_INDEXERS)

    def _own_statements(self, storage: Storage) -> list[iam.PolicyStatement]:
        bucket = storage.bucket.bucket_arn
        removing = [permissions.delete_objects(bucket, *self._files)] if self._files else []
        return [
            *permissions.read_objects(bucket, permissions.DOCUMENTS, *self._own),
            permissions.write_objects(bucket, *self._own),
            *removing,
            *rights_to_consume(self.queue),
        ]

    def _feed(self, environment: Environment, storage: Storage) -> None:
        send_created_objects(
            self,
            "ManifestWritten",
            rule_name=f"{environment.prefix}-manifest-written",
            bucket_name=storage.bucket.bucket_name,
            key=[MANIFEST_KEY],
            queue=self.queue,
            undelivered=self.undelivered,
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
