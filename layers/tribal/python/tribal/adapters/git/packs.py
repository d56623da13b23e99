"""Reads sizes in git packs without decompressing their contents: a few kilobytes may expand to gigabytes.

Source: git's documentation of gitformat-pack.
"""

from __future__ import annotations

import mmap
import os
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from dulwich.object_store import DiskObjectStore
    from dulwich.objects import ObjectID

_CHUNK = 1 << 16
_OFS_DELTA, _REF_DELTA = 6, 7
_HEADER_BYTES = 12
_SHA_BYTES = 20


class PackTooLarge(ValueError):
    """A pack, or an object in it, is larger than it may be."""


class _Bytes(Protocol):
    def __getitem__(self, where: slice) -> bytes: ...

    def __len__(self) -> int: ...


def check_pack(descriptor: int, most_object_bytes: int, most_bytes: int) -> None:
    """Check the sizes of the objects of an open pack, including deltas.

    Raises:
        PackTooLarge: when one, or all together, are larger than this.
        ValueError: when it is no pack.
    """
    with mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ) as data:
        if data[:4] != b"PACK":
            raise ValueError("it is not a pack")
        place, total = _HEADER_BYTES, 0
        for _ in range(int.from_bytes(data[8:12], "big")):
            size, start = _declared(data, place)
            if size > most_object_bytes:
                raise PackTooLarge(f"an object in it has more than {most_object_bytes:,} bytes")
            place, inflated = _end_of(data, start, most_object_bytes)
            total += max(size, inflated)
            if total > most_bytes:
                raise PackTooLarge(f"its objects have more than {most_bytes:,} bytes")


def object_size(store: DiskObjectStore, name: ObjectID) -> int | None:
    """The size of an object in bytes, as it declares it; `None` if it cannot be read."""
    loose = Path(os.fsdecode(store.path)) / name[:2].decode() / name[2:].decode()
    try:
        if loose.exists():
            with loose.open("rb") as file:
                head = zlib.decompressobj().decompress(file.read(_CHUNK), 64)
            return int(head.split(b"\0")[0].split(b" ")[1])
        for pack in store.packs:
            if name in pack:
                with Path(os.fsdecode(store.pack_dir), pack.data.filename).open("rb") as file:
                    file.seek(pack.index.object_offset(name))
                    return _declared(file.read(_CHUNK), 0)[0]
    except (OSError, ValueError, IndexError, zlib.error):
        return None
    return None


def _declared(data: _Bytes, place: int) -> tuple[int, int]:
    """The size of the object at an offset, or of a delta's result, and where its compressed bytes begin."""
    head = data[place : place + _CHUNK if len(data) <= _CHUNK else place + 64]
    kind, size, at = (head[0] >> 4) & 7, head[0] & 15, 1
    shift = 4
    while head[at - 1] & 0x80:
        size |= (head[at] & 0x7F) << shift
        shift += 7
        at += 1
    if kind == _REF_DELTA:
        at += _SHA_BYTES
    elif kind == _OFS_DELTA:
        at += 1
        while head[at - 1] & 0x80:
            at += 1
    if kind in (_OFS_DELTA, _REF_DELTA):
        start = zlib.decompressobj().decompress(data[place + at : place + at + 256], 32)
        size = max(size, _number(start, _number(start, 0)[1])[0])
    return size, place + at


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A number of variable length, and where it ends."""
    value, shift = 0, 0
    while True:
        value |= (data[at] & 0x7F) << shift
        at += 1
        if not data[at - 1] & 0x80:
            return value, at
        shift += 7


def _end_of(data: _Bytes, start: int, most: int) -> tuple[int, int]:
    """Where compressed bytes end, and their decompressed size."""
    inflater, place, inflated = zlib.decompressobj(), start, 0
    while not inflater.eof:
        chunk = data[place : place + _CHUNK]
        if not chunk:
            raise ValueError("the pack ends too early")
        place += len(chunk)
        while chunk and not inflater.eof:
            inflated += len(inflater.decompress(chunk, _CHUNK))
            if inflated > most:
                raise PackTooLarge(f"an object in it has more than {most:,} bytes")
            chunk = inflater.unconsumed_tail
    return place - len(inflater.unused_data), inflated
