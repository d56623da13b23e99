"""A deployed environment, seen from outside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Execution:
    """One execution of the state machine that performs runs."""

    arn: str
    started_at: datetime
    status: str
    """A Step Functions status: RUNNING, SUCCEEDED, FAILED, TIMED_OUT, ABORTED or PENDING_REDRIVE."""

    @property
    def name(self) -> str:
        """Its name in the console."""
        return self.arn.rpartition(":")[2]


class DeployedRuns(Protocol):
    """Starts and monitors the documentation runs of an environment.

    Raises, from every method: `DeploymentRefused`, `DeploymentUnreachable`.
    """

    @property
    def arn(self) -> str:
        """ARN of the state machine that performs the runs."""
        ...

    def start(self, name: str, content: bytes) -> Execution:
        """Start an execution with this JSON as its input; idempotent for the same name and input."""
        ...

    def recent(self) -> Iterator[Execution]:
        """Recent executions, newest first."""
        ...

    def status(self, execution: str) -> str:
        """The current status of an execution."""
        ...

    def failure(self, execution: str) -> tuple[str, str]:
        """Name and message of the last error that a failed execution reported."""
        ...


class DeployedTools(Protocol):
    """Calls the tools of an environment.

    Raises, from every method: `DeploymentRefused`, `DeploymentUnreachable`.
    """

    def call(self, tool: str, arguments: Mapping[str, Any]) -> bytes:
        """The answer of a tool, as JSON."""
        ...

    def health(self) -> dict[str, Any]:
        """The API's report on its index."""
        ...


class DeployedEnvironment(Protocol):
    """One deployed environment; each part is looked up on first use."""

    def runs(self) -> DeployedRuns:
        """The runs of the environment."""
        ...

    def tools(self) -> DeployedTools:
        """The tools of the environment."""
        ...
