"""The documentation run: its functions by network group, its state machine, its schedule."""

from __future__ import annotations

import json

from aws_cdk import ArnFormat, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sqs as sqs
from aws_cdk import aws_stepfunctions as stepfunctions
from constructs import Construct

from infra.environment import Environment, Network
from infra.model import variable_of
from infra.stacks import permissions
from infra.stacks.functions import Function, Layers, NetworkPlace
from infra.stacks.logging import log_group, log_group_arn
from infra.stacks.permissions import allow, trusting
from infra.stacks.run_definition import RunFunctions, States, run_definition, start_definition
from infra.stacks.schedules import SLOT, schedule
from infra.stacks.storage import Storage

_DELIVER_LOGS = [
    "logs:CreateLogDelivery",
    "logs:DeleteLogDelivery",
    "logs:DescribeLogGroups",
    "logs:DescribeResourcePolicies",
    "logs:GetLogDelivery",
    "logs:ListLogDeliveries",
    "logs:PutResourcePolicy",
    "logs:UpdateLogDelivery",
]
_MADE_BY_RUNS = (permissions.CATALOG, permissions.PROGRESS, permissions.DOCUMENTS)
_TRACE = ["xray:GetSamplingRules", "xray:GetSamplingTargets", "xray:PutTelemetryRecords", "xray:PutTraceSegments"]


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
        self.run = self._state_machine("Run", f"{environment.prefix}-run", self._definition(storage), self._run_role())
        self.start = self._state_machine(
            "Start", f"{environment.prefix}-start", start_definition(self.run.attr_arn), self._start_role()
        )
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
            variables=_given(self._environment) | self._variables | _of(place.network),
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
            variables=_given(self._environment) | self._variables,
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

    def _state_machine(
        self, name: str, machine_name: str, definition: States, statements: list[iam.PolicyStatement]
    ) -> stepfunctions.CfnStateMachine:
        # With the prefix that Step Functions expects, all its log groups share one resource policy.
        group_name = f"/aws/vendedlogs/states/{machine_name}"
        group = log_group(self, f"{name}Logs", group_name, self._environment)
        role = iam.Role(
            self,
            f"{name}Role",
            assumed_by=trusting("states"),
            inline_policies={
                "does": iam.PolicyDocument(
                    statements=[*statements, allow("DeliverLogs", _DELIVER_LOGS, "*"), allow("SendTraces", _TRACE, "*")]
                )
            },
        )
        machine = stepfunctions.CfnStateMachine(
            self,
            name,
            state_machine_name=machine_name,
            state_machine_type="STANDARD",
            role_arn=role.role_arn,
            # The stack's own JSON conversion drops nulls, and `ResultPath: null` means to keep the input.
            definition_string=json.dumps(definition),
            tracing_configuration=stepfunctions.CfnStateMachine.TracingConfigurationProperty(enabled=True),
            logging_configuration=stepfunctions.CfnStateMachine.LoggingConfigurationProperty(
                level="ALL",
                # States pass only names and keys, but errors of functions may quote more.
                include_execution_data=False,
                destinations=[
                    stepfunctions.CfnStateMachine.LogDestinationProperty(
                        cloud_watch_logs_log_group=stepfunctions.CfnStateMachine.CloudWatchLogsLogGroupProperty(
                            log_group_arn=f"{log_group_arn(self, group_name)}:*"
                        )
                    )
                ],
            ),
        )
        machine.node.add_dependency(group)
        return machine

    def _run_role(self) -> list[iam.PolicyStatement]:
        stack, name = Stack.of(self), f"{self._environment.prefix}-run"
        machine = stack.format_arn(
            service="states", resource="stateMachine", resource_name=name, arn_format=ArnFormat.COLON_RESOURCE_NAME
        )
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


def _given(environment: Environment) -> dict[str, str]:
    """The variables that the configuration in the bucket may use, and the list of their names."""
    names = ",".join(sorted(environment.variables))
    return environment.variables | ({"TRIBAL_CONFIG_VARIABLES": names} if names else {})


def _of(network: Network) -> dict[str, str]:
    return {"TRIBAL_NETWORK_ROLE": network.role_arn} if network.role_arn else {}
