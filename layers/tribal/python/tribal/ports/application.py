"""The parts that a command, a function or a server works with, built only in `tribal.app`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from tribal.ports.derived import DerivedValues

if TYPE_CHECKING:
    from tribal.identity.scope import Scope
    from tribal.ports.caller import Caller
    from tribal.ports.catalog_reader import CatalogReader
    from tribal.ports.describing import Describers, Secrets
    from tribal.ports.environment import DeployedEnvironment
    from tribal.ports.index.reader import Embedder, IndexReader
    from tribal.ports.index.writer import IndexWriter
    from tribal.ports.models.calls import ModelAnnouncement, ModelReadiness, ModelRequest, Spending, UnsentRequest
    from tribal.ports.object_store import ObjectStore
    from tribal.ports.options import Options
    from tribal.ports.remembering.guidance import GuidanceSource
    from tribal.ports.remembering.pointer_writer import PointerWriter
    from tribal.ports.remembering.policy_checker import PolicyChecker
    from tribal.ports.running import Clock, Lease, MessageQueue, ProcessLock, ProgressSink, WorkerPool
    from tribal.ports.stopping import StopToken
    from tribal.scoping.bounds import Bounds
    from tribal_contracts import CapabilitySettings, DatabaseEntry, ModelUsage, WrittenTexts
    from tribal_contracts.answering.open_gaps import OpenGap

    OpenReader = Callable[[DatabaseEntry], CatalogReader]


ANSWER_TOKENS = 3_000
"""The most tokens of a tool's default answer, unless settings say otherwise. Source: docs/contracts.md, Tools."""

Part = TypeVar("Part")


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


def bounds_of(scope: Scope, index: IndexReader, derived: DerivedValues) -> Bounds:
    """What a scope hides in an index; call it within `reading()`.

    Raises:
        IndexNotReady: when there is no finished index.
    """
    from tribal.ports.index.reader import IndexFilter
    from tribal.scoping.bounds import OPEN, Bounds

    if scope == OPEN.scope:
        return OPEN
    return derived.get(index.generation(), ("bounds", scope), lambda: Bounds.of(scope, index.tables(IndexFilter())))


@dataclass(frozen=True, slots=True)
class SectionReadiness:
    """Whether something that a section of the configuration needs is there."""

    section: str
    """Where it is configured, such as `knowledge`."""
    name: str
    """What is needed, such as a folder or a repository."""
    missing: str = ""
    """Why it cannot be used, and what to do; empty if nothing is known to be missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunParts:
    """The parts that only documentation runs, and commands about runs, need."""

    open_reader: OpenReader
    """Opens a reader for an entry's database; the reader connects on first use."""
    server_of: Callable[[DatabaseEntry], str] = lambda entry: entry.name
    """Names the server of an entry's database. All databases of a server share its limit of connections."""
    retry_servers: Callable[[], None] = lambda: None
    """Forgets which servers had no free connection, so that the next reader tries them again."""
    describers: Callable[[str, StopToken], Describers]
    """The describers of the run with that id. The token stops them."""
    unsent: Callable[[Sequence[ModelRequest]], Sequence[UnsentRequest]] = lambda _: ()
    """Shows what would be sent to the model, without sending it; empty without a model."""
    model_readiness: Callable[[bool], Sequence[ModelReadiness]] = lambda _: ()
    """Whether each configured model can be called; with `True`, the one that describes is tested, and
    each other one is asked for one word."""
    model_announcements: Callable[[], Sequence[ModelAnnouncement]] = lambda: ()
    """What `model_readiness(True)` would send to each model, and what that may cost."""
    section_readiness: Callable[[], Sequence[SectionReadiness]] = lambda: ()
    """Whether the packages, folders and repositories that the configuration needs are there."""
    spending: Callable[[], Spending] | None = None
    """Reads spending on models from the store; `None` in deployed functions."""
    index_writer: Callable[[], IndexWriter]
    """Opens a writer of the index."""
    queue: Provider[MessageQueue]
    """The indexer's own queue; raises `ConfigurationError` when it does not exist."""
    sweep: Callable[[], None] = lambda: None
    """Removes half-written files of killed processes; called while the lease is held."""
    workers: WorkerLaunch | None = None
    """How to start processes that document units; `None` to document everything in this process."""


class GapReader(Protocol):
    """Reads the gaps that no one has closed."""

    def __call__(self, store: ObjectStore, caller: Caller, *, exams_only: bool = False) -> list[OpenGap]:
        """Return the open gaps that a caller may see, those that block most questions first.

        Args:
            store: has the gaps, and the definitions.
            caller: sees only gaps within its scope.
            exams_only: hide the questions of sessions, as a static site does.

        Raises:
            TribalError: when the gaps cannot be read.
        """
        ...


