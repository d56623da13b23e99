"""A store that reports each damaged object once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from tribal.ports import ObjectInfo, ObjectStore, StoredObject

NAMED_OBJECTS = 20
"""Maximum number of damaged objects to name."""


class WatchedStore:
    """Wraps a store; `notify` gets a line for each damaged object that is rebuilt."""

    def __init__(self, inner: ObjectStore, notify: Callable[[str], None]) -> None:
        self._inner = inner
        self._notify = notify
        self._damaged: set[str] = set()
        self._lock = threading.Lock()

    def report(self, key: str) -> None:
        """Report a damaged object once."""
        with self._lock:
            if key in self._damaged:
                return
            self._damaged.add(key)
            number = len(self._damaged)
        if number <= NAMED_OBJECTS:
            self._notify(f"{key} is damaged and will be rebuilt")
        elif number == NAMED_OBJECTS + 1:
            self._notify("more files are damaged; all of them will be rebuilt")

    @property
    def location(self) -> str:
        """The location of the other store."""
        return self._inner.location

    def get(self, key: str) -> StoredObject:
        """Pass on."""
        return self._inner.get(key)

    def lines(self, key: str) -> Iterator[bytes]:
        """Pass on."""
        return self._inner.lines(key)

    def put(self, key: str, data: bytes, *, if_match: str | None = None, if_absent: bool = False) -> str:
        """Pass on."""
        return self._inner.put(key, data, if_match=if_match, if_absent=if_absent)

    def put_lines(self, key: str, lines: Iterable[bytes]) -> str:
        """Pass on."""
        return self._inner.put_lines(key, lines)

    def put_file(self, key: str, path: Path, *, if_absent: bool = False) -> str:
        """Pass on."""
        return self._inner.put_file(key, path, if_absent=if_absent)

    def get_file(self, key: str, path: Path) -> str:
        """Pass on."""
        return self._inner.get_file(key, path)

    def head(self, key: str) -> ObjectInfo | None:
        """Pass on."""
        return self._inner.head(key)

    def keys(self, prefix: str = "") -> Iterator[str]:
        """Pass on."""
        return self._inner.keys(prefix)

    def delete(self, key: str) -> None:
        """Pass on."""
        self._inner.delete(key)

    def erase(self, key: str) -> None:
        """Pass on."""
        self._inner.erase(key)


def report_damage(store: ObjectStore, key: str) -> None:
    """Report a damaged object to a `WatchedStore`."""
    if isinstance(store, WatchedStore):
        store.report(key)
