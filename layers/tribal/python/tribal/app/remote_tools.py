"""The tools of a deployed environment, for a function that has no data of its own."""

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
    """Calls of tools through the functions that have them.

    Args:
        function: the ARN of the one that has the index.
        region: where they are.
        tools: the tools that may be called.
        others: the ARNs of those that have tools of their own, by the tool's name.
    """
    from tribal.adapters.aws.clients import aws_client
    from tribal.adapters.aws.function import LambdaFunction

    # One attempt: the client that waits asks again by itself, and API Gateway waits no longer than one takes.
    client = aws_client("lambda", region=region, attempts=1)
    functions = {arn: LambdaFunction(client, arn) for arn in (others or {}).values()}
    sends: dict[str, Send] = {name: functions[arn] for name, arn in (others or {}).items()}
    return RemoteTools(LambdaFunction(client, function), system_clock(), tools, sends)
