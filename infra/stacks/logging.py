"""Log groups: created by the stack, with the environment's retention, and deleted with the stack."""

from __future__ import annotations

from aws_cdk import ArnFormat, RemovalPolicy, Stack
from aws_cdk import aws_logs as logs
from constructs import Construct

from infra.environment import Environment


def log_group(scope: Construct, name: str, log_group_name: str, environment: Environment) -> logs.CfnLogGroup:
    """A log group."""
    group = logs.CfnLogGroup(scope, name, log_group_name=log_group_name, retention_in_days=environment.log_days)
    group.apply_removal_policy(RemovalPolicy.DESTROY)
    return group


def log_group_arn(scope: Construct, log_group_name: str) -> str:
    """The ARN of a log group, without the `:*` for its streams."""
    return Stack.of(scope).format_arn(
        service="logs",
        resource="log-group",
        resource_name=log_group_name,
        arn_format=ArnFormat.COLON_RESOURCE_NAME,
    )
