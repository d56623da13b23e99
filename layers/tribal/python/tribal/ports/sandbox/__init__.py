"""Running the commands of a repository without giving them anything of this machine."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

SandboxLimit = Literal["time", "memory", "processes", "disk"]
KILLED = 137
"""Exit code of a command that was killed: 128 and the number of SIGKILL, as shells report it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxLimits:
    """Limits of one call, for all of its processes together."""

    seconds: float = 600
    """From the start of the sandbox; includes copying files into it and out of it."""
    memory_bytes: int = 2 << 30
    """Of processes; files count as disk."""
    processes: int = 256
    """Threads count too."""
    disk_bytes: int = 1 << 30
    """Of files, with those that are copied into the sandbox. Every file counts as 4 KiB or more."""
    output_bytes: int = 200_000
    """Of output that is kept: its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageIndex:
    """An index of Python packages, and the certificates that HTTPS is checked with."""

    url: str | None = None
    """Instead of the index that tools use by default."""
    ca_file: Path | None = None
    """Certificates in PEM, instead of the system's."""


@dataclass(frozen=True, slots=True)
class SandboxResult:
    """How a command ended."""

    exit_code: int
    """Of the command; `KILLED` if a signal or a limit ended it."""
    output: str
    r"""The end of standard output and error, in their order, as text: invisible characters are written as `\u001B`."""
    ended_by: SandboxLimit | None
    """The limit that ended the command, or the disk if it failed on a full one. `None` otherwise, also for a command
    that fails by itself, for example when it cannot start another process."""


class Sandbox(Protocol):
    """Runs commands with `sh -c` in a copy of some files, without home, environment or credentials.

    When a call returns or raises, all of its processes have ended. Calls may run at the same time.
    """

    def install(self, files: Path, command: str, environment: Path, index: PackageIndex) -> SandboxResult:
        """Run a command with access to the network, and keep what it writes to `/environment` if it exits with 0.

        Args:
            files: a folder; links in it are copied as links.
            command: runs in the copy of `files`.
            environment: an empty folder that later calls of `run` are given.
            index: told to pip and uv by their environment variables.

        Raises:
            OSError: when a folder cannot be read or written.
            SandboxMissing: when no sandbox can be started.
        """
        ...

    def run(self, files: Path, command: str, environment: Path | None = None) -> SandboxResult:
        """Run a command without network, with a copy of what was installed in `/environment`.

        Args:
            files: a folder; links in it are copied as links.
            command: runs in the copy of `files`, with `/environment/bin` first on its PATH.
            environment: the folder that `install` was given; may be empty.

        Raises:
            OSError: when a folder cannot be read.
            SandboxMissing: when no sandbox can be started.
        """
        ...
