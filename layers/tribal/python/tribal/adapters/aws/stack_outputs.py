"""Reads the outputs of a CloudFormation stack."""

from __future__ import annotations

from typing import Any

from botocore.exceptions import ClientError

from tribal.adapters.aws.clients import error_code, translate_errors
from tribal.errors import ConfigurationError


def stack_outputs(client: Any, stack: str, hint: str) -> dict[str, str]:
    """The outputs of a stack, by name.

    Args:
        client: a boto3 client for CloudFormation.
        stack: name of the stack.
        hint: tells the user what to do when the stack does not exist.

    Raises:
        ConfigurationError: when the stack does not exist.
        DeploymentRefused: when the caller lacks permission.
        DeploymentUnreachable: when CloudFormation did not answer. Retryable.
    """
    with translate_errors(f"read the outputs of the stack {stack!r}", "cloudformation:DescribeStacks"):
        try:
            (found,) = client.describe_stacks(StackName=stack)["Stacks"]
        except ClientError as exc:
            if error_code(exc) != "ValidationError":
                raise
            raise ConfigurationError(f"there is no stack {stack!r} in {client.meta.region_name}; {hint}") from exc
    return {output["OutputKey"]: output["OutputValue"] for output in found.get("Outputs", ())}
