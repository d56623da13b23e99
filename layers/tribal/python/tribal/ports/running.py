"""Running: time, leases, progress, workers and messages between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

if TYPE_CHECKING:
    from tribal.ports.application import Application
    from tribal.ports.describing import Describers
    from tribal.ports.object_store import ObjectStore
    from tribal.ports.options import Options
    from tribal.ports.stopping import StopToken
    from tribal_contracts import ModelUsage

Item = TypeVar("Item")
Result = TypeVar("Result")


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


@dataclass(frozen=True)
class RunContext:
    """What the stages of one run share."""

    run_id: str
    app: Application
    lease: Lease
    stop: StopToken
    pool: WorkerPool
    sink: ProgressSink

    @property
    def store(self) -> ObjectStore:
        """The store that the run reads and writes."""
        return self.app.store()

    @property
    def clock(self) -> Clock:
        """The application's clock."""
        return self.app.clock

    @cached_property
    def describers(self) -> Describers:
        """The describers of the run."""
        return self.app.run.describers(self.run_id, self.stop)

    @property
    def options(self) -> Options:
        """The options of the run."""
        return self.app.options()

    @property
    def usage(self) -> ModelUsage | None:
        """Usage of models so far in this process; `None` if none was called."""
        used = self.describers.usage if "describers" in self.__dict__ else None
        return used if used is not None and used.calls else None

    def close(self) -> None:
        """Close the describers, if any was used; the context cannot be used afterwards."""
        if "describers" in self.__dict__:
            self.describers.close()
