"""Hostile archives, written byte by byte."""

from __future__ import annotations

import io
import stat
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

TEXT = b"Refunds need the receipt. "
_MOST_32_BITS = 0xFFFFFFFF


def archive(files: Sequence[tuple[str, bytes]], *, method: int = ZIP_DEFLATED, mode: int = stat.S_IFREG) -> bytes:
    """An archive with files of these names, several of which may be the same.

    Args:
        files: their names and contents.
        method: how they are packed.
        mode: the kind of the first one, such as a link.
    """
    written = io.BytesIO()
    with ZipFile(written, "w") as made:
        for number, (name, data) in enumerate(files):
            info = ZipInfo(name)
            # `ZipInfo` cuts some names that others write as they are.
            info.filename = name
            info.compress_type = method
            info.external_attr = (stat.S_IFREG if number else mode) << 16
            made.writestr(info, data)
    return written.getvalue()


def encrypted(data: bytes, name: bytes) -> bytes:
    """An archive of which an entry says that it is encrypted."""
    changed = bytearray(data)
    place = data.rindex(name) - 46
    (start,) = struct.unpack_from("<I", data, place + 42)
    changed[place + 8] |= 1
    changed[start + 6] |= 1
    return bytes(changed)


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry as it describes itself."""

    name: bytes
    packed: int
    size: int
    crc: int = 0
    offset: int = 0
    method: int = ZIP_DEFLATED

    @property
    def header(self) -> bytes:
        """What is before its data."""
        return struct.pack("<IHH", 0x04034B50, 45, 0) + self._fields + self.name + self._large

    @property
    def listed(self) -> bytes:
        """What the directory has of it."""
        placed = struct.pack("<HHHII", 0, 0, 0, 0, self.offset)
        return struct.pack("<IHHH", 0x02014B50, 45, 45, 0) + self._fields + placed + self.name + self._large

    @property
    def _large(self) -> bytes:
        return struct.pack("<HHQQ", 1, 16, self.size, self.packed) if self.size > _MOST_32_BITS else b""

    @property
    def _fields(self) -> bytes:
        sizes = (_MOST_32_BITS, _MOST_32_BITS) if self._large else (self.packed, self.size)
        return struct.pack("<HHHIIIHH", self.method, 0, 0, self.crc, *sizes, len(self.name), len(self._large))


def written(data: bytes, entries: Sequence[Entry]) -> bytes:
    """An archive of headers and data, with a directory of these entries."""
    directory = b"".join(entry.listed for entry in entries)
    count = min(len(entries), 0xFFFF)
    return data + directory + struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, count, count, len(directory), len(data), 0)


def zeros(gigabytes: int, *, claimed: int | None = None) -> bytes:
    """An archive with a file of zeros, and a good one after it.

    Args:
        gigabytes: how many; the same packed megabyte is written again and again.
        claimed: its size according to its headers, if that is another one.
    """
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    megabyte = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    body = megabyte * (gigabytes << 10) + zlib.compressobj(9, zlib.DEFLATED, -15).flush()
    large = Entry(b"zeros.txt", len(body), gigabytes << 30 if claimed is None else claimed)
    good = Entry(b"good.txt", len(TEXT), len(TEXT), zlib.crc32(TEXT), len(large.header) + len(body), method=0)
    return written(large.header + body + good.header + TEXT, [large, good])


def quoted_overlap(copies: int, kernel: bytes) -> bytes:
    """An archive whose entries each contain the headers of those after them, and all of them the same data.

    Source: D. Fifield, "A better zip bomb", 2019.
    """
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = packer.compress(kernel) + packer.flush()
    plain, entries = kernel, list[Entry]()
    for number in reversed(range(copies)):
        entry = Entry(b"%06d.txt" % number, len(data), len(plain), zlib.crc32(plain))
        entries.insert(0, entry)
        quoted = entry.header
        # A block of deflate that is not packed.
        block = struct.pack("<BHH", 0, len(quoted), len(quoted) ^ 0xFFFF) if number else b""
        data, plain = block + quoted + data, quoted + plain
    length = len(entries[0].header) + 5
    placed = [
        Entry(each.name, each.packed, each.size, each.crc, length * number) for number, each in enumerate(entries)
    ]
    return written(data, placed)


def same_data(copies: int) -> bytes:
    """An archive whose entries are all the same bytes."""
    entry = Entry(b"a.txt", len(TEXT), len(TEXT), zlib.crc32(TEXT), method=0)
    return written(entry.header + TEXT, [entry] * copies)


def many_entries(count: int, *, claimed: int | None = None) -> bytes:
    """An archive whose directory lists so many empty files; its end claims another number if given."""
    data = bytearray(written(b"", [Entry(b"%06d.txt" % number, 0, 0, method=0) for number in range(count)]))
    if claimed is not None:
        data[-14:-10] = struct.pack("<HH", claimed, claimed)
    return bytes(data)
