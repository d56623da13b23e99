"""Running: time, leases, progress, workers, messages between them, and kinds of jobs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

if TYPE_CHECKING:
    from tribal.ports.application import Application
    from tribal.ports.stopping import StopToken
    from tribal_contracts import Contract

Item = TypeVar("Item")
Result = TypeVar("Result")
Task = TypeVar("Task", bound="Contract", contravariant=True)


class Clock(Protocol):
    """Two times: the published one, which may be fixed, and the current one."""

    def published(self) -> str:
        """ISO 8601 in UTC: `SOURCE_DATE_EPOCH` if set, else the current time."""
        ...

    def real(self) -> datetime:
        """The current time in UTC, for leases, deadlines and run ids."""
        ...

    def elapsed_ms(self, since: datetime) -> int:
        """Milliseconds since a real time; 0 while the published time is fixed."""
        ...

    @property
    def is_fixed(self) -> bool:
        """Whether `SOURCE_DATE_EPOCH` is set."""
        ...


class Lease(Protocol):
    """The right to write, held by one run at a time."""

    @property
    def run_id(self) -> str:
        """The run that holds the lease."""
        ...

    def check(self) -> None:
        """Make sure that the lease is still held; call it before publishing.

        Raises:
            LeaseLost: when another run has taken over the lease.
        """
        ...


class ProcessLock(Protocol):
    """A lock that the operating system frees when its holder dies, however that happens."""

    def try_acquire(self) -> bool:
        """Take the lock without waiting; `False` when another holder has it.

        Raises:
            StoreUnwritable: when the lock file cannot be created.
        """
        ...

    def release(self) -> None:
        """Release the lock; does nothing when it is not held."""
        ...


ItemOutcome = Literal["documented", "unchanged", "failed", "indexed", "skipped"]


class ProgressSink(Protocol):
    """Receives the progress of a run. Called from many threads."""

    def begin(self, stage: str, total: int) -> None:
        """A stage begins, with `total` items to process."""
        ...

    def advance(self, stage: str, item: str, outcome: ItemOutcome) -> None:
        """One item of a stage is done."""
        ...

    def end(self, stage: str, summary: str) -> None:
        """A stage is done."""
        ...

    def note(self, message: str) -> None:
        """A message for the user."""
        ...


class WorkerPool(Protocol):
    """Runs a function on many items concurrently."""

    def run(
        self, function: Callable[[Item], Result], items: Iterable[Item], at_once: int, *, ignore_stop: bool = False
    ) -> Iterator[tuple[Item, Result]]:
        """Yield each item with its result as it completes, running at most `at_once` at a time.

        Items are consumed lazily, so the iterable may be infinite. An error in `function`, or the cause of a requested
        stop, is raised here after the calls in progress have ended; with `ignore_stop`, stop requests are ignored.
        """
        ...


class MessageQueue(Protocol):
    """Delivers each message at least once, in any order."""

    def send(self, bodies: Sequence[str], delay_seconds: int = 0) -> None:
        """Send messages, to be delivered after a delay.

        Raises:
            RuntimeError: when the queue refused a message; send the whole batch again.
        """
        ...


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

    def work(self, app: Application, task: Task, stop: StopToken, error: BaseException | None = None) -> Worked:
        """Work on a job until it ends, a stop is requested, or too little time is left; raises what may pass.

        Args:
            app: the application.
            task: names the job.
            stop: hands it back.
            error: ends it as failed, although it could be resumed, because no one may be there to see the error.
        """
        ...

    def leases(self, app: Application) -> Iterable[str]:
        """The names of the leases that a process holds while it works on jobs."""
        ...

    def launched_by(self, app: Application, wake: Callable[[], None]) -> Application | None:
        """The application that calls `wake` for a new job; `None` if it can have no jobs."""
        ...
