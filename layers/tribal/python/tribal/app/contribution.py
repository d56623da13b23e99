"""The parts of contribution: the configured clones, and branches in them."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tribal.app.building import Building, Built
from tribal.capabilities.contribution.parts import ContributionParts
from tribal.errors import ConfigurationError, missing_package
from tribal_contracts.contribution.settings import ContributionSettings, RepositoryEntry
from tribal_contracts.core.sections import find_section

if TYPE_CHECKING:
    from tribal.ports.repositories import Forge, Repository

_MOST_MANIFEST_BYTES = 256 << 20


def build(building: Building) -> Built:
    """Build contribution, where repositories are configured on this machine."""
    section = find_section(building.sections, ContributionSettings)
    settings = building.settings
    if section is None or settings is None:
        return Built()
    parts = ContributionParts(
        settings=section,
        open_repository=partial(_repository, settings.project),
        open_forge=partial(_forge, settings.project),
        read_manifest=partial(_manifest, settings.project),
    )
    return Built(parts=parts)


def _repository(project: Path, entry: RepositoryEntry) -> Repository:
    try:
        from tribal.adapters.git.local_clone import LocalCloneRepository
    except ModuleNotFoundError as error:
        raise ConfigurationError(missing_package(error.name, "reading git", "contribution")) from error
    return LocalCloneRepository(_place(project, entry.path), entry.base)


def _forge(project: Path, entry: RepositoryEntry) -> Forge:
    from tribal.adapters.git.local_clone import LocalForge

    return LocalForge(_place(project, entry.path), entry.base)


def _manifest(project: Path, entry: RepositoryEntry) -> bytes | None:
    if entry.manifest is None:
        return None
    place = _place(project, entry.manifest)
    try:
        if place.stat().st_size > _MOST_MANIFEST_BYTES:
            raise ConfigurationError(f"{str(place)!r} has more than {_MOST_MANIFEST_BYTES:,} bytes")
        return place.read_bytes()
    except OSError as error:
        raise ConfigurationError(
            f"repository {entry.name!r}: cannot read the manifest {str(place)!r}: {error.strerror}; run `dbt parse`"
        ) from error


def _place(project: Path, path: str) -> Path:
    return (project / Path(path).expanduser()).resolve()
