"""Keeping objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, slots=True)
class ObjectInfo:
    """An object without its bytes. `etag` is opaque; `content_hash` is the SHA-256 of the bytes."""

    key: str
    size_bytes: int
    etag: str
    content_hash: str


@dataclass(frozen=True, slots=True)
class StoredObject:
    """An object with its bytes and the `etag` that a conditional put of its successor names."""

    data: bytes
    etag: str


class ObjectStore(Protocol):
    """Holds the truth. Keys are relative, separated by `/`, without `..`; a put is atomic and durable.

    Raises, from every writing method: `StoreUnwritable`.
    """

    @property
    def location(self) -> str:
        """Where the store lies, for people."""
        ...

    def get(self, key: str) -> StoredObject:
        """Read an object.

        Raises:
            ObjectNotFound: when there is none.
        """
        ...

    def lines(self, key: str) -> Iterator[bytes]:
        """Read an object line by line, without holding it whole; line ends are left out.

        Raises:
            ObjectNotFound: when there is none.
        """
        ...

    def put(self, key: str, data: bytes, *, if_match: str | None = None, if_absent: bool = False) -> str:
        """Write an object and return its new `etag`.

        Raises:
            PreconditionFailed: when `if_match` is not the present `etag`, or `if_absent` and there is an object.
        """
        ...

    def put_lines(self, key: str, lines: Iterable[bytes]) -> str:
        """Write an object of many lines without holding it whole, and return its new `etag`."""
        ...

    def head(self, key: str) -> ObjectInfo | None:
        """What is known of an object; `None` when there is none."""
        ...

    def keys(self, prefix: str = "") -> Iterator[str]:
        """Keys that start with the prefix, in order."""
        ...

    def delete(self, key: str) -> None:
        """Remove an object; does nothing when there is none."""
        ...
