"""The checksum that a record carries, so that damage to it is noticed wherever it is read.

The checksum is the last field of the file. It covers the key too: an intact record of another place is not taken for
this one.
"""

from __future__ import annotations

import hashlib
import re

from tribal.errors import ObjectDamaged

FIELD = "checksum"
"""Name of the field, an extension of every contract that is stored as a record."""

_END = b"\n}\n"
_SEAL = re.compile(rb',\n  "%s": "([0-9a-f]{64})"\n}\n\Z' % FIELD.encode())
_SEAL_BYTES = 96
"""More than the field takes, so that only the end of a file is searched."""


def sealed(key: str, data: bytes) -> bytes:
    """The file form of a contract, with its checksum for this key."""
    body = data.removesuffix(_END)
    return b'%s,\n  "%s": "%s"%s' % (body, FIELD.encode(), _checksum(key, body), _END)


def require_seal(key: str, data: bytes) -> None:
    """Refuse a record whose checksum is wrong; one without a checksum, as earlier versions wrote them, passes.

    Raises:
        ObjectDamaged: when it is wrong.
    """
    seal = _SEAL.search(data, max(0, len(data) - _SEAL_BYTES))
    if seal is not None and seal[1] != _checksum(key, data[: seal.start()]):
        raise ObjectDamaged(f"{key!r} is not as it was written: its checksum is wrong")


def _checksum(key: str, body: bytes) -> bytes:
    digest = hashlib.sha256(key.encode() + b"\n")
    digest.update(body)
    return digest.hexdigest().encode()
