"""Opens zip archives that may be hostile. Names of entries never become paths, and their sizes are never believed."""

from __future__ import annotations

import io
import stat
import struct
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from tribal.capabilities.chat.errors import UploadLimitExceeded, UploadUnreadable
from tribal.capabilities.chat.uploads.kinds import READ_TYPES, base_name, is_archive_name, kind_by_name
from tribal_contracts.chat.jobs import FileStatus
from tribal_contracts.chat.settings import UploadLimits

_PIECE_BYTES = 64 * 1024
_DIRECTORY_BYTES_PER_ENTRY = 1_024
"""More than a name of 255 characters and every usual field need."""
_END_OF_DIRECTORY_BYTES = 80 * 1024
"""The end of an archive with the longest comment is a little over 64 KB."""
_LOCAL_HEADER_BYTES = 30
_ENCRYPTED, _PATCHED = 0x1 | 0x40 | 0x2000, 0x20
"""Flags of an entry."""
_MEGABYTE = 1024 * 1024
_JUNK_FOLDER = "__MACOSX"
_JUNK = (".ds_store", "thumbs.db", "desktop.ini")
_DAMAGED = (
    BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OverflowError,
    struct.error,
)
"""What `zipfile` raises for damaged archives and entries."""


class EntryRefused(Exception):
    """An entry is not read; the others are."""

    def __init__(self, status: FileStatus, reason: str) -> None:
        super().__init__(reason)
        self.status: FileStatus = status
        self.reason = reason


@dataclass(frozen=True, slots=True)
class ArchiveEntry:
    """A file of an archive."""

    number: int
    """Its place in the archive, the same each time."""
    name: str
    """Without folders; several entries may have the same."""
    status: FileStatus | None
    """Why it cannot be unpacked; `None` if it can be."""
    reason: str
    info: ZipInfo = field(repr=False)


class Archive:
    """An open archive. `open_archive` opens it."""

    def __init__(self, zipped: ZipFile, name: str, limits: UploadLimits, now: Callable[[], float]) -> None:
        self._zipped, self._name, self._limits, self._now = zipped, name, limits, now
        infos = zipped.infolist()
        overlapping = _overlapping(infos, zipped.start_dir)
        self.entries: list[ArchiveEntry] = [
            self._entry(number, info, number in overlapping)
            for number, info in enumerate(infos)
            if not info.is_dir() and not _is_junk(info)
        ]
        """Its files in order, without folders and what file managers add."""
        self._unpacked = 0
        # What an entry claims is the most that `zipfile` unpacks of it.
        self._require_total(sum(each.info.file_size for each in self.entries if each.status is None))

    def unpack(self, entry: ArchiveEntry, target: Path) -> int:
        """Write an entry to a new file, and return its size; nothing is left of one that is refused.

        Raises:
            EntryRefused: when it cannot be unpacked, or is too large for its packed size or too slow.
            UploadLimitExceeded: when all entries together are too large.
        """
        if entry.status is not None:
            raise EntryRefused(entry.status, entry.reason)
        with target.open("xb") as written:
            try:
                return self._copy(entry.info, written)
            except BaseException:
                target.unlink()
                raise

    def _copy(self, info: ZipInfo, written: io.BufferedWriter) -> int:
        ends = self._now() + self._limits.file_seconds
        size = 0
        try:
            with self._zipped.open(info) as packed:
                while piece := packed.read(_PIECE_BYTES):
                    size += len(piece)
                    self._unpacked += len(piece)
                    self._require_within(info, size, ends)
                    written.write(piece)
        except _DAMAGED as error:
            raise EntryRefused("unreadable", "it is damaged") from error
        return size

    def _require_within(self, info: ZipInfo, size: int, ends: float) -> None:
        if size > self._limits.ratio * info.compress_size:
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
        return f"it is more than {self._limits.ratio} times as large as it is packed (chat.uploads.ratio)"

    def _entry(self, number: int, info: ZipInfo, overlaps: bool) -> ArchiveEntry:
        name = base_name(info.orig_filename)
        try:
            self._require_readable(name, info, overlaps)
        except EntryRefused as error:
            return ArchiveEntry(number, name, error.status, error.reason, info)
        return ArchiveEntry(number, name, None, "", info)

    def _require_readable(self, name: str, info: ZipInfo, overlaps: bool) -> None:
        mode = stat.S_IFMT(info.external_attr >> 16)
        if stat.S_ISLNK(mode):
            raise EntryRefused("refused", "it is a link")
        if mode and not stat.S_ISREG(mode):
            raise EntryRefused("refused", "it is not a regular file")
        if is_archive_name(name):
            raise EntryRefused("refused", "it is an archive in an archive; upload it by itself")
        if kind_by_name(name) is None:
            raise EntryRefused("unsupported", f"it is not of a type that is read; upload {READ_TYPES}")
        if info.flag_bits & _ENCRYPTED:
            raise EntryRefused("encrypted", "it is encrypted; upload it without a password")
        if overlaps:
            raise EntryRefused("refused", "it overlaps another entry")
        if info.compress_type not in (ZIP_STORED, ZIP_DEFLATED) or info.flag_bits & _PATCHED:
            raise EntryRefused("unsupported", "it is packed by a method that is not read; pack it with deflate")
        if info.file_size > self._limits.ratio * info.compress_size:
            raise EntryRefused("refused", self._too_packed)


