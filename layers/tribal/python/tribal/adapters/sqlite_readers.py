"""Read-only connections to a file that somebody else may replace at any time."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tribal.adapters.sqlite_schema import connect_reading

FileIdentity = tuple[int, int]
"""Device and inode: a new file in the place of an old one has another."""

_IDLE_CONNECTIONS = 8


class ReaderPool:
    """Lends each caller a connection of its own inside a read transaction."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._idle: list[tuple[FileIdentity, sqlite3.Connection]] = []
        self._lock = threading.Lock()

    @contextmanager
    def connection(self) -> Iterator[tuple[sqlite3.Connection, FileIdentity]]:
        """A connection that sees one state of the file until the block ends.

        Raises:
            FileNotFoundError: when there is no file.
            sqlite3.Error: when it cannot be read.
        """
        file = self._identity()
        connection = self._take(file) or connect_reading(self._path)
        try:
            connection.execute("BEGIN")
            yield connection, file
            connection.execute("ROLLBACK")
        except BaseException:
            connection.close()
            raise
        self._give_back(file, connection)

    def close(self) -> None:
        """Close every connection that nobody is using."""
        with self._lock:
            idle, self._idle = self._idle, []
        for _, connection in idle:
            connection.close()

    def _identity(self) -> FileIdentity:
        try:
            status = self._path.stat()
        except NotADirectoryError as exc:
            raise FileNotFoundError(str(self._path)) from exc
        return status.st_dev, status.st_ino

    def _take(self, file: FileIdentity) -> sqlite3.Connection | None:
        found: sqlite3.Connection | None = None
        outdated: list[sqlite3.Connection] = []
        with self._lock:
            while self._idle and found is None:
                opened_as, connection = self._idle.pop()
                if opened_as == file:
                    found = connection
                else:
                    outdated.append(connection)
        for connection in outdated:
            connection.close()
        return found

    def _give_back(self, file: FileIdentity, connection: sqlite3.Connection) -> None:
        with self._lock:
            if len(self._idle) < _IDLE_CONNECTIONS:
                self._idle.append((file, connection))
                return
        connection.close()
