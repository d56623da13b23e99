"""What contribution needs of the application besides its shared parts."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from tribal.capabilities.contribution.errors import RepositoryNotAllowed
from tribal.capabilities.contribution.installations import Installations
from tribal.ports.sandbox import PackageIndex
from tribal.ports.stopping import StopToken

ForgePurpose = Literal["follow", "publish"]

if TYPE_CHECKING:
    from tribal.capabilities.contribution.writing.model_session import WritingModels
    from tribal.ports.application import Application
    from tribal.ports.repositories import Forge, Repository
    from tribal.ports.sandbox import Sandbox
    from tribal_contracts.contribution.cycles import CycleRecord, CycleState
    from tribal_contracts.contribution.settings import ContributionSettings, RepositoryEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class ContributionParts:
    """The configured repositories, and where contributions to them are published."""

    settings: ContributionSettings
    open_repository: Callable[[RepositoryEntry], Repository]
    open_forge: Callable[[RepositoryEntry, ForgePurpose], Forge]
    """Opens a forge with the rights that a purpose needs."""
    signer: Callable[[], str]
    """The name and address of the person at this machine, as `Name <address>`, for sign-offs on a forge."""
    read_manifest: Callable[[RepositoryEntry], bytes | None]
    """The manifest of dbt that an entry names; `None` if it names none."""
    open_sandbox: Callable[[], Sandbox]
    """Opens the sandbox in which checks run; raises `SandboxMissing`."""
    models: WritingModels | None = None
    """The models that can write changes; `None` if none is configured."""
    package_index: Callable[[RepositoryEntry], PackageIndex] = lambda _: PackageIndex()
    """Where the packages come from that the checks of a repository need."""
    installations: Installations = field(default_factory=Installations)
    """The packages that this process has installed for checks."""
    launch: Callable[[CycleRecord], None] | None = None
    """Has a cycle continued in the background; `None` to continue it at once."""
    stop: StopToken = field(default_factory=StopToken)
    """The deadline of calls, and of steps, if they have one."""
    states: Collection[CycleState] = ("preparing", "publishing")
    """The states in which this process continues cycles: in AWS each is the job of another function."""
    for_call: Callable[[StopToken], ContributionParts] | None = None
    """The same parts for one call of a function in AWS, which ends by a deadline."""
    close_all: Callable[[], None] = lambda: None
    """Closes repositories that stay open between calls."""

    def close(self) -> None:
        """Close repositories."""
        self.close_all()


def contribution_parts(app: Application) -> ContributionParts:
    """The parts of contribution.

    Raises:
        RepositoryNotAllowed: when `contribution` is not configured.
    """
    parts = app.part(ContributionParts)
    if parts is None:
        raise RepositoryNotAllowed(
            "no repository is configured; name one under contribution.repositories in databases.yaml: its name, its"
            " path, and the databases that it creates"
        )
    return parts