@contextmanager
def open_archive(
    file: Path, name: str, limits: UploadLimits, now: Callable[[], float] = time.monotonic
) -> Iterator[Archive]:
    """Open an archive.

    Args:
        file: where it is.
        name: what messages call it.
        limits: of entries, sizes and times.
        now: seconds on a monotonic clock.

    Raises:
        UploadUnreadable: when it is damaged.
        UploadLimitExceeded: when it has too many entries, or they are too large together.
    """
    with _DirectoryLimited(io.FileIO(file)) as opened:
        opened.largest_read = max(_END_OF_DIRECTORY_BYTES, limits.entries * _DIRECTORY_BYTES_PER_ENTRY)
        try:
            zipped = ZipFile(opened)
        except _DirectoryTooLarge:
            raise _too_many(name, limits) from None
        # Older versions of Python 3.11 seek to negative places.
        except (*_DAMAGED, OSError) as error:
            raise UploadUnreadable(f"{name!r} is not a zip archive that can be read") from error
        opened.largest_read = None
        with zipped:
            if len(zipped.infolist()) > limits.entries:
                raise _too_many(name, limits)
            yield Archive(zipped, name, limits, now)


class _DirectoryTooLarge(Exception):
    """The directory of an archive is larger than its entries may need."""


class _DirectoryLimited(io.BufferedReader):
    """A file of which no large part is read at once.

    `ZipFile` reads the whole directory of an archive, whatever number of entries the archive claims, and makes an
    object of each.
    """

    largest_read: int | None = None

    def read(self, size: int | None = -1, /) -> bytes:
        if self.largest_read is not None and size is not None and size > self.largest_read:
            raise _DirectoryTooLarge
        return super().read(size)


def _too_many(name: str, limits: UploadLimits) -> UploadLimitExceeded:
    return UploadLimitExceeded(
        f"{name!r} has more than {limits.entries:,} entries (chat.uploads.entries); split it into several archives"
    )


def _is_junk(info: ZipInfo) -> bool:
    *folders, last = info.orig_filename.replace("\\", "/").split("/")
    return _JUNK_FOLDER in folders or last.lower() in _JUNK


def _overlapping(infos: Sequence[ZipInfo], end: int) -> set[int]:
    """Places of the entries whose bytes are also those of another entry or of the directory, which begins at `end`."""
    spans = sorted(
        (info.header_offset, info.header_offset + _LOCAL_HEADER_BYTES + info.compress_size, number)
        for number, info in enumerate(infos)
    )
    found = {number for start, stop, number in spans if start < 0 or stop > end}
    reach = (0, -1)
    for start, stop, number in spans:
        if start < reach[0]:
            found |= {number, reach[1]}
        reach = max(reach, (stop, number))
    return found
