"""The parts of a capability's manifest: data only.

The edges, the functions, the builders of the application and `infra/` loop over it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

if TYPE_CHECKING:
    from tribal.ports.application import Application
    from tribal.ports.stopping import StopToken
    from tribal.ports.tool import Heading, ToolGroup
    from tribal_contracts import CapabilitySettings, Contract

USE_STORE = "leave out --profile in a folder whose databases.yaml has `store: s3://BUCKET`, the environment's bucket"
"""What to do instead of `--profile` where the API of an environment has no answer and its store has."""

Task = TypeVar("Task", bound="Contract", contravariant=True)


def load(target: str) -> Any:
    """Import what a manifest names as `module:name`."""
    module, _, name = target.partition(":")
    return getattr(import_module(module), name)


@dataclass(frozen=True, kw_only=True)
class CommandSpec:
    """A command of `tribal` that is not derived from a tool."""

    name: str
    target: str
    """`module:name` of a function, or of a `typer.Typer` with subcommands."""
    heading: Heading
    """Its heading in `tribal --help`."""
    example: str
    """One or two command lines, for its help."""
    help: str | None = None
    """Of a command with subcommands; a function has a docstring."""
    here_only: str | None = None
    """Why it does not work with `--profile`, and what to do instead; `None` where it does."""


@dataclass(frozen=True, kw_only=True)
class MachineSpec:
    """A state machine that calls a function until its job has ended. An execution is named after its job, so that a job
    that is started twice runs once."""

    name: str
    job: str
    """The field of the function's input with the id of the job."""
    most_calls: int
    pause_seconds: int
    """The pause between two calls."""
    longest_seconds: int
    needs_models: bool = True
    """Whether it is deployed only where the function asks models."""


@dataclass(frozen=True, kw_only=True)
class QueueSpec:
    """The queue of a function."""

    created: str | None = None
    """Keys of the store; a message says that such an object was created."""
    at_once: int
    """The most messages that are worked on at the same time."""


@dataclass(frozen=True, kw_only=True)
class FunctionSpec:
    """A function in AWS that answers tools. It is deployed where its capability is configured."""

    name: str
    package: str = "capability"
    """The folder in `functions/` with its handler."""
    layers: tuple[str, ...] = ()
    """Dependency layers that it needs besides those of every function with tools."""
    fault_metric: str | None = None
    """The metric that counts its answers with a status of 500 or more."""
    memory_mb: int = 1769
    timeout_seconds: int = 25
    """API Gateway waits 29 s. Only a function that `may_take_longer` has more."""
    storage_mb: int = 512
    """Size of its temporary folder."""
    schedule: str | None = None
    """The name of the schedule that calls it, which its section has as `schedule`."""
    machine: MachineSpec | None = None
    """The state machine that calls it until it is done, and that it starts itself."""
    needs_section: bool = False
    """Whether it is deployed only where the section of its capability is present."""
    searches: bool = True
    """Whether it searches indexes, and has the layers for that."""
    layers_with_models: tuple[str, ...] = ()
    """Dependency layers where it asks models, in place of `layers` and of the layer with the models' SDKs: a function
    may have five layers."""
    routes: tuple[str, ...] = ()
    """What it answers besides tools: methods and paths, such as `GET /api/things/{name}`."""
    streams: str | None = None
    """The setting of its section that says whether the answers of its routes are sent in pieces. It then starts by the
    file `start` of its package."""
    takes: tuple[str, ...] = ()
    """Types of bodies that it is sent as bytes, besides text."""
    sends_to: str | None = None
    """The function to whose queue it sends messages."""
    queue: QueueSpec | None = None
    """The queue that it takes messages from; it is then not behind the API."""

    @property
    def may_take_longer(self) -> bool:
        """Whether it may take longer than API Gateway waits for a whole answer."""
        return (
            self.schedule is not None or self.machine is not None or self.streams is not None or self.queue is not None
        )


