"""Open zip archives, which may be hostile. Entry names never become paths, and declared sizes are not trusted."""

from __future__ import annotations

import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from tribal.capabilities.chat.errors import UploadLimitExceeded, UploadUnreadable
from tribal.capabilities.chat.uploads.kinds import (
    READ_TYPES,
    base_name,
    is_archive_name,
    kind_by_name,
    path_parts,
    shown_path,
)
from tribal.capabilities.chat.uploads.zip_directory import (
    DEFLATED,
    LOCAL_HEADER,
    STORED,
    ArchiveDamaged,
    Directory,
    DirectoryEntry,
    DirectoryTooLarge,
    EntryDamaged,
    entry_bytes,
    read_directory,
)
from tribal.capabilities.chat.uploads.zip_names import entry_names
from tribal_contracts.chat.jobs import FileStatus
from tribal_contracts.chat.settings import UploadLimits

_DIRECTORY_BYTES_PER_ENTRY = 1_024
"""More than enough for a name of 255 characters and all usual fields."""
_ENCRYPTED, _PATCHED = 0x1 | 0x40 | 0x2000, 0x20
"""Flags of an entry."""
_FOLDER = 0x10
"""Attribute of an entry that is a folder."""
_MEGABYTE = 1024 * 1024
_JUNK_FOLDER = "__MACOSX"
_JUNK = (".ds_store", "thumbs.db", "desktop.ini")


class EntryRefused(Exception):
    """An entry cannot be read. The other entries are not affected."""

    def __init__(self, status: FileStatus, reason: str) -> None:
        super().__init__(reason)
        self.status: FileStatus = status
        self.reason = reason


@dataclass(frozen=True, slots=True)
class ArchiveEntry:
    """A file in an archive."""

    number: int
    """Position in the archive; it never changes."""
    name: str
    """Name without folders; several entries may share it."""
    path: str | None
    """Path with folders; `None` if it has none."""
    status: FileStatus | None
    """Why the entry cannot be unpacked; `None` if it can."""
    reason: str
    described: DirectoryEntry = field(repr=False)


class Archive:
    """An open archive, created by `open_archive`."""

    def __init__(
        self, file: BinaryIO, directory: Directory, name: str, limits: UploadLimits, now: Callable[[], float]
    ) -> None:
        self._file, self._name, self._limits, self._now = file, name, limits, now
        overlapping = _overlapping(directory)
        self.entries: list[ArchiveEntry] = [
            self._entry(number, each, found, number in overlapping)
            for number, (each, found) in enumerate(zip(directory.entries, entry_names(directory.entries), strict=True))
            if not _is_empty_folder(each, found) and not _is_junk(found)
        ]
        """Files in order, without folders and without the files that file managers add."""
        self._unpacked = 0
        # What an entry claims is the most that is unpacked of it.
        self._require_total(sum(each.described.size_bytes for each in self.entries if each.status is None))

    def unpack(self, entry: ArchiveEntry, target: Path) -> int:
        """Unpack an entry into a new file and return its size. If the entry is refused, no file is left.

        Raises:
            EntryRefused: when it cannot be unpacked, exceeds the maximum compression ratio, or takes too long.
            UploadLimitExceeded: when the entries are too large in total.
        """
        if entry.status is not None:
            raise EntryRefused(entry.status, entry.reason)
        with target.open("xb") as written:
            try:
                return self._copy(entry.described, written)
            except BaseException:
                target.unlink()
                raise

    def _copy(self, described: DirectoryEntry, written: BinaryIO) -> int:
        ends = self._now() + self._limits.file_seconds
        size = 0
        try:
            for piece in entry_bytes(self._file, described):
                size += len(piece)
                self._unpacked += len(piece)
                self._require_within(described, size, ends)
                written.write(piece)
        except EntryDamaged as error:
            raise EntryRefused("unreadable", "it is damaged") from error
        return size

    def _require_within(self, described: DirectoryEntry, size: int, ends: float) -> None:
        if size > self._limits.ratio * described.packed_bytes:
            raise EntryRefused("refused", self._too_packed)
        self._require_total(self._unpacked)
        if self._now() > ends:
            seconds = self._limits.file_seconds
            raise EntryRefused("refused", f"unpacking it took longer than {seconds} s (chat.uploads.file_seconds)")

    def _require_total(self, size: int) -> None:
        if size > self._limits.unpacked_mb * _MEGABYTE:
            raise UploadLimitExceeded(
                f"{self._name!r} unpacks to more than {self._limits.unpacked_mb:,} MB (chat.uploads.unpacked_mb); "
                "split it into several archives"
            )

    @property
    def _too_packed(self) -> str:
        return f"it unpacks to more than {self._limits.ratio} times its packed size (chat.uploads.ratio)"

    def _entry(self, number: int, described: DirectoryEntry, found: str | None, overlaps: bool) -> ArchiveEntry:
        # One without a name that can be read is shown as far as it can be.
        full = described.name.decode(errors="replace") if found is None else found
        name, shown = base_name(full), shown_path(full)
        path = None if shown == name else shown
        try:
            self._require_named(described, found)
            self._require_readable(name, described, overlaps)
        except EntryRefused as error:
            return ArchiveEntry(number, name, path, error.status, error.reason, described)
        return ArchiveEntry(number, name, path, None, "", described)

    def _require_named(self, described: DirectoryEntry, found: str | None) -> None:
        if described.is_damaged:
            raise EntryRefused("unreadable", "its entry in the archive's directory is damaged")
        if found is None:
            raise EntryRefused("unreadable", "its name is declared as UTF-8 but is not valid UTF-8; rename it")
        if not found:
            raise EntryRefused("unreadable", "it has no name")
        if _is_folder(described, found):
            raise EntryRefused("refused", "it is marked as a folder but contains data")

    def _require_readable(self, name: str, described: DirectoryEntry, overlaps: bool) -> None:
        mode = stat.S_IFMT(described.attributes >> 16)
        if stat.S_ISLNK(mode):
            raise EntryRefused("refused", "it is a symbolic link")
        if mode and not stat.S_ISREG(mode):
            raise EntryRefused("refused", "it is not a regular file")
        if is_archive_name(name):
            raise EntryRefused("refused", "it is an archive inside an archive; upload it separately")
        if kind_by_name(name) is None:
            raise EntryRefused("unsupported", f"its type is not supported; upload {READ_TYPES}")
        if described.flags & _ENCRYPTED:
            raise EntryRefused("encrypted", "remove the password and upload it again")
        if overlaps:
            raise EntryRefused("refused", "it overlaps another entry")
        if described.method not in (STORED, DEFLATED) or described.flags & _PATCHED:
            raise EntryRefused("unsupported", "its compression method is not supported; use deflate")
        if described.size_bytes > self._limits.ratio * described.packed_bytes:
            raise EntryRefused("refused", self._too_packed)


