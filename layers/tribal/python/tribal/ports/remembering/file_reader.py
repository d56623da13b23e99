"""The port through which files that may be hostile are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from tribal.capabilities.knowledge.policies.file_names import FileNames, ReadRequest


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
