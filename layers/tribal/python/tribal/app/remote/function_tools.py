"""The tools of a deployed environment, for a function without data access."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tribal.app.parts import system_clock
from tribal.tools.registry import REGISTRY, Registry
from tribal.tools.remote import RemoteTools

if TYPE_CHECKING:
    from tribal.tools.remote import Send


def tools_of_functions(
    function: str, region: str, tools: Registry = REGISTRY, others: Mapping[str, str] | None = None
) -> RemoteTools:
    """Calls tools through the functions that implement them.

    Args:
        function: ARN of the function with the index.
        region: region of the functions.
        tools: the tools that may be called.
        others: ARNs of the functions for other tools, by tool name.
    """
    from tribal.adapters.aws.clients import aws_client
    from tribal.adapters.aws.function import LambdaFunction

    # One attempt: clients retry themselves, and API Gateway does not wait longer than one attempt.
    client = aws_client("lambda", region=region, attempts=1)
    functions = {arn: LambdaFunction(client, arn) for arn in (others or {}).values()}
    sends: dict[str, Send] = {name: functions[arn] for name, arn in (others or {}).items()}
    return RemoteTools(LambdaFunction(client, function), system_clock(), tools, sends)
