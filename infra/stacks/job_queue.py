"""Functions of capabilities that take messages from a queue of their own."""

from __future__ import annotations

from aws_cdk import Stack
from aws_cdk import aws_events as events
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.environment import Environment
from infra.stacks.functions import Function, Layers, NetworkPlace
from infra.stacks.queues import consume, dead_letters, function_queue, rights_to_consume, send_created_objects
from infra.stacks.storage import Storage
from infra.stacks.tool_rights import model_variables, rights_of
from tribal.ports.capability import FunctionSpec


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
        self.queue = function_queue(
            self,
            f"{environment.prefix}-{spec.name}",
            timeout_seconds=environment.timeout_of(spec.name),
            dead=self.dead,
        )
        self.function = Function(
            self,
            "Consumer",
            name=spec.name,
            environment=environment,
            layers=layers,
            place=place,
            statements=[
                *rights_of(Stack.of(self), environment, storage.bucket.bucket_arn, spec.name),
                *rights_to_consume(self.queue),
            ],
            variables=variables
            | environment.own_section(spec.name).variables
            | model_variables(environment, spec.name)
            | {"TRIBAL_QUEUE_URL": self.queue.queue_url},
        )
        if spec.queue.created is not None:
            send_created_objects(
                self,
                "Created",
                rule_name=f"{environment.prefix}-{spec.name}",
                bucket_name=storage.bucket.bucket_name,
                key=events.Match.wildcard(spec.queue.created),
                queue=self.queue,
                undelivered=undelivered,
            )
        consume(self, self.queue, self.function, at_once=spec.queue.at_once)
