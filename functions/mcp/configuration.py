"""The configuration of the MCP function, from the environment variables that the stack sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from functions.offering import answered_by
from tribal.errors import ConfigurationError
from tribal.settings import read_environment


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
    missing = [name for name in ("TRIBAL_RETRIEVER", "AWS_REGION") if not values.get(name)]
    if missing:
        raise ConfigurationError(
            f"the environment variable {missing[0]} is not set; the stack sets it, so deploy again"
        )
    return McpDeployment(
        retriever=values["TRIBAL_RETRIEVER"],
        region=values["AWS_REGION"],
        others={name: arn for name in answered_by() if (arn := values.get(f"TRIBAL_{name.upper()}_FUNCTION"))},
        issuer=values.get("TRIBAL_TOKEN_ISSUER") or None,
    )
