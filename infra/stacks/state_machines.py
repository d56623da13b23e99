"""State machines, each with its own role and its own log group."""

from __future__ import annotations

import json

from aws_cdk import ArnFormat, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_stepfunctions as stepfunctions
from constructs import Construct

from infra.environment import Environment
from infra.stacks.logging import log_group, log_group_arn
from infra.stacks.looping import States
from infra.stacks.permissions import allow, trusting

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
_TRACE = ["xray:GetSamplingRules", "xray:GetSamplingTargets", "xray:PutTelemetryRecords", "xray:PutTraceSegments"]


def state_machine(
    scope: Construct,
    construct: str,
    environment: Environment,
    name: str,
    definition: States,
    statements: list[iam.PolicyStatement],
) -> stepfunctions.CfnStateMachine:
    """A state machine with a role and a log group of its own.

    Args:
        scope: the construct that it belongs to.
        construct: prefix of its constructs.
        environment: which it is part of.
        name: after the prefix of the environment.
        definition: its states.
        statements: what its role may do, besides writing logs and traces.
    """
    machine_name = f"{environment.prefix}-{name}"
    # With the prefix that Step Functions expects, all its log groups share one resource policy.
    group_name = f"/aws/vendedlogs/states/{machine_name}"
    group = log_group(scope, f"{construct}Logs", group_name, environment)
    role = iam.Role(
        scope,
        f"{construct}Role",
        assumed_by=trusting("states"),
        inline_policies={
            "does": iam.PolicyDocument(
                statements=[*statements, allow("DeliverLogs", _DELIVER_LOGS, "*"), allow("SendTraces", _TRACE, "*")]
            )
        },
    )
    machine = stepfunctions.CfnStateMachine(
        scope,
        construct,
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
                        log_group_arn=f"{log_group_arn(scope, group_name)}:*"
                    )
                )
            ],
        ),
    )
    machine.node.add_dependency(group)
    return machine


def state_machine_arn(scope: Construct, environment: Environment, name: str) -> str:
    """The ARN of a state machine by its name, for those that it refers to itself."""
    return Stack.of(scope).format_arn(
        service="states",
        resource="stateMachine",
        resource_name=f"{environment.prefix}-{name}",
        arn_format=ArnFormat.COLON_RESOURCE_NAME,
    )
