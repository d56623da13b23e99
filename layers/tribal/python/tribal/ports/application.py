"""All that a command, a function or a server works with. Built in `tribal.app` and nowhere else."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from tribal.ports.derived import Derived

if TYPE_CHECKING:
    from tribal.ports.describing import Describer, Secrets
    from tribal.ports.environment import DeployedEnvironment
    from tribal.ports.index_reader import Embedder, IndexReader
    from tribal.ports.index_writer import IndexWriter
    from tribal.ports.messaging import MessageQueue
    from tribal.ports.options import Options
    from tribal.ports.reading import CatalogReader
    from tribal.ports.running import Clock, ProcessLock
    from tribal.ports.storing import ObjectStore
    from tribal_contracts import DatabaseEntry

    OpenReader = Callable[[DatabaseEntry], CatalogReader]


Part = TypeVar("Part")


class Provider(Generic[Part]):
    """Makes a part when it is first asked for, and hands out the same one from then on; safe on many threads.

    Whoever never asks spares the import behind it: a retriever loads no database driver. A failure is raised to
    whoever asked, and the next one tries again.
    """

    __slots__ = ("_lock", "_made", "_make")

    def __init__(self, make: Callable[[], Part]) -> None:
        self._make = make
        self._made: tuple[Part] | None = None
        self._lock = threading.Lock()

    @classmethod
    def of(cls, part: Part) -> Provider[Part]:
        """Provide a part that is there already."""
        return cls(lambda: part)

    def __call__(self) -> Part:
        """The part."""
        with self._lock:
            if self._made is None:
                self._made = (self._make(),)
            return self._made[0]

    @property
    def made(self) -> bool:
        """Whether anybody asked for the part yet: what was never made need not be closed."""
        return self._made is not None


class OpenIndexWriter(Protocol):
    """Opens a writer of an index."""

    def __call__(self, *, in_place: bool = False) -> IndexWriter:
        """A writer; `in_place` makes it one of several that write side by side, where the index knows such."""
        ...


@dataclass(frozen=True, slots=True)
class WorkerLaunch:
    """How a process is started that documents work units of a run.

    The process builds its parts anew from the blueprint: what was put into an application with `dataclasses.replace`
    does not reach it, so whoever replaces parts sets `workers` to `None` too.
    """

    command: tuple[str, ...]
    blueprint: object
    """What the process builds its own application from; it can be pickled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """The parts, each made when it is first asked for; tests put others in with `dataclasses.replace`."""

    clock: Clock
    options: Provider[Options]
    """Raises `ConfigurationError` where the configuration cannot be used."""
    store: Provider[ObjectStore]
    secrets: Provider[Secrets]
    open_reader: OpenReader
    """Opens a reader of an entry's database; it connects when it is first asked something."""
    describer: Provider[Describer]
    embedder: Provider[Embedder]
    """Raises `EmbeddingFailed` where the model cannot be loaded."""
    index: Provider[IndexReader]
    index_writer: OpenIndexWriter
    queue: Provider[MessageQueue]
    """The indexer's own queue; raises `ConfigurationError` where there is none."""
    locks: Callable[[str], ProcessLock | None]
    """The lock of the operating system for the lease of that name; `None` where many machines write."""
    sweep: Callable[[], None] = lambda: None
    """Removes what killed processes left half written, once the lease is held."""
    workers: WorkerLaunch | None = None
    """How to start processes that document units; `None` where everything is documented in this one."""
    environment: DeployedEnvironment | None = None
    """The deployed environment that a profile looks into."""
    derived: Derived = field(default_factory=Derived)
    """What tools work out from the index, kept between questions."""

    def close(self) -> None:
        """Let go of what was opened; the application is of no further use."""
        if self.index.made:
            self.index().close()
