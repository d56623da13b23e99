"""A store whose process is killed at one of its writes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from tribal.ports import ObjectStore

Result = TypeVar("Result")


class Killed(BaseException):
    """What a killed process would have done next."""


class DyingStore:
    """A store of a process that is killed after so many writes; leases are always written."""

    def __init__(self, store: ObjectStore, writes: int) -> None:
        self._store = store
        self._left = writes

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def put(self, key: str, data: bytes, **conditions: Any) -> str:
        return self._write(key, lambda: self._store.put(key, data, **conditions))

    def put_lines(self, key: str, lines: Iterable[bytes]) -> str:
        return self._write(key, lambda: self._store.put_lines(key, lines))

    def put_file(self, key: str, path: Path, **conditions: Any) -> str:
        return self._write(key, lambda: self._store.put_file(key, path, **conditions))

    def delete(self, key: str) -> None:
        self._write(key, lambda: self._store.delete(key))

    def erase(self, key: str) -> None:
        self._write(key, lambda: self._store.erase(key))

    def _write(self, key: str, write: Callable[[], Result]) -> Result:
        if "lease" in key:
            return write()
        if self._left == 0:
            raise Killed
        self._left -= 1
        return write()