class Closable(Protocol):
    """Parts of a capability."""

    def close(self) -> None:
        """Close open resources."""
        ...


Parts = TypeVar("Parts", bound=Closable)
Section = TypeVar("Section", bound="CapabilitySettings")


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """The shared parts, and one value per capability; each part is built on first use."""

    clock: Clock
    options: Provider[Options]
    """Raises `ConfigurationError` when the configuration cannot be used."""
    store: Provider[ObjectStore]
    secrets: Provider[Secrets]
    embedder: Provider[Embedder]
    """The embedder in this process. Raises `EmbeddingFailed` when the model cannot be loaded."""
    index: Provider[IndexReader]
    locks: Callable[[str], ProcessLock | None]
    """The operating system's lock for the lease of that name; `None` where several machines write."""
    run: RunParts
    guidance: Provider[GuidanceSource] | None = None
    """Memories and decisions about tables; `None` if neither is configured."""
    pointers: Callable[[Caller], PointerWriter] | None = None
    """Writes memories that point to decisions; `None` without memory."""
    policies: Callable[[Application], PolicyChecker | None] | None = None
    """Checks SQL against policies; `None` without knowledge."""
    gaps: GapReader | None = None
    """Reads open gaps; `None` where nothing questions the documentation."""
    index_embedder: Callable[[Caller | str], Embedder] | None = None
    """The embedder of the index where it is another one than `embedder`; see `embedder_of_index`."""
    environment: DeployedEnvironment | None = None
    """The deployed environment that a profile shows."""
    derived: DerivedValues = field(default_factory=DerivedValues)
    """What tools derive from the index, cached between calls."""
    answer_tokens: int | None = ANSWER_TOKENS
    """The most tokens of a tool's default answer; `None` for no limit."""
    sections: Mapping[str, CapabilitySettings] = field(default_factory=dict)
    """The sections of capabilities in `databases.yaml`, by name."""
    capabilities: Mapping[type, Closable] = field(default_factory=dict)
    """The parts of each capability that is configured, by their class."""

    def setting(self, kind: type[Section]) -> Section | None:
        """A capability's section of `databases.yaml`; `None` when it is absent."""
        from tribal_contracts.core.sections import find_section

        return find_section(self.sections, kind)

    def part(self, kind: type[Parts]) -> Parts | None:
        """The parts of a capability; `None` when it is not configured."""
        parts = self.capabilities.get(kind)
        assert parts is None or isinstance(parts, kind)
        return parts

    def with_part(self, parts: Closable) -> Application:
        """This application with the parts of one capability added or replaced."""
        return replace(self, capabilities={**self.capabilities, type(parts): parts})

    def embedder_of_index(self, user: Caller | str) -> Embedder:
        """Return the embedder of the documentation's index, for a caller's questions or for the run with that id.

        Raises:
            EmbeddingFailed: when it cannot be used, or the caller may not use it.
        """
        return self.embedder() if self.index_embedder is None else self.index_embedder(user)

    def bounds(self, scope: Scope) -> Bounds:
        """What a scope hides in the index; nothing while there is no index.

        Raises:
            IndexNotReady: when there is an index, but it cannot be read.
        """
        from tribal.scoping.bounds import OPEN, load_bounds

        if scope == OPEN.scope:
            return OPEN
        index = self.index()
        with index.reading():
            return load_bounds(scope, lambda: bounds_of(scope, index, self.derived))

    def open_gaps(self, caller: Caller, *, exams_only: bool = False) -> list[OpenGap]:
        """The open gaps that a caller may see; see `GapReader`."""
        return [] if self.gaps is None else self.gaps(self.store(), caller, exams_only=exams_only)

    def close(self) -> None:
        """Close every part that was opened; the application cannot be used afterwards."""
        for parts in self.capabilities.values():
            parts.close()
        if self.index.made:
            self.index().close()


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
        found = self.app.run.describers(self.run_id, self.stop)
        found.on_text(partial(self.sink.add_text, "document"))
        return found

    @property
    def options(self) -> Options:
        """The options of the run."""
        return self.app.options()

    @property
    def usage(self) -> ModelUsage | None:
        """Usage of models so far in this process; `None` if none was called."""
        used = self.describers.usage if "describers" in self.__dict__ else None
        return used if used is not None and used.calls else None

    @property
    def texts(self) -> WrittenTexts | None:
        """Texts that models have written so far in this process; `None` if none were."""
        texts = self.describers.texts if "describers" in self.__dict__ else None
        return texts if texts is not None and texts.written else None

    def close(self) -> None:
        """Close the describers, if any was used; the context cannot be used afterwards."""
        if "describers" in self.__dict__:
            self.describers.close()
