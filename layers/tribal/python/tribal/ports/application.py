"""All that a command, a function or a server works with. Built in `tribal.app` and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tribal.ports.derived import Derived
from tribal.ports.provider import Provider

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


@dataclass(frozen=True, slots=True)
class WorkerLaunch:
    """How a process is started that documents work units of a run."""

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
    index_writer: Callable[..., IndexWriter]
    """Opens a writer of the index; with `in_place=True` one of several that write side by side."""
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
