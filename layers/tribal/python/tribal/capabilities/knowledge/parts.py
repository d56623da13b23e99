"""The parts of the application that knowledge needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from tribal.capabilities.knowledge.policies.file_names import FileNames, ReadFiles, ReadRequest
    from tribal.ports.application import Provider
    from tribal.ports.remembering.knowledge_source import KnowledgeOrigin

SYNC_SECONDS = 25.0
"""Within the 29 that API Gateway waits. Source: docs/contracts.md, Knowledge."""


class FileReader(Protocol):
    """Reads what files name, where no file can block or exhaust the caller's process. Safe on several threads."""

    def read(self, requests: Sequence[ReadRequest], seconds: float | None) -> Sequence[FileNames]:
        """Read files; the answers have their order.

        A file that takes too much time or memory is unread and over a limit; the others are still read.

        Args:
            requests: the files.
            seconds: for all of them together; those that are left then are unread. `None` for no limit.
        """
        ...

    def close(self) -> None:
        """End every process; nothing is read afterwards."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeParts:
    """Where decisions and policies come from, and how files are read for checks."""

    origin: KnowledgeOrigin | None = None
    """`None` when they are not synced."""
    stale_hours: float = 24.0
    """A sync that is older than this is unhealthy."""
    sync_seconds: float | None = SYNC_SECONDS
    """The longest that a sync may take while a caller waits; `None` for no limit."""
    file_reader: Provider[FileReader] | None = None
    """Reads files for checks in other processes; `None` to read them in this one, where something else limits it."""

    def reading_files(self, seconds: float | None) -> ReadFiles:
        """A function that reads the files of a check within these seconds; `None` for no limit."""
        if self.file_reader is None:
            from tribal.capabilities.knowledge.policies.file_names import read_here

            return read_here
        reader = self.file_reader
        return lambda requests: reader().read(requests, seconds)

    def close(self) -> None:
        """End the processes that read files."""
        if self.file_reader is not None and self.file_reader.made:
            self.file_reader().close()
