"""Optional packages that a section of the configuration needs and that are not installed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import metadata
from typing import TYPE_CHECKING

from tribal.errors.packages import install_command
from tribal_contracts.core.sections import find_section

if TYPE_CHECKING:
    from tribal.ports.capability import Capability
    from tribal_contracts import CapabilitySettings

_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+).*\bextra == ['\"]([a-z]+)['\"]")


def missing_packages(capability: Capability, sections: Mapping[str, CapabilitySettings]) -> str:
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
