"""Reads requirements.lock on behalf of another interpreter than the running one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from packaging.markers import Marker, default_environment
from packaging.utils import canonicalize_name

_HEAD = re.compile(
    r"(?P<name>[A-Za-z0-9._-]+)(?:\[[^\]]*\])?==(?P<version>[^\s;\\]+)(?:\s*;\s*(?P<marker>[^\\]+?))?\s*\\?$"
)


@dataclass(frozen=True, slots=True)
class Pin:
    """One entry of the lock file."""

    name: str
    version: str
    marker: str | None
    hashes: tuple[str, ...]

    def holds_for(self, environment: dict[str, str]) -> bool:
        """Whether the entry's marker matches an environment."""
        return self.marker is None or Marker(self.marker).evaluate(environment)

    def line(self) -> str:
        """The entry as a requirement, without its marker."""
        return " \\\n    ".join((f"{self.name}=={self.version}", *(f"--hash={each}" for each in self.hashes)))


def read_lock(path: Path) -> list[Pin]:
    """All entries, in file order."""
    pins: list[Pin] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if head := _HEAD.match(line):
            pins.append(Pin(canonicalize_name(head["name"]), head["version"], head["marker"], ()))
        elif "--hash=" in line:
            hashes = re.findall(r"--hash=(\S+)", line)
            last = pins[-1]
            pins[-1] = Pin(last.name, last.version, last.marker, (*last.hashes, *hashes))
    return pins


def pinned(names: Iterable[str], lock: Path, python: str) -> str:
    """Pinned requirements with hashes for the named distributions, as locked for this version of Python on Linux.

    Raises:
        KeyError: when one is missing from the lock file.
    """
    environment = lambda_environment(python)
    entries = {pin.name: pin for pin in read_lock(lock) if pin.holds_for(environment)}
    return "".join(f"{entries[canonicalize_name(name)].line()}\n" for name in sorted(names))


def lambda_environment(python: str) -> dict[str, str]:
    """The marker environment of a Lambda runtime."""
    here = {key: str(value) for key, value in default_environment().items()}
    return here | {
        "implementation_name": "cpython",
        "os_name": "posix",
        "platform_machine": "x86_64",
        "platform_python_implementation": "CPython",
        "platform_system": "Linux",
        "python_full_version": f"{python}.0",
        "python_version": python,
        "sys_platform": "linux",
    }
