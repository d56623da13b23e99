"""Files of a repository in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MappedFiles:
    """Files in memory."""

    content: Mapping[str, bytes]

    @property
    def paths(self) -> Sequence[str]:
        """Every path, in order."""
        return sorted(self.content)

    def read(self, path: str) -> bytes:
        """The bytes of a file; raises `KeyError` when it does not exist."""
        return self.content[path]
