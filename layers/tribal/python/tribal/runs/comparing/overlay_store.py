"""An in-memory overlay on a store, for trying out a plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tribal.errors import StoreError
from tribal.identity.hashing import bytes_hash
from tribal.ports import ObjectInfo, ObjectStore, StoredObject


class OverlayStore:
    """Reads through to a real store and keeps writes in memory; nothing reaches the real store.

    Slices are discarded at once, since planning only writes them and never reads them.
    """

    def __init__(self, real: ObjectStore) -> None:
        self._real = real
        self._written: dict[str, bytes] = {}

    @property
    def location(self) -> str:
        """The location of the real store."""
        return self._real.location

    def get(self, key: str) -> StoredObject:
        """The object written here, or the one in the real store."""
        data = self._written.get(key)
        return self._real.get(key) if data is None else StoredObject(data, bytes_hash(data))

    def lines(self, key: str) -> Iterator[bytes]:
        """The object's lines."""
        data = self._written.get(key)
        return self._real.lines(key) if data is None else iter(data.removesuffix(b"\n").split(b"\n"))

    def put(self, key: str, data: bytes, *, if_match: str | None = None, if_absent: bool = False) -> str:
        """Keep an object in memory; conditional puts are not supported."""
        if if_match is not None or if_absent:
            raise StoreError("an overlay does not support conditional puts")
        if "/slices/" not in key:
            self._written[key] = data
        return bytes_hash(data)

    def put_lines(self, key: str, lines: Iterable[bytes]) -> str:
        """Keep an object made of lines in memory."""
        return self.put(key, b"".join(line + b"\n" for line in lines))

    def head(self, key: str) -> ObjectInfo | None:
        """Metadata of an object, written here or in the real store."""
        data = self._written.get(key)
        if data is None:
            return self._real.head(key)
        return ObjectInfo(key, len(data), bytes_hash(data), bytes_hash(data))

    def keys(self, prefix: str = "") -> Iterator[str]:
        """Keys of both stores, in order."""
        own = {key for key in self._written if key.startswith(prefix)}
        yield from sorted(own | set(self._real.keys(prefix)))

    def delete(self, key: str) -> None:
        """Discard what was written here; the real store is unaffected."""
        self._written.pop(key, None)