@dataclass(frozen=True, kw_only=True)
class FunctionUse:
    """How a capability uses a function, and the rights that this needs. A function may serve several capabilities.

    Capabilities ask each other through ports: a use with a `port` is one of each function that `asks` for the port.
    Patterns are keys of the store, where `*` matches any text.
    """

    function: str = ""
    port: Literal["guidance", "policies"] | None = None
    asks: tuple[Literal["guidance", "policies"], ...] = ()
    tools: tuple[str, ...] = ()
    asks_index: bool = True
    """Whether it reads the index of tables."""
    reads: tuple[str, ...] = ()
    reads_without_search: tuple[str, ...] = ()
    """Read only in environments without a search domain, where indexes are files."""
    writes: tuple[str, ...] = ()
    removes: tuple[str, ...] = ()
    writes_memories: bool = False
    """Whether it writes memories and their index."""
    secrets: tuple[str, ...] = ()
    """The settings that name secrets to read: `token_secret`, or `entries.key.secret` for that of each entry."""
    models: tuple[str, ...] = ()
    """The settings that name models to ask: entries of `models`, alone or in lists."""
    servers: tuple[str, ...] = ()
    """The settings that hold further entries of models to ask, such as those of embeddings."""
    reads_with_models: tuple[str, ...] = ()
    writes_with_models: tuple[str, ...] = ()
    """Read and written only where it asks models."""
    keeps_with: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What it reads, writes and deletes with all versions only where a setting is true, by the setting."""
    versions: tuple[str, ...] = ()
    """What it deletes with all earlier versions."""
    loads: str = ""
    """Python statements that import what it loads only when it is called; packaging runs them."""


@dataclass(frozen=True, kw_only=True)
class Measure:
    """A metric of a function; left out where the function is not deployed."""

    function: str
    name: str = ""
    """A metric that the function writes, or one of its state machine."""
    of: Literal["function", "machine", "queue", "dead letters", "oldest message"] = "function"
    where: tuple[str, str] | None = None
    """A further dimension of the metric, and its value."""
    statistic: Literal["Sum", "Maximum"] = "Sum"
    with_models: bool = False
    """Left out where the function asks no models, as a state machine is."""


@dataclass(frozen=True, kw_only=True)
class AlarmSpec:
    """An alarm."""

    name: str
    measures: tuple[Measure, ...]
    """Their sum is compared."""
    says: str
    """Describes what happened and what to do."""
    threshold: float = 1
    silent_hours: str | None = None
    """The setting of the capability's section with a number of hours; the alarm is raised when nothing was counted for
    so long, if the schedule of the section is enabled."""


@dataclass(frozen=True, kw_only=True)
class ChartSpec:
    """A chart of the dashboard."""

    title: str
    measures: tuple[Measure, ...]


@dataclass(frozen=True, kw_only=True)
class AuditSpec:
    """Records that are removed when they are old, also where they are no longer written."""

    prefix: str
    """Of their keys in the store."""
    days: str
    """The setting of the capability's section that says after how many days."""


@dataclass(frozen=True, kw_only=True)
class Capability:
    """Everything that the edges, the functions and `infra/` need to know about a capability."""

    name: str
    groups: tuple[ToolGroup, ...] = ()
    section: Callable[[], type[CapabilitySettings]] | None = None
    """Imports the model of its section in `databases.yaml`, which has the capability's name."""
    needs_section: bool = True
    """Whether its tools are offered only where its section is present, if it has one."""
    errors: str
    """The module with its errors."""
    page: str
    """The page of the documentation that explains it, in `docs/`."""
    builder: str | None = None
    """`module:name` of the function in `tribal.app` that builds its parts from a `Building`."""
    routes: str | None = None
    """`module:name` of the function that makes its HTTP routes, once in each process of a server."""
    write_rights: tuple[str, ...] = ()
    """Write rights of callers who sign with IAM, and of local callers on a server that allows writing."""
    asking_rights: tuple[str, ...] = ()
    """Rights of its routes that all local callers have: to spend money on models without changing anything."""
    named_rights: tuple[str, ...] = ()
    """Rights of its routes that callers who sign with IAM have only where the environment names them."""
    commands: tuple[CommandSpec, ...] = ()
    extras: tuple[str, ...] = ()
    """The optional dependencies that it needs."""
    jobs: tuple[str, ...] = ()
    """`module:name` of each `JobKind` that a process next to a server works on."""
    rebuilds: str | None = None
    """`module:name` of the function with which `tribal index` and `tribal run` rebuild its indexes from the store: it
    takes an application and `force`, and yields what it did."""
    functions: tuple[FunctionSpec, ...] = ()
    uses: tuple[FunctionUse, ...] = ()
    alarms: tuple[AlarmSpec, ...] = ()
    charts: tuple[ChartSpec, ...] = ()
    audits: tuple[AuditSpec, ...] = ()

    def is_configured(self, sections: Collection[str]) -> bool:
        """Whether its tools are offered where these sections are present."""
        return self.section is None or not self.needs_section or self.name in sections


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
