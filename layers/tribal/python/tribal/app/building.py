"""The input and output of the builders of capabilities."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from tribal.capabilities import capabilities
from tribal.errors import TribalError
from tribal.errors.packages import install_command
from tribal.ports import Provider
from tribal.ports.application import SectionReadiness
from tribal.ports.capability import load
from tribal_contracts.core.sections import find_section

if TYPE_CHECKING:
    from tribal.app.models import Models
    from tribal.app.project_text import ProjectText
    from tribal.identity.table_names import TableIdentity
    from tribal.ports import Application, Clock, Embedder, ModelReadiness, ObjectStore, Secrets
    from tribal.ports.application import Closable, GapReader
    from tribal.ports.caller import Caller
    from tribal.ports.capability import Capability
    from tribal.ports.derived import DerivedValues
    from tribal.ports.remembering.audit import AuditLog
    from tribal.ports.remembering.guidance import Guidance, GuidanceSource
    from tribal.ports.remembering.pointer_writer import PointerWriter
    from tribal.ports.remembering.policy_checker import PolicyChecker
    from tribal.settings import Settings
    from tribal.settings.deployment import Deployment
    from tribal_contracts import CapabilitySettings

_LOG = logging.getLogger(__name__)
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+).*\bextra == ['\"]([a-z]+)['\"]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Building:
    """An application in the making: its shared parts, and where it runs."""

    settings: Settings | None = None
    """On this machine."""
    deployment: Deployment | None = None
    """In AWS."""
    sections: Mapping[str, CapabilitySettings]
    company: str | None
    clock: Clock
    store: Provider[ObjectStore]
    secrets: Provider[Secrets]
    """With the keys and tokens of capabilities."""
    embedder: Provider[Embedder]
    derived: DerivedValues
    models: Models
    text: Callable[[], ProjectText]
    """Reads the configuration, which says which databases are kept from models."""
    scratch: Callable[[str], Path]
    """A folder of this machine for files in progress, by its purpose."""
    audit: AuditLog
    """Called for every write of a memory."""
    limits: bool
    """Whether the rate of writes and the time of a sync are limited; not for a person at a terminal."""
    fetch_seconds: float
    """The longest that fetching decisions may take."""
    stale_hours: float
    """After so many hours without a sync, decisions are stale."""
    sync_seconds: float | None = None
    """The limit of a sync, if it is another one than usual."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """A capability's parts, and the ports through which others reach it; `None` where it is not configured."""

    parts: Closable | None = None
    guidance: Callable[[], GuidanceSource | None] | None = None
    pointers: Callable[[Caller], PointerWriter] | None = None
    policies: Callable[[Application], PolicyChecker | None] | None = None
    gaps: GapReader | None = None
    readiness: Callable[[], Sequence[ModelReadiness]] | None = None
    """Checks whether the servers that it calls besides models are configured."""
    section_readiness: Callable[[], Sequence[SectionReadiness]] | None = None
    """Checks whether what its section names is there: folders, repositories and secrets. Calls no server."""


@dataclass(frozen=True, slots=True)
class BuiltCapabilities:
    """All capabilities."""

    built: Mapping[str, Built]
    """By name."""

    @classmethod
    def of(cls, building: Building) -> BuiltCapabilities:
        """Build every capability that has a builder."""
        return cls({each.name: load(each.builder)(building) for each in capabilities() if each.builder is not None})

    def added_to(self, app: Application) -> Application:
        """The application with their parts and ports."""
        ports = {
            name: found[0]
            for name in ("pointers", "policies", "gaps")
            if (found := [port for each in self.built.values() if (port := getattr(each, name)) is not None])
        }
        sources = [each.guidance for each in self.built.values() if each.guidance is not None]
        return replace(
            app,
            **ports,
            guidance=Provider(partial(_joined, sources)) if sources else None,
            capabilities={type(each.parts): each.parts for each in self.built.values() if each.parts is not None},
        )

    def readiness(self) -> list[ModelReadiness]:
        """Check whether the servers that they call besides models are configured; calls none of them."""
        return [ready for each in self.built.values() if each.readiness is not None for ready in each.readiness()]

    def section_readiness(self, sections: Mapping[str, CapabilitySettings]) -> list[SectionReadiness]:
        """Check whether optional packages are installed, and what sections name exists; calls no server."""
        found: list[SectionReadiness] = []
        for capability in capabilities():
            built = self.built.get(capability.name)
            if missing := _missing_packages(capability, sections):
                found.append(SectionReadiness(capability.name, "optional packages", missing))
            elif built is not None and built.section_readiness is not None:
                found += built.section_readiness()
        return found


def _missing_packages(capability: Capability, sections: Mapping[str, CapabilitySettings]) -> str:
    """Return which packages a capability lacks and what to run; empty if none, or if it is not configured."""
    section = None if capability.section is None else find_section(sections, capability.section())
    if section is None or not section.needs_packages:
        return ""
    problems = []
    for extra in capability.extras:
        if missing := [name for name in _packages(extra) if not _is_installed(name)]:
            verb = "is" if len(missing) == 1 else "are"
            problems.append(f"{', '.join(missing)} {verb} not installed; run: {install_command(extra)}")
    return "; ".join(problems)


def _packages(extra: str) -> list[str]:
    try:
        requirements = metadata.requires("tribal-knowledge") or []
    except metadata.PackageNotFoundError:
        # The sources run without being installed.
        return []
    found = (_REQUIREMENT.match(each) for each in requirements)
    return [each[1] for each in found if each is not None and each[2] == extra]


def _is_installed(package: str) -> bool:
    try:
        metadata.distribution(package)
    except metadata.PackageNotFoundError:
        return False
    return True


def _joined(sources: Sequence[Callable[[], GuidanceSource | None]]) -> GuidanceSource:
    # What was decided comes before what is remembered.
    return JoinedGuidance([source for make in reversed(sources) if (source := make()) is not None])


class JoinedGuidance:
    """Joins several sources of guidance; if one fails, the others still answer."""

    def __init__(self, sources: Sequence[GuidanceSource]) -> None:
        self._sources = sources

    def about(self, table: TableIdentity, caller: Caller) -> Sequence[Guidance]:
        """The guidance of all sources."""
        found: list[Guidance] = []
        for source in self._sources:
            try:
                found += source.about(table, caller)
            except TribalError as error:
                _LOG.warning("no guidance for a table: %s", error.message)
        return found
