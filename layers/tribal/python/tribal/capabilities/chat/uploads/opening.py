"""An upload on disk: one file, or an archive of files."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tribal.capabilities.chat.errors import UploadUnreadable
from tribal.capabilities.chat.uploads.archives import Archive, ArchiveEntry, open_archive
from tribal.capabilities.chat.uploads.kinds import HEAD_BYTES, base_name, is_archive, kind_of
from tribal.capabilities.chat.uploads.progress import ReadFile
from tribal_contracts.chat.settings import UploadLimits


@dataclass(frozen=True, slots=True)
class UploadItem:
    """One file of an upload."""

    name: str
    """Name without folders."""
    path: str | None
    """Path in the archive; `None` if it has no folders."""
    fetch: Callable[[], Path]
    """Unpacks the file to disk, where it stays until the next item is fetched. Raises `EntryRefused` if that fails."""


@contextmanager
def opened(upload: Path, filename: str, limits: UploadLimits) -> Iterator[list[UploadItem]]:
    """Open an upload and yield its files in order.

    Raises:
        UploadRefused: when the upload itself, not just one of its files, is unreadable or exceeds a limit.
    """
    if not is_archive(filename, head_of(upload)):
        name = base_name(filename)
        yield [UploadItem(name, None, lambda: upload)]
        return
    with open_archive(upload, base_name(filename), limits) as archive:
        if not archive.entries:
            raise UploadUnreadable(f"{base_name(filename)!r} contains no files")
        unpacked = upload.with_name("entry")
        yield [
            UploadItem(each.name, each.path, partial(_unpacked, archive, each, unpacked)) for each in archive.entries
        ]


def identified(item: UploadItem, path: Path) -> ReadFile:
    """Return a file with its ID and type, before it is read.

    Raises:
        UploadRefused: when the type is not supported.
    """
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    kind = kind_of(item.name, head_of(path))
    return ReadFile(filename=item.name, path=item.path, source_id=digest, kind=kind, size_bytes=path.stat().st_size)


def head_of(path: Path) -> bytes:
    """Return the first bytes of a file, from which its type is recognised."""
    with path.open("rb") as file:
        return file.read(HEAD_BYTES)


def _unpacked(archive: Archive, entry: ArchiveEntry, target: Path) -> Path:
    target.unlink(missing_ok=True)
    archive.unpack(entry, target)
    return target
