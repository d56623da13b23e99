"""Atomic, durable file writes: after a crash or power cut, a file has either its old or its new contents."""

from __future__ import annotations

import errno
import hashlib
import itertools
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

_TEMPORARY = ".tmp-"
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_BUFFER_BYTES = 1 << 18
# A new folder may be removed at once by another process that deletes its last object.
_ATTEMPTS = 20
_ABANDONED_SECONDS = 24 * 3600

# Makes names unique even when a process gets the id of one that was killed.
_numbers = itertools.count(time.time_ns())
_in_progress: set[str] = set()


@contextmanager
def temporary_file(folder: Path) -> Iterator[tuple[BinaryIO, Path]]:
    """Open a new file for writing, for the caller to rename; removed on error. Creates the folder.

    Raises:
        OSError: when it cannot be created.
    """
    descriptor, path = _open_temporary(folder)
    try:
        with os.fdopen(descriptor, "wb", buffering=_BUFFER_BYTES) as file:
            yield file, path
    except BaseException:
        with suppress(OSError):
            path.unlink(missing_ok=True)
        raise
    finally:
        _in_progress.discard(path.name)


def _open_temporary(folder: Path) -> tuple[int, Path]:
    for _ in range(_ATTEMPTS):
        path = folder / f"{_TEMPORARY}{os.getpid()}-{next(_numbers)}"
        try:
            descriptor = os.open(path, _NEW_FILE, 0o666)
        except FileNotFoundError:
            with suppress(FileNotFoundError):
                make_folder(folder)
        else:
            _in_progress.add(path.name)
            return descriptor, path
    raise FileNotFoundError(errno.ENOENT, "the folder cannot be made")


def write_through(file: BinaryIO, chunks: Iterable[bytes]) -> str:
    """Write a file through to the disk, close it, and return the SHA-256 of its bytes."""
    digest = hashlib.sha256()
    with file:
        for chunk in chunks:
            digest.update(chunk)
            file.write(chunk)
        file.flush()
        os.fsync(file.fileno())
    return digest.hexdigest()


def write_file(path: Path, chunks: Iterable[bytes]) -> str:
    """Write a new file, or replace one, in one step; returns the SHA-256 of its bytes.

    Raises:
        OSError: when it cannot be written.
    """
    with temporary_file(path.parent) as (file, temporary):
        digest = write_through(file, chunks)
        move_into_place(temporary, path)
    return digest


def move_into_place(temporary: Path, path: Path) -> None:
    """Rename a file to its place, from which an empty folder is removed.

    Raises:
        OSError: when that is not possible, for instance because a folder with files is in its place.
    """
    try:
        temporary.replace(path)
    except IsADirectoryError as occupied:
        try:
            path.rmdir()
        except OSError:
            raise occupied from None
        temporary.replace(path)


def make_folder(folder: Path) -> None:
    """Create a folder and its missing parents durably."""
    if folder.is_dir():
        return
    if folder.parent != folder:
        make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    with suppress(PermissionError):  # creating a folder does not require permission to read its parent
        sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Make the entries of a folder durable."""
    if os.name == "nt":  # Windows has no such call and needs none
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except FileNotFoundError:  # another process deleted the new file, and the empty folder with it
        return
    try:
        os.fsync(descriptor)
    except OSError as exc:
        if exc.errno not in (errno.EINVAL, errno.ENOTSUP):  # some network file systems have no such call
            raise
    finally:
        os.close(descriptor)


def is_abandoned(path: Path) -> bool:
    """Whether this is a temporary file of a dead process, or one older than a day."""
    if not path.name.startswith(_TEMPORARY):
        return False
    try:
        process = int(path.name.removeprefix(_TEMPORARY).partition("-")[0])
        age_seconds = time.time() - path.stat().st_mtime
    except (ValueError, FileNotFoundError):
        return False
    if process == os.getpid():
        return path.name not in _in_progress
    if age_seconds > _ABANDONED_SECONDS:
        return True
    if os.name == "nt":  # on Windows, where signal 0 would kill the process
        return False
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return True
    except PermissionError:
        return False
    return False
