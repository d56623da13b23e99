"""Hashes that show whether something changed, and ids made from them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

_RECORD_ID_BITS = 53
# Made once: `json.dumps` creates an encoder for each call, which costs as much as encoding a small value.
_encode = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode


def bytes_hash(data: bytes) -> str:
    """SHA-256 of a file's bytes, 64 hex digits."""
    return hashlib.sha256(data).hexdigest()


def object_hash(value: Any) -> str:
    """SHA-256 over canonical JSON: sorted keys, UTF-8, no white space. The caller leaves volatile fields out."""
    return hashlib.sha256(_encode(value).encode("utf-8", "surrogatepass")).hexdigest()


def output_hash(files: Iterable[tuple[str, str]]) -> str:
    """Hash over the sorted pairs of path and content hash of a work unit's files."""
    return object_hash(sorted([path, content_hash] for path, content_hash in files))


def record_id(doc_type: str, *parts: str) -> int:
    """The id of a record in every index: a hash of its identity, exact as a JSON number (53 bits)."""
    return int(object_hash([doc_type, *parts])[:16], 16) >> (64 - _RECORD_ID_BITS)
