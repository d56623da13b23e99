"""Object storage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class ObjectInfo:
    """An object's metadata. `etag` is opaque; `content_hash` is the SHA-256 of the bytes."""

    key: str
    size_bytes: int
    etag: str
    content_hash: str


@dataclass(frozen=True, slots=True)
class StoredObject:
    """An object's bytes, the `etag` to pass as `if_match` when replacing it, and when the store says it was written."""

    data: bytes
    etag: str
    modified_at: datetime | None = None
    """By the store's own clock, in UTC; `None` if the store does not report it."""


class ObjectStore(Protocol):
    """The source of truth. Keys are relative paths separated by `/`, without `..`; a put is atomic and durable.

    Raises, from every writing method: `StoreUnwritable`.
    """

    @property
    def location(self) -> str:
        """Human-readable location of the store, for messages."""
        ...

    def get(self, key: str) -> StoredObject:
        """Read an object.

        Raises:
            ObjectNotFound: when it does not exist.
            ObjectDamaged: when it exists but its bytes cannot be read.
        """
        ...

    def lines(self, key: str) -> Iterator[bytes]:
        """Read an object line by line, without loading it whole; line endings are stripped.

        Raises:
            ObjectNotFound: when it does not exist.
        """
        ...

    def put(self, key: str, data: bytes, *, if_match: str | None = None, if_absent: bool = False) -> str:
        """Write an object and return its new `etag`.

        Raises:
            PreconditionFailed: when `if_match` is not the current `etag`, or `if_absent` is set and the object exists.
        """
        ...

    def put_lines(self, key: str, lines: Iterable[bytes]) -> str:
        """Write an object line by line, without holding it whole, and return its new `etag`."""
        ...

    def put_file(self, key: str, path: Path, *, if_absent: bool = False) -> str:
        """Write an object from a local file, without holding it whole, and return its new `etag`.

        Raises:
            PreconditionFailed: when `if_absent` is set and the object exists.
            OSError: when the local file cannot be read.
        """
        ...

    def get_file(self, key: str, path: Path) -> str:
        """Copy an object to a local file, without holding it whole, and return the SHA-256 of its bytes.

        The file is complete or absent; its folder is created.

        Raises:
            ObjectNotFound: when the object does not exist.
            OSError: when the local file cannot be written.
        """
        ...

    def head(self, key: str) -> ObjectInfo | None:
        """Metadata of an object; `None` if it does not exist.

        Raises:
            ObjectDamaged: when it exists but its bytes cannot be read.
        """
        ...

    def keys(self, prefix: str = "") -> Iterator[str]:
        """Keys that start with the prefix, in order."""
        ...

    def delete(self, key: str) -> None:
        """Remove an object; does nothing if it does not exist."""
        ...

    def erase(self, key: str) -> None:
        """Remove an object with all versions that the store has of it; does nothing if it has none."""
        ...
