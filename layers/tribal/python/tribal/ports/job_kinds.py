"""Kinds of jobs, for whatever works on jobs of any kind: a process next to a server, or a function with a queue."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from tribal.ports.application import Application
    from tribal.ports.stopping import StopToken
    from tribal_contracts import Contract

Task = TypeVar("Task", bound="Contract", contravariant=True)


@dataclass(frozen=True, slots=True)
class Worked:
    """How far a job got."""

    status: str
    """Of its record."""
    again_in_seconds: int | None = None
    """When to work on it again; `None` once it has ended."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A job that has not ended and that no process works on."""

    task: Contract
    has_died: bool = False
    """Whether the last process that worked on it died; it comes after all others."""


class JobKind(Protocol[Task]):
    """A kind of job, each of which is named by a task: what messages carry and logs show."""

    @property
    def name(self) -> str:
        """Its name in logs."""
        ...

    def waiting(self, app: Application, ended: set[Contract]) -> Iterable[Waiting]:
        """The jobs that wait, oldest first; what cannot be read is left out.

        Args:
            app: the application.
            ended: jobs that have ended, which are not read again; more are added.
        """
        ...

    def work(self, app: Application, task: Task, stop: StopToken) -> Worked:
        """Work on a job until it ends, a stop is requested, or too little time is left; raises what may pass."""
        ...

    def end_as_failed(self, app: Application, task: Task, error: BaseException) -> Worked:
        """End a job that could be resumed, with an error that no one may be there to see."""
        ...

    def leases(self, app: Application) -> Iterable[str]:
        """The names of the leases that a process holds while it works on jobs."""
        ...

    def launched_by(self, app: Application, wake: Callable[[], None]) -> Application:
        """The application that calls `wake` for a new job; itself if it can have no jobs."""
        ...
