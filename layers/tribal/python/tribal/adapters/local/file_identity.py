"""Detects whether a file has changed without reading it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

# Two versions of a file written within one tick of the file system's clock can have the same times. A tick is at most
# 10 ms on file systems with nanosecond times, and 2 s on FAT.
_TICK_NS = 20_000_000
_COARSE_TICK_NS = 2_500_000_000


class FileIdentity(NamedTuple):
    """Changes whenever the file is replaced or modified; unlike the modification time, the change time cannot be set
    back."""

    device: int
    inode: int
    modified_ns: int
    changed_ns: int
    size_bytes: int

    @classmethod
    def of(cls, path: Path) -> FileIdentity | None:
        """The identity of the file that is there now; `None` if it does not exist."""
        try:
            return cls.of_status(path.stat())
        except (FileNotFoundError, NotADirectoryError):
            return None

    @classmethod
    def of_status(cls, status: os.stat_result) -> FileIdentity:
        """The identity of the file that has this status."""
        return cls(status.st_dev, status.st_ino, status.st_mtime_ns, status.st_ctime_ns, status.st_size)

    def is_settled(self, now_ns: int) -> bool:
        """Whether any later change is certain to be visible."""
        last = max(self.modified_ns, self.changed_ns)
        return now_ns - last > (_TICK_NS if last % 1_000_000_000 else _COARSE_TICK_NS)
