"""Running: time, leases, progress, workers and messages between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Literal, Protocol, TypeVar

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

    def add_text(self, stage: str, text: str) -> None:
        """A piece of a model's answer has arrived; must not wait."""
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
