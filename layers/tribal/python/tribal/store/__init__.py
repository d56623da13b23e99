"""Records in an object store, and the manifest."""

from __future__ import annotations

from tribal.store.manifest import StoredManifest, load_manifest, require_manifest
from tribal.store.records import UNREADABLE, put_if_changed, read_first_line, read_record, require_record

__all__ = [
    "UNREADABLE",
    "StoredManifest",
    "load_manifest",
    "put_if_changed",
    "read_first_line",
    "read_record",
    "require_manifest",
    "require_record",
]
