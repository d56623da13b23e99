"""The parts of contribution: configured clones and branches in them, repositories on GitHub and pull requests there."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tribal.app.asking.configured_models import ConfiguredModels
from tribal.app.building import Building, Built
from tribal.app.parts import start_job
from tribal.capabilities.contribution.parts import ContributionParts, ForgePurpose
from tribal.errors import ConfigurationError, SandboxMissing, TribalError, missing_package
from tribal.ports import Provider, StopToken
from tribal.ports.application import SectionReadiness
from tribal.ports.sandbox import PackageIndex, SandboxLimits
from tribal_contracts.contribution.cycles import ContributionTask
from tribal_contracts.contribution.settings import ContributionSettings, RepositoryEntry
from tribal_contracts.core.sections import find_section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import SecretStr

    from tribal.adapters.github.client import GitHubClient
    from tribal.adapters.github.tokens import Purpose
    from tribal.capabilities.contribution.writing.model_session import WritingModels
    from tribal.ports import Secrets
    from tribal.ports.repositories import Forge, Repository, RepositoryState, RepositoryTree
    from tribal.ports.sandbox import Sandbox
    from tribal.settings.deployment import Deployment
    from tribal_contracts.contribution.cycles import CycleRecord

_MOST_MANIFEST_BYTES = 256 << 20
_CHECK_SECONDS = 240.0
"""The time limit of one check; a judgement: all checks and a repair fit into the time of an agent."""
_ON_THIS_MACHINE = (
    "set the environment variable of that name, or put a file of that name into the folder in TRIBAL_SECRETS"
)
_IN_AWS = "create it in Secrets Manager, in the region of the functions"


def build(building: Building) -> Built:
    """Build contribution, where repositories are configured."""
    section = find_section(building.sections, ContributionSettings)
    settings, deployment = building.settings, building.deployment
    if section is None or (settings is None and deployment is None):
        return Built()

    def parts_until(stop: StopToken) -> ContributionParts:
        project, hint = (Path(), _IN_AWS) if settings is None else (settings.project, _ON_THIS_MACHINE)
        places = _Places(project, building.secrets, hint, stop)
        return ContributionParts(
            settings=section,
            open_repository=places.open_repository,
            open_forge=places.open_forge,
            signer=_signer,
            read_manifest=places.read_manifest,
            models=_models(building, section, stop),
            open_sandbox=_no_sandbox if settings is None else _open_sandbox,
            package_index=places.package_index,
            launch=None if deployment is None else partial(launch_cycle, deployment),
            stop=stop,
            for_call=parts_until,
            close_all=places.close,
        )

    readiness = None if settings is None else partial(_readiness, section, settings.project, building)
    return Built(parts=parts_until(StopToken()), section_readiness=readiness)


def _readiness(section: ContributionSettings, project: Path, building: Building) -> list[SectionReadiness]:
    """Check the clones, and of repositories on GitHub the secrets."""
    places = _Places(project, building.secrets, _ON_THIS_MACHINE, StopToken())
    checked = []
    for entry in section.repositories:
        ready = SectionReadiness(f"contribution.repositories.{entry.name}", entry.location)
        try:
            places.check(entry)
        except TribalError as error:
            ready = replace(ready, missing=error.message)
        checked.append(ready)
    places.close()
    return checked


def launch_cycle(deployment: Deployment, record: CycleRecord) -> None:
    """Have the state machine of the function continue a cycle; launched twice after one approval, it runs once.

    Raises:
        ConfigurationError: when the function has no state machine.
        DeploymentRefused, DeploymentUnreachable: when it cannot be started.
    """
    name = f"{record.swarm_id}-{record.cycle}-{record.approvals}"
    start_job(deployment, name, ContributionTask(cycle=record.cycle))


@dataclass(frozen=True, slots=True)
class _Places:
    """Opens what entries name. A repository on GitHub stays open, so that its archive is downloaded once."""

    project: Path
    secrets: Provider[Secrets]
    hint: str
    """Says how to create a secret that is missing."""
    stop: StopToken
    """The deadline of calls."""
    _online: dict[str, Repository] = field(default_factory=dict)

    def open_repository(self, entry: RepositoryEntry) -> Repository:
        try:
            if entry.path is not None:
                from tribal.adapters.git.local_clone import LocalCloneRepository

                return LocalCloneRepository(self._place(entry.path), entry.base)
            from tribal.adapters.github.repository import GitHubRepository
        except ModuleNotFoundError as error:
            raise ConfigurationError(missing_package(error.name, "reading git", "contribution")) from error
        if entry.name not in self._online:
            self._online[entry.name] = GitHubRepository(self._client(entry, "read"), entry.base)
        return _StaysOpen(self._online[entry.name])

    def check(self, entry: RepositoryEntry) -> None:
        """Check what this machine knows of an entry; call no server.

        Raises:
            TribalError: when it cannot be used.
        """
        with closing(self.open_repository(entry)) as repository:
            if entry.path is not None:
                repository.state()
        if entry.write_secret is not None or entry.app is not None:
            self.open_forge(entry, "publish").close()
        self.read_manifest(entry)

    def open_forge(self, entry: RepositoryEntry, purpose: ForgePurpose) -> Forge:
        if entry.path is not None:
            from tribal.adapters.git.local_clone import LocalForge

            return LocalForge(self._place(entry.path), entry.base)
        from tribal.adapters.github.forge import GitHubForge

        return GitHubForge(self._client(entry, purpose), entry.base)

    def read_manifest(self, entry: RepositoryEntry) -> bytes | None:
        if entry.manifest is None:
            return None
        place = self._place(entry.manifest)
        try:
            if place.stat().st_size > _MOST_MANIFEST_BYTES:
                raise ConfigurationError(f"{str(place)!r} has more than {_MOST_MANIFEST_BYTES:,} bytes")
            return place.read_bytes()
        except OSError as error:
            raise ConfigurationError(
                f"repository {entry.name!r}: cannot read the manifest {str(place)!r}: {error.strerror}; run `dbt parse`"
            ) from error

    def package_index(self, entry: RepositoryEntry) -> PackageIndex:
        if entry.install is None:
            return PackageIndex()
        ca_file = entry.install.ca_file
        return PackageIndex(url=entry.install.index_url, ca_file=None if ca_file is None else self._place(ca_file))

    def close(self) -> None:
        for each in self._online.values():
            each.close()
        self._online.clear()

    def _client(self, entry: RepositoryEntry, purpose: Purpose) -> GitHubClient:
        from tribal.adapters.github.access import Timing
        from tribal.adapters.github.address import GitHubAddress
        from tribal.adapters.github.client import GitHubClient
        from tribal.adapters.github.tokens import AccessToken, AppKey, InstallationTokens, NoToken

        address = GitHubAddress.of(entry.url or "", entry.api_url, entry.tarball_host)
        timing = Timing(remaining_seconds=self.stop.remaining_seconds)
        if purpose != "publish" and entry.read_secret is not None:
            return GitHubClient(address, AccessToken(self._secret(entry, entry.read_secret), "read_secret"), timing)
        if purpose != "publish":
            return GitHubClient(address, NoToken(), timing)
        if entry.app is not None:
            key = AppKey(entry.app.id, entry.app.installation, self._secret(entry, entry.app.key_secret))
            return GitHubClient(address, InstallationTokens(key, address, purpose, timing), timing)
        if entry.write_secret is None:
            raise ConfigurationError(
                f"repository {entry.name!r} has neither `write_secret` nor `app`, so nothing can be published; add"
                " one to its entry"
            )
        return GitHubClient(address, AccessToken(self._secret(entry, entry.write_secret), "write_secret"), timing)

    def _secret(self, entry: RepositoryEntry, name: str) -> SecretStr:
        # A process that stays for long sees a token that was replaced.
        found = self.secrets().refresh(name)
        if found is None:
            raise ConfigurationError(f"the secret {name!r} of repository {entry.name!r} is missing; {self.hint}")
        return found

    def _place(self, path: str) -> Path:
        return (self.project / Path(path).expanduser()).resolve()


@dataclass(frozen=True, slots=True)
class _StaysOpen:
    """A `Repository` that closing leaves open."""

    repository: Repository

    @property
    def location(self) -> str:
        return self.repository.location

    def state(self) -> RepositoryState:
        return self.repository.state()

    def tree(self, commit: str) -> RepositoryTree:
        return self.repository.tree(commit)

    def uncommitted(self, paths: Sequence[str]) -> list[str]:
        return self.repository.uncommitted(paths)

    def close(self) -> None:
        pass


def _models(building: Building, section: ContributionSettings, stop: StopToken) -> WritingModels | None:
    """The models under `models`; `None` without any."""
    if not building.models.named:
        return None
    from tribal.capabilities.contribution.writing.model_session import WritingModels
    from tribal.prompt_templates import CONTRIBUTING

    configured = ConfiguredModels(building.models, building.text)
    return WritingModels(section, configured, partial(building.models.templates, CONTRIBUTING), stop)


def _open_sandbox() -> Sandbox:
    from tribal.adapters.bubblewrap.sandbox import open_sandbox

    return open_sandbox(SandboxLimits(seconds=_CHECK_SECONDS))


def _no_sandbox() -> Sandbox:
    raise SandboxMissing("nothing of a repository is run in AWS")


def _signer() -> str:
    from tribal.adapters.git.clone_settings import author, user_settings

    return author(user_settings())
