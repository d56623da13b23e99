"""An upload on this machine's disk: one file, or an archive of files."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tribal.capabilities.chat.errors import UploadLimitExceeded, UploadRefused, UploadTooLarge, UploadUnreadable
from tribal.capabilities.chat.uploads.archives import entries
from tribal.capabilities.chat.uploads.kinds import base_name, is_archive, kind_of
from tribal.capabilities.chat.uploads.progress import ReadFile
from tribal_contracts.chat.jobs import FileStatus
from tribal_contracts.chat.settings import UploadLimits

HEAD_BYTES = 4_096
"""First bytes by which a type is recognised."""


@dataclass(frozen=True, slots=True)
class UploadItem:
    """One file of an upload."""

    name: str
    """Without folders."""
    problem: tuple[FileStatus, str] | None
    """Why it is not read."""
    open: Callable[[], Path]
    """Puts it on the disk, until the next item is opened. Raises `UploadRefused` when that is not possible."""


def items_of(upload: Path, filename: str, limits: UploadLimits) -> list[UploadItem]:
    """The files of an upload, in order.

    Raises:
        UploadRefused: when the whole upload cannot be read, or exceeds a limit.
    """
    if not is_archive(filename, head_of(upload)):
        return [UploadItem(base_name(filename), None, lambda: upload)]
    extracted = upload.with_name("entry")

    def opener(extract: Callable[[Path], object]) -> Callable[[], Path]:
        def opened() -> Path:
            extracted.unlink(missing_ok=True)
            extract(extracted)
            return extracted

        return opened

    found = [UploadItem(each.name, each.problem, opener(each.extract)) for each in entries(upload, limits)]
    if not found:
        raise UploadUnreadable("the archive has no files")
    return found


def identified(item: UploadItem, path: Path) -> ReadFile:
    """A file with its id and its kind, before it is read.

    Raises:
        UploadRefused: when it is of a type that is not read.
    """
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    kind = kind_of(item.name, head_of(path))
    return ReadFile(filename=item.name, source_id=digest, kind=kind, size_bytes=path.stat().st_size)


def head_of(path: Path) -> bytes:
    """The first bytes of a file."""
    with path.open("rb") as file:
        return file.read(HEAD_BYTES)


def status_of(error: UploadRefused) -> FileStatus:
    """What becomes of a file that is refused."""
    if isinstance(error, UploadUnreadable):
        return "unreadable"
    return "refused" if isinstance(error, UploadLimitExceeded | UploadTooLarge) else "unsupported"
