"""A call of a Lambda function: how much time is left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

DATABASES = "tribal_databases"
"""Key by which the authorizer tells what a caller may see: names of databases with commas between; absent for all."""
MARGIN_SECONDS = 5.0
"""What the runtime needs to answer after the last work."""


class LambdaContext(Protocol):
    """The part of a Lambda context that we use."""

    @property
    def invoked_function_arn(self) -> str:
        """The function."""
        ...

    def get_remaining_time_in_millis(self) -> int:
        """Until the runtime ends the process."""
        ...


@dataclass(frozen=True, slots=True)
class LambdaDeadline:
    """The moment at which Lambda ends the call."""

    context: LambdaContext

    def remaining_seconds(self) -> float:
        """Seconds that are left to work in."""
        return max(0.0, self.context.get_remaining_time_in_millis() / 1000 - MARGIN_SECONDS)
