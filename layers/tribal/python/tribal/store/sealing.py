"""Adds a checksum to records, so that damage is noticed on reading.

The checksum is the last field of the file. It also covers the key, so a copy of another record is not accepted.
"""

from __future__ import annotations

import hashlib
import re

from tribal.errors import ObjectDamaged

FIELD = "checksum"
"""Name of the field in every stored record."""

_END = b"\n}\n"
_SEAL = re.compile(rb',\n  "%s": "([0-9a-f]{64})"\n}\n\Z' % FIELD.encode())
_BEFORE, _AFTER = b',\n  "%s": "' % FIELD.encode(), b'"' + _END
_SEAL_BYTES = len(_BEFORE) + 64 + len(_AFTER)
_COMMON = b" \n,{}"
"""Bytes between any two fields, which do not indicate a checksum."""
_RECOGNISED = sum(byte not in _COMMON for byte in _BEFORE + _AFTER) // 2
"""Number of characteristic bytes that identify a damaged checksum."""


def sealed(key: str, data: bytes) -> bytes:
    """The file form of a contract, with its checksum for this key."""
    body = data.removesuffix(_END)
    return b'%s,\n  "%s": "%s"%s' % (body, FIELD.encode(), _checksum(key, body), _END)


def require_seal(key: str, data: bytes) -> None:
    """Refuse a record whose checksum is wrong; one without a checksum, from an earlier version, is accepted.

    Raises:
        ObjectDamaged: when it is wrong.
    """
    seal = _SEAL.search(data, max(0, len(data) - _SEAL_BYTES))
    intact = not _was_sealed(data) if seal is None else seal[1] == _checksum(key, data[: seal.start()])
    if not intact:
        raise ObjectDamaged(f"{key!r} is damaged: its checksum is wrong")


def is_sealed(data: bytes) -> bool:
    """Whether a record ends with a checksum, right or wrong."""
    return _SEAL.search(data, max(0, len(data) - _SEAL_BYTES)) is not None


def _was_sealed(data: bytes) -> bool:
    """Whether a record without a valid checksum once had one: a damaged checksum must not count as missing."""
    end = data[-_SEAL_BYTES:]
    pairs = [*zip(end, _BEFORE, strict=False), *zip(end[-len(_AFTER) :], _AFTER, strict=False)]
    return sum(found == byte for found, byte in pairs if byte not in _COMMON) > _RECOGNISED


def _checksum(key: str, body: bytes) -> bytes:
    digest = hashlib.sha256(key.encode() + b"\n")
    digest.update(body)
    return digest.hexdigest().encode()
