"""The parts of contribution: configured clones and branches in them, repositories on GitHub and pull requests there."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tribal.app.building import Building, Built
from tribal.capabilities.contribution.parts import ContributionParts, ForgePurpose
from tribal.errors import ConfigurationError, missing_package
from tribal.ports import Provider
from tribal_contracts.contribution.settings import ContributionSettings, RepositoryEntry
from tribal_contracts.core.sections import find_section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import SecretStr

    from tribal.adapters.github.client import GitHubClient
    from tribal.adapters.github.tokens import Purpose
    from tribal.ports import Secrets
    from tribal.ports.repositories import Forge, Repository, RepositoryState, RepositoryTree

_MOST_MANIFEST_BYTES = 256 << 20


def build(building: Building) -> Built:
    """Build contribution, where repositories are configured on this machine."""
    section = find_section(building.sections, ContributionSettings)
    settings = building.settings
    if section is None or settings is None:
        return Built()
    places = _Places(settings.project, building.secrets)
    parts = ContributionParts(
        settings=section,
        open_repository=places.open_repository,
        open_forge=places.open_forge,
        signer=_signer,
        read_manifest=places.read_manifest,
        close_all=places.close,
    )
    return Built(parts=parts)


@dataclass(frozen=True, slots=True)
class _Places:
    """Opens what entries name. A repository on GitHub stays open, so that its archive is downloaded once."""

    project: Path
    secrets: Provider[Secrets]
    _online: dict[str, Repository] = field(default_factory=dict)

    def open_repository(self, entry: RepositoryEntry) -> Repository:
        try:
            from tribal.adapters.git.local_clone import LocalCloneRepository
            from tribal.adapters.github.repository import GitHubRepository
        except ModuleNotFoundError as error:
            raise ConfigurationError(missing_package(error.name, "reading git", "contribution")) from error
        if entry.path is not None:
            return LocalCloneRepository(self._place(entry.path), entry.base)
        if entry.name not in self._online:
            self._online[entry.name] = GitHubRepository(self._client(entry, "read"), entry.base)
        return _StaysOpen(self._online[entry.name])

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

    def close(self) -> None:
        for each in self._online.values():
            each.close()
        self._online.clear()

    def _client(self, entry: RepositoryEntry, purpose: Purpose) -> GitHubClient:
        from tribal.adapters.github.address import GitHubAddress
        from tribal.adapters.github.client import GitHubClient
        from tribal.adapters.github.tokens import AccessToken, AppKey, InstallationTokens, NoToken

        address = GitHubAddress.of(entry.url or "", entry.api_url, entry.tarball_host)
        if purpose != "publish" and entry.read_secret is not None:
            return GitHubClient(address, AccessToken(self._secret(entry, entry.read_secret), "read_secret"))
        if purpose != "publish":
            return GitHubClient(address, NoToken())
        if entry.app is not None:
            key = AppKey(entry.app.id, entry.app.installation, self._secret(entry, entry.app.key_secret))
            return GitHubClient(address, InstallationTokens(key, address, purpose))
        if entry.write_secret is None:
            raise ConfigurationError(
                f"repository {entry.name!r} has neither `write_secret` nor `app`, so nothing can be published; add"
                " one to its entry"
            )
        return GitHubClient(address, AccessToken(self._secret(entry, entry.write_secret), "write_secret"))

    def _secret(self, entry: RepositoryEntry, name: str) -> SecretStr:
        found = self.secrets().get(name)
        if found is None:
            raise ConfigurationError(
                f"the secret {name!r} of repository {entry.name!r} is missing; set the environment variable of that"
                " name, or put a file of that name into the folder in TRIBAL_SECRETS"
            )
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


def _signer() -> str:
    from tribal.adapters.git.clone_settings import author, user_settings

    return author(user_settings())