@contextmanager
def open_archive(
    file: Path, name: str, limits: UploadLimits, now: Callable[[], float] = time.monotonic
) -> Iterator[Archive]:
    """Open an archive.

    Args:
        file: path of the archive.
        name: name of the archive in messages.
        limits: limits on entries, sizes and times.
        now: returns the seconds of a monotonic clock.

    Raises:
        UploadUnreadable: when it is damaged.
        UploadLimitExceeded: when it has too many entries, or the entries are too large in total.
    """
    with file.open("rb") as opened:
        try:
            directory = read_directory(opened, limits.entries * _DIRECTORY_BYTES_PER_ENTRY)
        except DirectoryTooLarge:
            raise _too_many(name, limits) from None
        except ArchiveDamaged as error:
            raise UploadUnreadable(f"{name!r} is not a readable zip archive") from error
        if len(directory.entries) > limits.entries:
            raise _too_many(name, limits)
        yield Archive(opened, directory, name, limits, now)


def _too_many(name: str, limits: UploadLimits) -> UploadLimitExceeded:
    return UploadLimitExceeded(
        f"{name!r} has more than {limits.entries:,} entries (chat.uploads.entries); split it into several archives"
    )


def _is_folder(described: DirectoryEntry, name: str) -> bool:
    is_marked = bool(described.attributes & _FOLDER) or stat.S_ISDIR(described.attributes >> 16)
    return is_marked or name.endswith(("/", "\\"))


def _is_empty_folder(described: DirectoryEntry, name: str | None) -> bool:
    return bool(name) and _is_folder(described, str(name)) and not described.size_bytes


def _is_junk(name: str | None) -> bool:
    *folders, last = path_parts(name or "")
    return _JUNK_FOLDER in folders or last.lower() in _JUNK


def _overlapping(directory: Directory) -> set[int]:
    """Return the positions of entries that share bytes with another entry or with the directory."""
    spans = sorted(
        (each.offset, each.offset + LOCAL_HEADER.size + each.packed_bytes, number)
        for number, each in enumerate(directory.entries)
        if not each.is_damaged
    )
    found = {number for start, stop, number in spans if start < 0 or stop > directory.start}
    reach = (0, -1)
    for start, stop, number in spans:
        if start < reach[0]:
            found |= {number, reach[1]}
        reach = max(reach, (stop, number))
    return found
