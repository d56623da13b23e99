"""Read the directory of a zip archive and the bytes of its entries. A damaged entry does not affect the others.

`zipfile` refuses a whole archive because of one name or field that it cannot read.
Source: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

STORED, DEFLATED = 0, 8
UTF8_NAME = 0x800
"""Flag of an entry whose name is UTF-8."""
LOCAL_HEADER = struct.Struct("<4s5H3I2H")
_LOCAL, _CENTRAL, _END, _END_64 = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06", b"PK\x06\x06"
_CENTRAL_HEADER = struct.Struct("<4s6H3I5H2I")
_END_RECORD = struct.Struct("<4s4H2IH")
_END_RECORD_64 = struct.Struct("<4sQ2H2I4Q")
_LOCATOR_64_BYTES = 20
_LONGEST_COMMENT = 0xFFFF
_IN_EXTRA = 0xFFFF_FFFF
"""Marks a size or offset that is in the extra field for ZIP64."""
_EXTRA_64, _EXTRA_UNICODE_NAME = 0x0001, 0x7075
_PIECE_BYTES = 64 * 1024


class ArchiveDamaged(Exception):
    """The directory cannot be found."""


class DirectoryTooLarge(Exception):
    """The directory is larger than its entries require."""


class EntryDamaged(Exception):
    """The bytes of an entry do not match the directory."""


@dataclass(frozen=True, slots=True)
class DirectoryEntry:
    """An entry as the directory describes it. No field can be trusted."""

    name: bytes = b""
    unicode_name: str | None = None
    """Name in the extra field, if that field belongs to `name`."""
    flags: int = 0
    method: int = STORED
    crc: int = 0
    packed_bytes: int = 0
    size_bytes: int = 0
    offset: int = 0
    """Offset of the entry's header in the file."""
    attributes: int = 0
    """File system attributes."""
    is_damaged: bool = False
    """Whether the other fields are unknown."""


@dataclass(frozen=True, slots=True)
class Directory:
    """All entries of an archive, in order."""

    entries: list[DirectoryEntry]
    start: int
    """Offset of the directory in the file."""


def read_directory(file: BinaryIO, most_bytes: int) -> Directory:
    """Read the directory of an archive, up to `most_bytes`.

    Raises:
        ArchiveDamaged: when the directory cannot be found.
        DirectoryTooLarge: when the directory is larger than that.
    """
    end, size, offset = _find_end(file)
    start = end - size
    if start < 0 or offset > start:
        raise ArchiveDamaged
    if size > most_bytes:
        raise DirectoryTooLarge
    file.seek(start)
    # Bytes before an archive, such as those of a program that unpacks it, move all offsets.
    entries = list(_entries(file.read(size), moved=start - offset))
    if size and all(each.is_damaged for each in entries):
        raise ArchiveDamaged
    return Directory(entries, start)


def entry_bytes(file: BinaryIO, entry: DirectoryEntry) -> Iterator[bytes]:
    """Unpack an entry piece by piece.

    Raises:
        EntryDamaged: when its header, size or checksum is wrong, possibly after some pieces.
    """
    _skip_header(file, entry)
    size = checksum = 0
    try:
        for piece in _stored(file, entry) if entry.method == STORED else _inflated(file, entry):
            size += len(piece)
            checksum = zlib.crc32(piece, checksum)
            if size > entry.size_bytes:
                raise EntryDamaged
            yield piece
    except zlib.error as error:
        raise EntryDamaged from error
    if (size, checksum) != (entry.size_bytes, entry.crc):
        raise EntryDamaged


def _find_end(file: BinaryIO) -> tuple[int, int, int]:
    """Return the end of the directory, its size, and its declared start."""
    length = file.seek(0, 2)
    first = max(0, length - _LONGEST_COMMENT - _END_RECORD.size)
    file.seek(first)
    tail = file.read()
    place = tail.rfind(_END)
    if place < 0 or place + _END_RECORD.size > len(tail):
        raise ArchiveDamaged
    end = first + place
    *_, size, offset, _ = _END_RECORD.unpack_from(tail, place)
    before = end - _LOCATOR_64_BYTES - _END_RECORD_64.size
    if before >= 0:
        file.seek(before)
        found = file.read(_END_RECORD_64.size)
        if found.startswith(_END_64):
            *_, size, offset = _END_RECORD_64.unpack(found)
            end = before
    return end, size, offset


