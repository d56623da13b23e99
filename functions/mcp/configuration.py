"""The configuration of the MCP function, from the environment variables that the stack sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from functions.offering import answered_by
from tribal.settings import read_environment
from tribal.settings.deployment import required_variable


@dataclass(frozen=True, slots=True)
class McpDeployment:
    """The resources that the function uses."""

    retriever: str
    """ARN of the function with the index."""
    region: str
    others: Mapping[str, str]
    """ARNs of the deployed functions for other tools, by function."""
    issuer: str | None
    """The issuer of tokens for the API; `None` if callers sign with IAM."""


def load_mcp_deployment() -> McpDeployment:
    """Read the environment.

    Raises:
        ConfigurationError: when a variable is missing.
    """
    values = read_environment()
    return McpDeployment(
        retriever=required_variable(values, "TRIBAL_RETRIEVER"),
        region=required_variable(values, "AWS_REGION"),
        others={name: arn for name in answered_by() if (arn := values.get(f"TRIBAL_{name.upper()}_FUNCTION"))},
        issuer=values.get("TRIBAL_TOKEN_ISSUER") or None,
    )
