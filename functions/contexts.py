"""The context of a Lambda invocation and its deadline."""

from __future__ import annotations

import time
from functools import partial
from typing import Protocol

from tribal.ports.stopping import StopToken

MARGIN_SECONDS = 5.0
"""Reserved for returning the response once work stops."""


class LambdaContext(Protocol):
    """The part of the Lambda context that the functions use."""

    @property
    def invoked_function_arn(self) -> str:
        """ARN of the invoked function, with its version or alias if it was called by one."""
        ...

    @property
    def aws_request_id(self) -> str:
        """Id of this invocation, as its log names it."""
        ...

    def get_remaining_time_in_millis(self) -> int:
        """Milliseconds until the runtime ends the invocation."""
        ...


def remaining_seconds(context: LambdaContext) -> float:
    """Remaining seconds of an invocation, less the margin for the response."""
    return max(0.0, context.get_remaining_time_in_millis() / 1000 - MARGIN_SECONDS)


def stop_token(context: LambdaContext, seconds: float | None = None) -> StopToken:
    """A token for the work of an invocation, which ends at its deadline.

    Args:
        context: of the invocation.
        seconds: that the work may take from now, if less.
    """
    if seconds is None:
        return StopToken(partial(remaining_seconds, context))
    ends = time.monotonic() + seconds
    return StopToken(lambda: min(remaining_seconds(context), ends - time.monotonic()))