def _entries(data: bytes, moved: int) -> Iterator[DirectoryEntry]:
    place = 0
    while 0 <= place < len(data):
        if not data.startswith(_CENTRAL, place) or place + _CENTRAL_HEADER.size > len(data):
            yield DirectoryEntry(is_damaged=True)
            place = data.find(_CENTRAL, place + 1)
            continue
        header = _CENTRAL_HEADER.unpack_from(data, place)
        named = place + _CENTRAL_HEADER.size
        extra = named + header[10]
        place = extra + header[11] + header[12]
        yield _entry(header, data[named:extra], data[extra : extra + header[11]], moved)


def _entry(header: tuple[int, ...], name: bytes, extra: bytes, moved: int) -> DirectoryEntry:
    _, _, _, flags, method, _, _, crc, packed, size, *_, attributes, offset = header
    fields = _extra_fields(extra)
    large = fields.get(_EXTRA_64, b"")
    numbers = []
    for number in (size, packed, offset):
        if number == _IN_EXTRA:
            if len(large) < 8:
                return DirectoryEntry(name=name, flags=flags, is_damaged=True)
            number, large = int.from_bytes(large[:8], "little"), large[8:]
        numbers.append(number)
    size, packed, offset = numbers
    return DirectoryEntry(
        name=name,
        unicode_name=_unicode_name(fields.get(_EXTRA_UNICODE_NAME, b""), name),
        flags=flags,
        method=method,
        crc=crc,
        packed_bytes=packed,
        size_bytes=size,
        offset=offset + moved,
        attributes=attributes,
    )


def _extra_fields(extra: bytes) -> dict[int, bytes]:
    """Return extra fields by ID, up to the first one that is cut off."""
    fields: dict[int, bytes] = {}
    place = 0
    while place + 4 <= len(extra):
        kind, length = struct.unpack_from("<HH", extra, place)
        fields.setdefault(kind, extra[place + 4 : place + 4 + length])
        place += 4 + length
    return fields


def _unicode_name(field: bytes, name: bytes) -> str | None:
    """Return the name in an Info-ZIP field, if its checksum matches the entry's name."""
    if len(field) <= 5 or struct.unpack_from("<BI", field) != (1, zlib.crc32(name)):
        return None
    try:
        return field[5:].decode()
    except UnicodeDecodeError:
        return None


def _skip_header(file: BinaryIO, entry: DirectoryEntry) -> None:
    file.seek(entry.offset)
    header = file.read(LOCAL_HEADER.size)
    if len(header) < LOCAL_HEADER.size or not header.startswith(_LOCAL):
        raise EntryDamaged
    *_, name_length, extra_length = LOCAL_HEADER.unpack(header)
    # A reader that trusts the header would take the entry for another file.
    if file.read(name_length) != entry.name:
        raise EntryDamaged
    file.seek(extra_length, 1)


def _stored(file: BinaryIO, entry: DirectoryEntry) -> Iterator[bytes]:
    left = entry.packed_bytes
    while left:
        piece = file.read(min(_PIECE_BYTES, left))
        if not piece:
            raise EntryDamaged
        left -= len(piece)
        yield piece


def _inflated(file: BinaryIO, entry: DirectoryEntry) -> Iterator[bytes]:
    inflating = zlib.decompressobj(-zlib.MAX_WBITS)
    for packed in _stored(file, entry):
        waiting = packed
        while waiting and not inflating.eof:
            yield inflating.decompress(waiting, _PIECE_BYTES)
            waiting = inflating.unconsumed_tail
        if inflating.eof:
            return
    # A last piece may be full while the input is used up.
    while piece := inflating.decompress(b"", _PIECE_BYTES):
        yield piece
    if not inflating.eof:
        raise EntryDamaged
