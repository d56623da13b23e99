"""An object store in a folder, and the lock that shows whether a run is active in it."""

from __future__ import annotations

import errno
import hashlib
import itertools
import os
import stat
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from filelock import FileLock, Timeout

from tribal.adapters.local.durable_files import (
    is_abandoned,
    make_folder,
    move_into_place,
    sync_folder,
    temporary_file,
    write_file,
    write_through,
)
from tribal.adapters.local.file_identity import FileIdentity
from tribal.errors import (
    ObjectDamaged,
    ObjectNotFound,
    PreconditionFailed,
    StoreError,
    StoreUnwritable,
    unwritable,
)
from tribal.identity.hashing import bytes_hash
from tribal.identity.locations import DOCUMENTATION_LEASE, PRIVATE_FOLDERS, is_key, require_key
from tribal.ports import ObjectInfo, StoredObject

_OWN_FOLDER = ".tribal"
_BUFFER_BYTES = 1 << 18
_HASHES_KEPT = 100_000
_IGNORE_FILE, _IGNORE_ALL = ".gitignore", b"*\n"
_LOCK_POLL_SECONDS = 0.002
_ABSENT = (FileNotFoundError, NotADirectoryError, IsADirectoryError)


class FolderStore:
    """Stores each object as a file at that path; `etag` and `content_hash` are the SHA-256 of its bytes.

    Users may edit the files, so every read sees the file as it is now. Names that begin with a dot are never listed.
    The first put creates the folder, and the first one into a private folder a `.gitignore` there. Conditional puts and
    deletions are atomic across processes, plain puts only across the threads of one process, so objects that several
    processes write must always be put conditionally.
    """

    def __init__(self, root: Path) -> None:
        self._root = root.expanduser().resolve()
        self._own_folders: set[Path] = {self._root}
        self._ignore_files: set[Path] = set()
        self._hashes: dict[str, tuple[FileIdentity, str]] = {}
        self._mutex = threading.Lock()
        self._file_lock = FileLock(self._root / _OWN_FOLDER / "store.lock", thread_local=False)

    @property
    def location(self) -> str:
        """The absolute path of the folder."""
        return str(self._root)

    def get(self, key: str) -> StoredObject:
        """Read a whole file."""
        path = self._path(key)
        with _reading(key, path), path.open("rb") as file:
            data, modified = file.read(), os.fstat(file.fileno()).st_mtime
        return StoredObject(data, bytes_hash(data), _time(modified))

    def lines(self, key: str) -> Iterator[bytes]:
        """Read a file line by line; it is opened when the first line is read."""
        path = self._path(key)
        with _reading(key, path), path.open("rb", buffering=_BUFFER_BYTES) as file:
            for line in file:
                yield line.removesuffix(b"\n")

    def put(self, key: str, data: bytes, *, if_match: str | None = None, if_absent: bool = False) -> str:
        """Write a file via a temporary one next to it: readers see either the old bytes or the new."""
        return self._write(key, (data,), if_match, if_absent)

    def put_lines(self, key: str, lines: Iterable[bytes]) -> str:
        """Write a file line by line; an error in `lines` leaves the old file unchanged."""
        return self._write(key, (line + b"\n" for line in lines), None, False)

    def put_file(self, key: str, path: Path, *, if_absent: bool = False) -> str:
        """Copy a local file into the store."""
        with path.open("rb", buffering=0) as file:
            return self._write(key, _chunks(file), None, if_absent)

    def get_file(self, key: str, path: Path) -> str:
        """Copy a file out of the store."""
        return write_file(path, self._read_chunks(key))

    def head(self, key: str) -> ObjectInfo | None:
        """Size and hash of the file, which is read only if it changed since the last call."""
        path = self._path(key)
        try:
            with _reading(key, path):
                size_bytes, digest = self._fingerprint(key, path)
        except ObjectNotFound:
            return None
        return ObjectInfo(key, size_bytes, digest, digest)

    def keys(self, prefix: str = "") -> Iterator[str]:
        """Keys in code point order, as S3 lists them; reads one folder at a time."""
        folder = prefix.rpartition("/")[0]
        if folder:
            try:
                require_key(folder)
            except StoreError:
                return
        yield from self._walk(f"{folder}/" if folder else "", prefix)

    def delete(self, key: str) -> None:
        """Remove a file, and the folders that this leaves empty."""
        path = self._path(key)
        try:
            self._require_own(path)
            with self._alone():
                if not path.is_file():
                    return
                path.unlink(missing_ok=True)
            sync_folder(path.parent)
        except OSError as exc:
            raise unwritable(path, exc) from exc
        for folder in path.parents:
            if folder == self._root:
                break
            try:
                folder.rmdir()
            except OSError:
                break
            self._own_folders.discard(folder)

    def erase(self, key: str) -> None:
        """Remove a file, of which the store has no other version."""
        self.delete(key)

    def sweep(self) -> int:
        """Remove half-written files of killed processes, and return their number.

        Called when a run starts. Files of living processes are left alone.
        """
        swept = 0
        for folder, _, names in os.walk(self._root):
            for name in names:
                path = Path(folder, name)
                if is_abandoned(path):
                    try:
                        path.unlink(missing_ok=True)
                    except OSError as exc:
                        raise unwritable(path, exc) from exc
                    swept += 1
        return swept

    def _read_chunks(self, key: str) -> Iterator[bytes]:
        path = self._path(key)
        with _reading(key, path), path.open("rb", buffering=0) as file:
            yield from _chunks(file)

    def _path(self, key: str) -> Path:
        require_key(key)
        return self._root / key

    def _walk(self, start: str, prefix: str) -> Iterator[str]:
        try:
            with os.scandir(self._root / start) as entries:
                # Sort a folder like its keys: with the trailing slash.
                found = sorted(
                    (entry.name + "/" if entry.is_dir(follow_symlinks=False) else entry.name, entry)
                    for entry in entries
                    if not entry.name.startswith(".")
                )
        except _ABSENT:
            return
        except OSError as exc:
            raise StoreError(f"cannot list {str(self._root / start)!r}: {exc.strerror}") from exc
        for name, entry in found:
            key = start + name
            if name.endswith("/"):
                if key.startswith(prefix) or prefix.startswith(key):
                    yield from self._walk(key, prefix)
            elif key.startswith(prefix) and _is_file(entry) and is_key(key):
                yield key

    def _fingerprint(self, key: str, path: Path) -> tuple[int, str]:
        """Size and hash of a file.

        Raises:
            OSError: when it cannot be read.
        """
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        known = self._hashes.get(key)
        if known is not None and known[0] == FileIdentity.of_status(status):
            return status.st_size, known[1]
        with path.open("rb", buffering=0) as file:
            mark = FileIdentity.of_status(os.fstat(file.fileno()))
            settled = mark.is_settled(time.time_ns())
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        if settled:
            if len(self._hashes) >= _HASHES_KEPT:
                self._hashes.clear()
            self._hashes[key] = (mark, digest)
        return mark.size_bytes, digest

    def _write(self, key: str, chunks: Iterable[bytes], if_match: str | None, if_absent: bool) -> str:
        path = self._path(key)
        try:
            self._require_own(path)
            self._keep_out_of_git(path)
            with temporary_file(path.parent) as (file, temporary):
                digest = write_through(file, chunks)
                if if_match is None and not if_absent:
                    # Locking would make a small put a fifth slower.
                    with self._mutex:
                        move_into_place(temporary, path)
                else:
                    with self._alone():
                        self._require_state(key, path, if_match, if_absent)
                        move_into_place(temporary, path)
            sync_folder(path.parent)
        except OSError as exc:
            raise unwritable(path, exc) from exc
        return digest

    def _require_state(self, key: str, path: Path, if_match: str | None, if_absent: bool) -> None:
        try:
            present = self._fingerprint(key, path)[1]
        except (FileNotFoundError, IsADirectoryError):
            present = None
        if if_absent and present is not None:
            raise PreconditionFailed(f"{str(path)!r} already exists; read it again")
        if if_match is not None and present != if_match:
            raise PreconditionFailed(f"another process changed {str(path)!r}; read it again")

    def _require_own(self, path: Path) -> None:
        """Refuse to write through a symbolic link, which may lead out of the store."""
        links = [path] if path.is_symlink() else []
        if path.parent not in self._own_folders:
            inside = itertools.takewhile(lambda folder: folder != self._root, path.parents)
            links += [folder for folder in inside if folder.is_symlink()]
        if links:
            raise StoreUnwritable(
                f"{str(links[0])!r} is a symbolic link, and the store does not write through links; "
                "replace it with a real file or folder"
            )
        self._own_folders.add(path.parent)

    def _keep_out_of_git(self, path: Path) -> None:
        """Make git ignore a private folder, unless a person has decided otherwise there."""
        top, *below = path.relative_to(self._root).parts
        ignore = self._root / top / _IGNORE_FILE
        if top not in PRIVATE_FOLDERS or not below or ignore in self._ignore_files:
            return
        if not ignore.exists():
            with temporary_file(ignore.parent) as (file, temporary):
                write_through(file, (_IGNORE_ALL,))
                move_into_place(temporary, ignore)
        self._ignore_files.add(ignore)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Exclude other threads and processes from writing."""
        with self._mutex:
            try:
                self._file_lock.acquire(poll_interval=_LOCK_POLL_SECONDS)
            except FileNotFoundError:
                make_folder(self._root / _OWN_FOLDER)
                self._file_lock.acquire(poll_interval=_LOCK_POLL_SECONDS)
            try:
                yield
            finally:
                self._file_lock.release()


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    return iter(lambda: file.read(_BUFFER_BYTES), b"")


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:  # a link that leads to itself
        return False


class FolderLock:
    """The operating system's lock for a lease on a store; freed when the process holding it dies."""

    def __init__(self, root: Path, name: str = DOCUMENTATION_LEASE) -> None:
        self._folder = root.expanduser().resolve() / _OWN_FOLDER
        # Keep the historical file name for documentation runs, so that two program versions exclude each other.
        file = "run.lock" if name == DOCUMENTATION_LEASE else f"{name}.lock"
        self._lock = FileLock(self._folder / file, thread_local=False)

    def try_acquire(self) -> bool:
        """Take the lock without waiting; `False` while another process or another `FolderLock` holds it."""
        try:
            make_folder(self._folder)
            self._lock.acquire(timeout=0)
        except Timeout:
            return False
        except OSError as exc:
            raise unwritable(self._folder, exc) from exc
        return True

    def release(self) -> None:
        """Release the lock."""
        self._lock.release(force=True)


def _time(seconds: float) -> datetime | None:
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OSError, OverflowError, ValueError):  # a file may carry a time that no calendar has
        return None


@contextmanager
def _reading(key: str, path: Path) -> Iterator[None]:
    try:
        yield
    except _ABSENT as exc:
        blocked = isinstance(exc, IsADirectoryError) or path.is_symlink()
        message = f"there is no {key!r} in the store: {str(path)!r} is not a file"
        raise ObjectNotFound(message, blocked=blocked) from exc
    except OSError as exc:
        if exc.errno == errno.ENAMETOOLONG:
            raise ObjectNotFound(f"there is no {key!r} in the store: such a file cannot exist") from exc
        raise ObjectDamaged(f"cannot read {str(path)!r}: {exc.strerror}") from exc
