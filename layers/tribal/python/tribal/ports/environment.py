"""A deployed environment, as somebody sees it who looks into it from outside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Execution:
    """One execution of the state machine that carries out runs."""

    arn: str
    started_at: datetime
    status: str
    """As Step Functions has it: RUNNING, SUCCEEDED, FAILED, TIMED_OUT, ABORTED, PENDING_REDRIVE."""

    @property
    def name(self) -> str:
        """Its name in the console."""
        return self.arn.rpartition(":")[2]


class DeployedRuns(Protocol):
    """Starts documentation runs of an environment and looks after them.

    Raises, from every method: `DeploymentRefused`, `DeploymentUnreachable`.
    """

    @property
    def arn(self) -> str:
        """What carries out the runs."""
        ...

    def start(self, name: str, content: bytes) -> Execution:
        """Start an execution with this JSON as its input; the same name and input twice start one."""
        ...

    def recent(self) -> Iterator[Execution]:
        """The last executions, newest first."""
        ...

    def status(self, execution: str) -> str:
        """How an execution stands now."""
        ...

    def failure(self, execution: str) -> tuple[str, str]:
        """Name and message of the error that a failed execution reported last."""
        ...


class DeployedTools(Protocol):
    """Asks the tools of an environment.

    Raises, from every method: `DeploymentRefused`, `DeploymentUnreachable`.
    """

    def call(self, tool: str, arguments: Mapping[str, Any]) -> bytes:
        """The answer of a tool, as JSON."""
        ...

    def health(self) -> dict[str, Any]:
        """What the API says of its index."""
        ...


class DeployedEnvironment(Protocol):
    """One deployed environment; each part is looked up when it is first asked for."""

    def runs(self) -> DeployedRuns:
        """What carries out runs."""
        ...

    def tools(self) -> DeployedTools:
        """The tools."""
        ...
