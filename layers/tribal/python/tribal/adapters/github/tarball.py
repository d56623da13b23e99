"""An archive of a commit: downloaded into a temporary file and read from there. Nothing is extracted.

It is only a cache: the tree says which files there are, and every file is compared with the name of its object.
"""

from __future__ import annotations

import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

from tribal.adapters.github.client import GitHubClient
from tribal.errors import RepositoryUnreadable, RepositoryUnusable

_STEP_BYTES = 1 << 20
_GZIP = 31
_FOLDERS = 4
"""How many entries there may be for each file that there may be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TarballLimits:
    """How large an archive may be. Source: docs/contracts.md, Contribution."""

    packed_bytes: int = 200_000_000
    unpacked_bytes: int = 1_000_000_000
    files: int = 20_000


class Tarball:
    """The files of an archive.

    Args:
        file: the unpacked archive.
        page: for messages.
        limits: how much of it is read.
    """

    def __init__(self, file: IO[bytes], page: str, limits: TarballLimits) -> None:
        self._file = file
        self._places: dict[str, tuple[int, int] | None] = {}
        try:
            for path, start, size in _members(file, page, limits):
                # Of two files with one path neither is believed.
                self._places[path] = None if path in self._places else (start, size)
        except (tarfile.TarError, EOFError, ValueError, RecursionError, OSError) as error:
            raise RepositoryUnreadable(f"the archive of {page!r} is damaged ({type(error).__name__})") from error

    def read(self, path: str, size: int) -> bytes | None:
        """Return the bytes of a file; `None` if the archive does not have it in that size."""
        place = self._places.get(path)
        if place is None or place[1] != size:
            return None
        self._file.seek(place[0])
        return self._file.read(place[1])

    def close(self) -> None:
        """Remove the temporary file."""
        self._file.close()


def download_tarball(client: GitHubClient, commit: str, limits: TarballLimits) -> Tarball:
    """Download the archive of a commit.

    Raises:
        RepositoryUnusable: when it is too large.
        RepositoryUnreadable: when it is damaged, or there is no space for it.
    """
    page = client.address.page
    begun: list[_Unpacking] = []

    def begin() -> _Unpacking:
        for earlier in begun:
            earlier.file.close()
        begun.append(_Unpacking(page, limits))
        return begun[-1]

    try:
        client.download(f"{client.address.repository}/tarball/{commit}", begin)
        return Tarball(begun[-1].end(), page, limits)
    except BaseException:
        for each in begun:
            each.file.close()
        raise


class _Unpacking:
    """Unpacks an archive into a temporary file as it arrives."""

    def __init__(self, page: str, limits: TarballLimits) -> None:
        self._page = page
        with self._storing():
            self.file: IO[bytes] = tempfile.TemporaryFile(prefix="tribal-")  # noqa: SIM115 - closed by the tarball
        self._limits = limits
        self._packed = self._unpacked = 0
        self._gzip = zlib.decompressobj(_GZIP)

    def write(self, data: bytes) -> None:
        self._packed += len(data)
        self._check_size(self._packed, self._limits.packed_bytes, "packed")
        while data:
            try:
                part = self._gzip.decompress(data, _STEP_BYTES)
            except zlib.error as error:
                raise RepositoryUnreadable(f"the archive of {self._page!r} is damaged") from error
            self._unpacked += len(part)
            self._check_size(self._unpacked, self._limits.unpacked_bytes, "unpacked")
            with self._storing():
                self.file.write(part)
            data = self._gzip.unconsumed_tail

    def end(self) -> IO[bytes]:
        """Return the unpacked archive."""
        if not self._gzip.eof:
            raise RepositoryUnreadable(f"the archive of {self._page!r} is incomplete; try again")
        with self._storing():
            self.file.seek(0)
        return self.file

    @contextmanager
    def _storing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise RepositoryUnreadable(
                f"cannot store the archive of {self._page!r} in the folder for temporary files: {error.strerror}"
            ) from error

    def _check_size(self, size: int, most: int, how: str) -> None:
        if size > most:
            raise RepositoryUnusable(
                f"the archive of {self._page!r} has more than {most:,} bytes {how}, which is not supported"
            )


def _members(file: IO[bytes], page: str, limits: TarballLimits) -> Iterator[tuple[str, int, int]]:
    """Yield path, start and size of every regular file below the archive's one folder."""
    most, count = _FOLDERS * limits.files, 0
    with tarfile.open(fileobj=_BoundedReads(file), mode="r:") as archive:  # type: ignore[call-overload]
        while (member := archive.next()) is not None:
            count += 1
            if count > most:
                raise RepositoryUnusable(f"the archive of {page!r} has more than {most:,} entries")
            archive.members = []
            _, _, path = member.name.partition("/")
            if member.type in (tarfile.REGTYPE, tarfile.AREGTYPE) and not member.issparse() and path:
                yield path, member.offset_data, member.size


class _BoundedReads:
    """A file of which no more is read at once than headers need: their sizes are the archive's own claims."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.seek = file.seek
        self.tell = file.tell

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= _STEP_BYTES:
            raise ValueError("a header is too large")
        return self._file.read(size)
