"""The parts that a command, a function or a server works with, built only in `tribal.app`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from tribal.ports.derived import Derived
from tribal.ports.remembering.audit import AuditLog, unheard
from tribal.ports.tool import ANSWER_TOKENS

if TYPE_CHECKING:
    from tribal.capabilities.knowledge.policies.file_names import ReadFiles
    from tribal.identity.scope import Scope
    from tribal.ports.catalog_reader import CatalogReader
    from tribal.ports.describing import Describers, Secrets
    from tribal.ports.environment import DeployedEnvironment
    from tribal.ports.index_reader import Embedder, IndexReader
    from tribal.ports.index_writer import IndexWriter
    from tribal.ports.models import ModelReadiness, ModelRequest, Spending, UnsentRequest
    from tribal.ports.object_store import ObjectStore
    from tribal.ports.options import Options
    from tribal.ports.remembering.file_reader import FileReader
    from tribal.ports.remembering.guidance import GuidanceSource
    from tribal.ports.remembering.knowledge_source import KnowledgeOrigin
    from tribal.ports.remembering.memory_index import MemoryIndex
    from tribal.ports.running import Clock, MessageQueue, ProcessLock
    from tribal.ports.stopping import StopToken
    from tribal.scoping.bounds import Bounds
    from tribal_contracts import DatabaseEntry, MemorySettings

    OpenReader = Callable[[DatabaseEntry], CatalogReader]


Part = TypeVar("Part")
SYNC_SECONDS = 25.0
"""Within the 29 that API Gateway waits. Source: docs/contracts.md, Knowledge."""


class Provider(Generic[Part]):
    """Builds a part on first use and returns the same one from then on; thread-safe.

    A part that is never used is never imported: a retriever loads no database driver. A failure is raised to the caller
    and is not cached: the next call tries again.
    """

    __slots__ = ("_lock", "_made", "_make")

    def __init__(self, make: Callable[[], Part]) -> None:
        self._make = make
        self._made: tuple[Part] | None = None
        self._lock = threading.Lock()

    @classmethod
    def of(cls, part: Part) -> Provider[Part]:
        """Provide a part that already exists."""
        return cls(lambda: part)

    def __call__(self) -> Part:
        """The part, built by the first call."""
        with self._lock:
            if self._made is None:
                self._made = (self._make(),)
            return self._made[0]

    @property
    def made(self) -> bool:
        """Whether the part has been built; one that has not needs no closing."""
        return self._made is not None


@dataclass(frozen=True, slots=True)
class WorkerLaunch:
    """How to start a process that documents work units of a run.

    The process builds its own parts from the blueprint. Parts put into an application with `dataclasses.replace` do not
    reach it, so set `workers` to `None` when replacing any.
    """

    command: tuple[str, ...]
    blueprint: object
    """What the process builds its own application from; picklable."""


def bounds_of(scope: Scope, index: IndexReader, derived: Derived) -> Bounds:
    """What a scope hides of an index; call it within `reading()`.

    Raises:
        IndexNotReady: when there is no finished index.
    """
    from tribal.ports.index_reader import IndexFilter
    from tribal.scoping.bounds import OPEN, Bounds

    if scope == OPEN.scope:
        return OPEN
    return derived.get(index.generation(), ("bounds", scope), lambda: Bounds.of(scope, index.tables(IndexFilter())))


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """The parts, each built on first use; tests swap them with `dataclasses.replace`."""

    clock: Clock
    options: Provider[Options]
    """Raises `ConfigurationError` when the configuration cannot be used."""
    store: Provider[ObjectStore]
    secrets: Provider[Secrets]
    open_reader: OpenReader
    """Opens a reader for an entry's database; the reader connects on first use."""
    server_of: Callable[[DatabaseEntry], str] = lambda entry: entry.name
    """Names the server of an entry's database, with which its other databases share the limit of connections."""
    ask_again: Callable[[], None] = lambda: None
    """Forgets which servers had no connection to spare, so that the next reader asks them again."""
    describers: Callable[[str, StopToken], Describers]
    """The describers of the run of that id, which ends as its token says."""
    unsent: Callable[[Sequence[ModelRequest]], Sequence[UnsentRequest]] = lambda _: ()
    """What the model would be sent for requests, which sends none of it; nothing where there is no model."""
    model_readiness: Callable[[], ModelReadiness | None] = lambda: None
    """Whether the model could be asked, without asking it; `None` where there is no model."""
    embedder: Provider[Embedder]
    """Raises `EmbeddingFailed` when the model cannot be loaded."""
    index: Provider[IndexReader]
    index_writer: Callable[[], IndexWriter]
    """Opens a writer of the index."""
    memory_index: Provider[MemoryIndex] | None = None
    """The index of memories; `None` where nothing is remembered."""
    guidance: Provider[GuidanceSource] | None = None
    """What is known of tables beside their documentation; `None` where nothing is."""
    recover_memory: Callable[[], None] = lambda: None
    """Lets the index of memories agree with the objects after something was killed; called before each use."""
    memory_settings: MemorySettings | None = None
    """What memory is allowed; `None` for the defaults."""
    knowledge: KnowledgeOrigin | None = None
    """Where decisions are kept; `None` where they are not synced."""
    sync_stale_hours: float = 24.0
    """After how many hours without a sync it is not healthy any more."""
    sync_seconds: float | None = SYNC_SECONDS
    """After which a sync that somebody waits for is cut short; `None` for never."""
    audit: AuditLog = unheard
    """Told of every write of a memory."""
    limits_writes: bool = True
    """Whether a caller may write memories only so often; not for who types commands."""
    queue: Provider[MessageQueue]
    """The indexer's own queue; raises `ConfigurationError` when there is none."""
    locks: Callable[[str], ProcessLock | None]
    """The operating system's lock for the lease of that name; `None` where several machines write."""
    sweep: Callable[[], None] = lambda: None
    """Removes files that killed processes left half-written; called while the lease is held."""
    spending: Callable[[], Spending] | None = None
    """What models have cost, as the store tells it; `None` where nobody asks."""
    workers: WorkerLaunch | None = None
    """How to start processes that document units; `None` to document everything in this one."""
    file_reader: Provider[FileReader] | None = None
    """Reads files for checks in other processes; `None` to read them in this one, where something else limits it."""
    environment: DeployedEnvironment | None = None
    """The deployed environment that a profile looks into."""
    derived: Derived = field(default_factory=Derived)
    """What tools derive from the index, cached between calls."""
    answer_tokens: int | None = ANSWER_TOKENS
    """The most tokens of a tool's default answer; `None` for no limit."""

    def bounds(self, scope: Scope) -> Bounds:
        """What a scope hides of the index; nothing while nothing has been indexed.

        Raises:
            IndexNotReady: when there is an index, but it cannot be read.
        """
        from tribal.scoping.bounds import OPEN, drawn

        if scope == OPEN.scope:
            return OPEN
        index = self.index()
        with index.reading():
            return drawn(scope, lambda: bounds_of(scope, index, self.derived))

    def reading_files(self, seconds: float | None) -> ReadFiles:
        """What reads the files of a check, in at most these seconds; `None` for as long as all of them take."""
        if self.file_reader is None:
            from tribal.capabilities.knowledge.policies.file_names import read_here

            return read_here
        reader = self.file_reader
        return lambda requests: reader().read(requests, seconds)

    def close(self) -> None:
        """Close every part that was built; the application cannot be used afterwards."""
        if self.file_reader is not None and self.file_reader.made:
            self.file_reader().close()
        if self.memory_index is not None and self.memory_index.made:
            self.memory_index().close()
        if self.index.made:
            self.index().close()
