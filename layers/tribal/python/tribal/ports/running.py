"""Running: time, leases, progress and workers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

if TYPE_CHECKING:
    from tribal.ports.application import Application
    from tribal.ports.describing import Describer
    from tribal.ports.options import Options
    from tribal.ports.stopping import StopToken
    from tribal.ports.storing import ObjectStore

Item = TypeVar("Item")
Result = TypeVar("Result")


class Clock(Protocol):
    """Two times: the one that is published and may stand still, and the real one."""

    def published(self) -> str:
        """ISO 8601 in UTC: `SOURCE_DATE_EPOCH` where that is set, else the present."""
        ...

    def real(self) -> datetime:
        """The present in UTC, for leases, deadlines and run ids."""
        ...

    def elapsed_ms(self, since: datetime) -> int:
        """Milliseconds since a real time; 0 where the published clock stands still."""
        ...

    @property
    def stands_still(self) -> bool:
        """Whether `SOURCE_DATE_EPOCH` is set."""
        ...


class Lease(Protocol):
    """The right to write, held by one run at a time."""

    @property
    def run_id(self) -> str:
        """The run that holds it."""
        ...

    def check(self) -> None:
        """Make sure that the lease is still ours, before anything is published.

        Raises:
            LeaseLost: when another run has taken it over.
        """
        ...


class ProcessLock(Protocol):
    """A lock that the operating system frees when its holder dies, however it dies."""

    def try_acquire(self) -> bool:
        """Take the lock without waiting; false while anybody else holds it.

        Raises:
            StoreUnwritable: when the lock cannot be kept where it should be.
        """
        ...

    def release(self) -> None:
        """Give the lock back; does nothing when it is not held."""
        ...


ItemOutcome = Literal["documented", "unchanged", "failed", "indexed", "skipped"]


class ProgressSink(Protocol):
    """Is told how far a run has come. Called from many threads."""

    def begin(self, stage: str, total: int) -> None:
        """A stage starts with `total` items to do."""
        ...

    def advance(self, stage: str, item: str, outcome: ItemOutcome) -> None:
        """One item of a stage is done."""
        ...

    def end(self, stage: str, summary: str) -> None:
        """A stage is done."""
        ...

    def note(self, message: str) -> None:
        """Something that a person should know."""
        ...


class WorkerPool(Protocol):
    """Does many things at once."""

    def run(
        self, function: Callable[[Item], Result], items: Iterable[Item], at_once: int
    ) -> Iterator[tuple[Item, Result]]:
        """Yield each item with its result as it is done, at most `at_once` at a time.

        Items are taken one by one, so that an endless iterable needs no memory. An error of `function` is raised here,
        after the calls under way have ended; so is the cause of a stop once somebody asked for one.
        """
        ...


@dataclass(frozen=True, slots=True)
class RunContext:
    """What every stage of one run shares."""

    run_id: str
    app: Application
    lease: Lease
    stop: StopToken
    pool: WorkerPool
    sink: ProgressSink

    @property
    def store(self) -> ObjectStore:
        """Where the run reads and writes."""
        return self.app.store()

    @property
    def clock(self) -> Clock:
        """The time."""
        return self.app.clock

    @property
    def describer(self) -> Describer:
        """What puts tables and domains into words."""
        return self.app.describer()

    @property
    def options(self) -> Options:
        """What settings and request decided."""
        return self.app.options()
