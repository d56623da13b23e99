"""The parts of the application that knowledge needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from tribal.capabilities.knowledge.policies.file_names import FileNames, ReadFiles, ReadRequest
    from tribal.ports.application import Provider
    from tribal.ports.remembering.knowledge_source import KnowledgeOrigin
    from tribal_contracts import DatabaseType

SYNC_SECONDS = 25.0
"""Less than the 29 s that API Gateway waits. Source: docs/contracts.md, Knowledge."""


class FileReader(Protocol):
    """Reads the names in files without letting a file block or exhaust the caller's process. Thread-safe."""

    def read(self, requests: Sequence[ReadRequest], seconds: float | None) -> Sequence[FileNames]:
        """Read files; the answers are in the same order.

        A file that takes too much time or memory counts as over a limit; the others are still read.

        Args:
            requests: the files.
            seconds: limit for all files together; the remaining ones are not read. `None` for no limit.
        """
        ...

    def close(self) -> None:
        """End every process; no file can be read afterwards."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeParts:
    """The source of decisions and policies, and the reader of files to check."""

    origin: KnowledgeOrigin | None = None
    """`None` if nothing is synced."""
    stale_hours: float = 24.0
    """If the last sync is older than this, the status is unhealthy."""
    sync_seconds: float | None = SYNC_SECONDS
    """Time limit of a sync while a caller waits; `None` for no limit."""
    databases: Sequence[DatabaseType] = ()
    """The kinds of databases that the project configures, if that is known: SQL is read in their dialects."""
    file_reader: Provider[FileReader] | None = None
    """Reads files to check in other processes; `None` to read them in this one, if something else limits it."""

    def reading_files(self, seconds: float | None) -> ReadFiles:
        """A function that reads the files of a check within a time limit; `None` for no limit."""
        if self.file_reader is None:
            from tribal.capabilities.knowledge.policies.file_names import read_here

            return read_here
        reader = self.file_reader
        return lambda requests: reader().read(requests, seconds)

    def close(self) -> None:
        """End the processes that read files."""
        if self.file_reader is not None and self.file_reader.made:
            self.file_reader().close()
