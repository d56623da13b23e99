"""What the function for MCP is told by the environment variables that the stack sets."""

from __future__ import annotations

from dataclasses import dataclass

from tribal.errors import ConfigurationError
from tribal.settings import read_environment


@dataclass(frozen=True, slots=True)
class McpDeployment:
    """What it works with."""

    retriever: str
    """ARN of the function that has the index."""
    region: str
    memory: str | None
    """ARN of the function for memory, where the environment has that."""
    issuer: str | None
    """Who issues tokens for the API; `None` where callers sign for IAM."""


def load_mcp_deployment() -> McpDeployment:
    """Read the environment.

    Raises:
        ConfigurationError: when a variable is missing.
    """
    values = read_environment()
    missing = [name for name in ("TRIBAL_RETRIEVER", "AWS_REGION") if not values.get(name)]
    if missing:
        raise ConfigurationError(f"the environment variable {missing[0]} is not set; the stack sets it, so deploy anew")
    return McpDeployment(
        retriever=values["TRIBAL_RETRIEVER"],
        region=values["AWS_REGION"],
        memory=values.get("TRIBAL_MEMORY_FUNCTION") or None,
        issuer=values.get("TRIBAL_TOKEN_ISSUER") or None,
    )
