"""A store on which a plan can be tried without leaving a trace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tribal.catalog.hashing import bytes_hash
from tribal.errors import StoreError
from tribal.ports import ObjectInfo, ObjectStore, StoredObject


class OverlayStore:
    """Reads through to a real store and keeps in memory what is written; nothing reaches the real one.

    Slices are forgotten at once: planning writes them for documenting, and never reads them.
    """

    def __init__(self, real: ObjectStore) -> None:
        self._real = real
        self._written: dict[str, bytes] = {}

    @property
    def location(self) -> str:
        """That of the real store."""
        return self._real.location

    def get(self, key: str) -> StoredObject:
        """What was written here, else what the real store has."""
        data = self._written.get(key)
        return self._real.get(key) if data is None else StoredObject(data, bytes_hash(data))

    def lines(self, key: str) -> Iterator[bytes]:
        """The same line by line."""
        data = self._written.get(key)
        return self._real.lines(key) if data is None else iter(data.removesuffix(b"\n").split(b"\n"))

    def put(self, key: str, data: bytes, *, if_match: str | None = None, if_absent: bool = False) -> str:
        """Keep an object for as long as this lives; a conditional put belongs to a real run."""
        if if_match is not None or if_absent:
            raise StoreError("an overlay takes no conditional put")
        if "/slices/" not in key:
            self._written[key] = data
        return bytes_hash(data)

    def put_lines(self, key: str, lines: Iterable[bytes]) -> str:
        """Keep an object of many lines."""
        return self.put(key, b"".join(line + b"\n" for line in lines))

    def head(self, key: str) -> ObjectInfo | None:
        """What is known of an object."""
        data = self._written.get(key)
        if data is None:
            return self._real.head(key)
        return ObjectInfo(key, len(data), bytes_hash(data), bytes_hash(data))

    def keys(self, prefix: str = "") -> Iterator[str]:
        """Keys of both, in order."""
        own = {key for key in self._written if key.startswith(prefix)}
        yield from sorted(own | set(self._real.keys(prefix)))

    def delete(self, key: str) -> None:
        """Take back what was written here; what the real store holds stays."""
        self._written.pop(key, None)
