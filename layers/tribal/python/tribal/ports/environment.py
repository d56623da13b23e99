"""A deployed environment, seen from outside."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
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


class DeployedApi(Protocol):
    """The API of an environment. Answers are JSON, and so are the errors that the environment reports itself.

    Raises, from every method: `ConfigurationError`, `DeploymentRefused`, `DeploymentUnreachable`.
    """

    def call(self, tool: str, arguments: Mapping[str, Any], *, repeats: bool) -> bytes:
        """The answer of a tool; the call may be sent again where it `repeats` without harm."""
        ...

    def health(self) -> dict[str, Any]:
        """The API's report on its index."""
        ...

    def send(self, method: str, path: str, content: Mapping[str, Any] | None = None) -> bytes:
        """The answer of a route."""
        ...

    def send_form(self, path: str, fields: Mapping[str, str], file: Path) -> bytes:
        """The answer of a route to a form with a file."""
        ...

    def store_file(self, address: str, fields: Mapping[str, str], file: Path) -> None:
        """Send a file to an address that the environment has made for it."""
        ...

    def events(self, path: str, content: Mapping[str, Any]) -> Generator[bytes, None, None]:
        """The data of each event of a streamed answer, or only the error that it fails with."""
        ...


class DeployedEnvironment(Protocol):
    """One deployed environment; each part is looked up on first use."""

    def runs(self) -> DeployedRuns:
        """The runs of the environment."""
        ...

    def api(self) -> DeployedApi:
        """The API of the environment."""
        ...
