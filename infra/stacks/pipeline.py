"""The documentation run: its functions by network group, its state machine, its schedule."""

from __future__ import annotations

import json

from aws_cdk import ArnFormat, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.environment import Environment
from infra.model import variable_of
from infra.networks import Network
from infra.stacks import permissions
from infra.stacks.functions import Function, Layers, NetworkPlace
from infra.stacks.looping import States
from infra.stacks.permissions import allow
from infra.stacks.run_definition import RunFunctions, run_definition, start_definition
from infra.stacks.schedules import SLOT, schedule
from infra.stacks.state_machines import state_machine, state_machine_arn
from infra.stacks.storage import Storage

_MADE_BY_RUNS = (permissions.CATALOG, permissions.PROGRESS, permissions.DOCUMENTS)


class Pipeline(Construct):
    """Planner and documenter of every network group, the finisher, and the state machines that call them."""

    def __init__(
        self,
        scope: Construct,
        name: str,
        *,
        environment: Environment,
        storage: Storage,
        layers: Layers,
        places: dict[str, NetworkPlace],
        variables: dict[str, str],
        undelivered: sqs.Queue,
    ) -> None:
        super().__init__(scope, name)
        self._environment = environment
        self._bucket = storage.bucket.bucket_arn
        self._layers = layers
        model = environment.active_model
        self._variables = variables | ({"TRIBAL_MODEL": variable_of(model)} if model else {})
        self._prose = (permissions.PROSE,) if model else ()
        self._asking = permissions.ask_model(Stack.of(self), model) if model else []
        self.planners = {group: self._planner(group, place) for group, place in places.items()}
        self.documenters = {group: self._documenter(group, place) for group, place in places.items()}
        self.finisher = self._finisher()
        self.run = state_machine(self, "Run", environment, "run", self._definition(storage), self._run_role())
        starting = start_definition(self.run.attr_arn)
        self.start = state_machine(self, "Start", environment, "start", starting, self._start_role())
        schedule(
            self,
            "Daily",
            when=environment.schedule,
            environment=environment,
            target_arn=self.start.attr_arn,
            action="states:StartExecution",
            message=json.dumps({"slot": SLOT}),
            undelivered=undelivered,
        )

    @property
    def functions(self) -> list[Function]:
        """The functions of the run."""
        return [*self.planners.values(), *self.documenters.values(), self.finisher]

    def _planner(self, group: str, place: NetworkPlace) -> Function:
        # It quotes what describing would cost, from the prose that is kept, and asks no model.
        statements = [
            *permissions.read_objects(self._bucket, *permissions.CONFIGURATION, *_MADE_BY_RUNS, *self._prose),
            permissions.write_objects(self._bucket, permissions.CATALOG, permissions.PROGRESS),
            *permissions.reach_databases(Stack.of(self), place.network),
        ]
        return self._of_network("planner", group, place, statements)

    def _documenter(self, group: str, place: NetworkPlace) -> Function:
        statements = [
            *permissions.read_objects(self._bucket, *permissions.CONFIGURATION, *_MADE_BY_RUNS, *self._prose),
            permissions.write_objects(self._bucket, permissions.DOCUMENTS, permissions.PROGRESS, *self._prose),
            *permissions.reach_databases(Stack.of(self), place.network),
            *self._asking,
        ]
        return self._of_network("documenter", group, place, statements)

    def _of_network(
        self, package: str, group: str, place: NetworkPlace, statements: list[iam.PolicyStatement]
    ) -> Function:
        return Function(
            self,
            f"{package.title()}-{group}",
            name=package,
            suffix=group,
            environment=self._environment,
            layers=self._layers,
            place=place,
            statements=statements,
            variables=self._environment.configuration_variables | self._variables | _of(place.network),
        )

    def _finisher(self) -> Function:
        # The configuration has metrics and terms, and says which databases are kept from a model.
        read = (*permissions.CONFIGURATION, permissions.QUERIES, *_MADE_BY_RUNS, *self._prose)
        statements = [
            *permissions.read_objects(self._bucket, *read),
            permissions.write_objects(self._bucket, permissions.DOCUMENTS, permissions.PROGRESS, *self._prose),
            permissions.delete_objects(self._bucket, permissions.DOCUMENTS, "progress/work_units/*"),
            *self._asking,
        ]
        return Function(
            self,
            "Finisher",
            name="finisher",
            environment=self._environment,
            layers=self._layers,
            statements=statements,
            variables=self._environment.configuration_variables | self._variables,
        )

    def _definition(self, storage: Storage) -> States:
        sizes = self._environment.functions
        functions = RunFunctions(
            planners={group: function.arn for group, function in self.planners.items()},
            documenters={group: function.arn for group, function in self.documenters.items()},
            finisher=self.finisher.arn,
            timeouts={name: getattr(sizes, name).timeout_seconds for name in ("planner", "documenter", "finisher")},
        )
        return run_definition(
            functions,
            bucket=storage.bucket.bucket_name,
            databases_at_once=self._environment.concurrency.databases,
        )

    def _run_role(self) -> list[iam.PolicyStatement]:
        stack, name = Stack.of(self), f"{self._environment.prefix}-run"
        machine = state_machine_arn(self, self._environment, "run")
        # The children of a distributed map are executions of the same state machine, with their own names.
        children = stack.format_arn(
            service="states", resource="execution", resource_name=f"{name}/*", arn_format=ArnFormat.COLON_RESOURCE_NAME
        )
        return [
            allow("CallFunctions", ["lambda:InvokeFunction"], *(function.arn for function in self.functions)),
            allow("ReadWaves", ["s3:GetObject"], f"{self._bucket}/progress/runs/*/waves/*"),
            allow("StartChildren", ["states:StartExecution"], machine),
            allow(
                "FollowChildren",
                ["states:DescribeExecution", "states:RedriveExecution", "states:StopExecution"],
                children,
            ),
        ]

    def _start_role(self) -> list[iam.PolicyStatement]:
        return [allow("StartRun", ["states:StartExecution"], self.run.attr_arn)]


def _of(network: Network) -> dict[str, str]:
    return {"TRIBAL_NETWORK_ROLE": network.role_arn} if network.role_arn else {}
