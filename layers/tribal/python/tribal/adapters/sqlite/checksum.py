"""The checksum of the published file: stored next to it, checked in full by runs and, where that is free, by readers.

A reader compares the file's times, size and inode with those stored when it was published, which costs nothing. Only a
file that is another by these, such as one that was copied, or written to, is read and hashed. A run always hashes.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from tribal.adapters.local.durable_files import move_into_place, temporary_file, write_through
from tribal.adapters.local.file_identity import FileIdentity
from tribal.adapters.sqlite.schema import READ_ERRORS, connect_published, inspect


@dataclass(frozen=True, slots=True)
class Published:
    """A file that was published, or is about to be; without `seen`, its identity is not known yet."""

    sha256: str
    seen: tuple[int, ...] | None = None
    """Inode, modification and change time, and size; the device is left out, since it changes with a mount."""


State = Literal["intact", "damaged", "unknown"]


def announce(path: Path, coming: Path) -> Published:
    """Store the checksum of a file before it replaces the current one, next to that of the current one."""
    published = Published(hash_of(coming))
    _write(path, [*_read(path), published])
    return published


def confirm(path: Path, published: Published) -> None:
    """Store the identity of the announced file in its place, and drop the previous checksum."""
    _write(path, [Published(published.sha256, _seen(FileIdentity.of(path)))])


def forget(path: Path) -> None:
    """Remove the stored checksums, because another file takes the place."""
    with suppress(NotADirectoryError):
        _sibling(path).unlink(missing_ok=True)


def of_published(path: Path, file: FileIdentity) -> State:
    """The state of a file by its checksum; `unknown` if none is stored."""
    stored = _read(path)
    if not stored:
        return "unknown"
    if any(published.seen == _seen(file) for published in stored):
        return "intact"
    return "intact" if _matches(path, stored) else "damaged"


def is_intact(path: Path) -> bool:
    """Whether the file, if there is one, has the bytes that were published.

    It is hashed in full or, if no hash is stored, checked by SQLite.
    """
    try:
        file = FileIdentity.of(path)
        stored = _read(path)
        if file is None or not stored:
            return file is None or _passes(path)
        return _matches(path, stored)
    except OSError:
        return False


def is_proven(path: Path) -> bool:
    """Whether a checksum is stored and matches the file."""
    try:
        return _matches(path, _read(path))
    except OSError:
        return False


def _matches(path: Path, stored: Sequence[Published]) -> bool:
    return hash_of(path) in {published.sha256 for published in stored}


def complete(path: Path) -> None:
    """Note hash and identity of our intact file where they are missing, as after a kill, or in a copied store.

    Raises:
        OSError: when that cannot be written.
    """
    file = FileIdentity.of(path)
    if file is None or inspect(path) != "ours" or any(published.seen == _seen(file) for published in _read(path)):
        return
    confirm(path, Published(hash_of(path)))


def _passes(path: Path) -> bool:
    try:
        with closing(connect_published(path)) as connection:
            return passes_quick_check(connection)
    except READ_ERRORS:
        return False


def passes_quick_check(connection: sqlite3.Connection) -> bool:
    """Whether SQLite finds no damage in the structure of a file."""
    try:
        return bool(connection.execute("PRAGMA quick_check(1)").fetchall() == [("ok",)])
    except READ_ERRORS:
        return False


def _seen(file: FileIdentity | None) -> tuple[int, ...] | None:
    return None if file is None else (file.inode, file.modified_ns, file.changed_ns, file.size_bytes)


def hash_of(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb", buffering=0) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sibling(path: Path) -> Path:
    return path.with_name(path.name + "-sum")


def _read(path: Path) -> list[Published]:
    """The stored checksums of a file; empty if they are missing or damaged."""
    try:
        entries = json.loads(_sibling(path).read_bytes())["published"]
        return [Published(str(one["sha256"]), tuple(one["seen"]) if one["seen"] else None) for one in entries]
    except (OSError, ValueError, TypeError, LookupError):
        return []


def _write(path: Path, published: Sequence[Published]) -> None:
    target = _sibling(path)
    data = json.dumps({"published": [asdict(one) for one in published]}, indent=2).encode() + b"\n"
    with temporary_file(target.parent) as (file, temporary):
        write_through(file, [data])
        move_into_place(temporary, target)
