"""The tools of a deployed environment, for a function that has no data of its own."""

from __future__ import annotations

from tribal.app.parts import system_clock
from tribal.tools.remote import RemoteTools


def tools_of_function(function: str, region: str) -> RemoteTools:
    """Calls of tools through the function that has the index."""
    from tribal.adapters.aws.clients import aws_client
    from tribal.adapters.aws.function import LambdaFunction

    # One attempt: the client that waits asks again by itself, and API Gateway waits no longer than one takes.
    return RemoteTools(LambdaFunction(aws_client("lambda", region=region, attempts=1), function), system_clock())
