"""An object store in memory, held to the same conformance body as the real ones."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

from tribal.errors import ObjectNotFound, PreconditionFailed
from tribal.identity.hashing import bytes_hash
from tribal.identity.locations import require_key
from tribal.ports import ObjectInfo, StoredObject


class MemoryStore:
    """Keeps objects in a dictionary; safe to share between threads."""

    def __init__(self) -> None:
        self._objects: dict[str, bytes] = {}
        self._lock = threading.Lock()

    @property
    def location(self) -> str:
        return "memory"

    def get(self, key: str) -> StoredObject:
        require_key(key)
        data = self._objects.get(key)
        if data is None:
            raise ObjectNotFound(f"there is no {key!r} in memory")
        return StoredObject(data, bytes_hash(data))

    def lines(self, key: str) -> Iterator[bytes]:
        data = self.get(key).data
        lines = data.split(b"\n")
        return iter(lines if lines[-1] else lines[:-1])

    def put(self, key: str, data: bytes, *, if_match: str | None = None, if_absent: bool = False) -> str:
        require_key(key)
        with self._lock:
            present = self._objects.get(key)
            if if_absent and present is not None:
                raise PreconditionFailed(f"{key!r} already exists")
            if if_match is not None and (present is None or bytes_hash(present) != if_match):
                raise PreconditionFailed(f"{key!r} was changed by somebody else")
            self._objects[key] = bytes(data)
        return bytes_hash(data)

    def put_lines(self, key: str, lines: Iterable[bytes]) -> str:
        return self.put(key, b"".join(line + b"\n" for line in lines))

    def put_file(self, key: str, path: Path, *, if_absent: bool = False) -> str:
        return self.put(key, path.read_bytes(), if_absent=if_absent)

    def get_file(self, key: str, path: Path) -> str:
        data = self.get(key).data
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return bytes_hash(data)

    def head(self, key: str) -> ObjectInfo | None:
        require_key(key)
        data = self._objects.get(key)
        return None if data is None else ObjectInfo(key, len(data), bytes_hash(data), bytes_hash(data))

    def keys(self, prefix: str = "") -> Iterator[str]:
        with self._lock:
            return iter(sorted(key for key in self._objects if key.startswith(prefix)))

    def delete(self, key: str) -> None:
        require_key(key)
        with self._lock:
            self._objects.pop(key, None)

    def erase(self, key: str) -> None:
        self.delete(key)
