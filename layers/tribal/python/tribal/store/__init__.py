"""Records in an object store, and the manifest."""

from __future__ import annotations

from tribal.store.manifest import load_manifest, require_manifest
from tribal.store.record_file import RecordFile, Stored
from tribal.store.records import (
    UNREADABLE,
    content_hash,
    is_as_written,
    put_if_changed,
    put_record,
    put_record_if_changed,
    read_first_line,
    read_record,
    require_record,
)
from tribal.store.recovery import documented_before
from tribal.store.sealing import is_sealed, require_seal, sealed
from tribal.store.snapshots import iterate_snapshot, read_names, write_names
from tribal.store.watched import WatchedStore, report_damage
from tribal.store.writing import Write, background_writes

__all__ = [
    "UNREADABLE",
    "RecordFile",
    "Stored",
    "WatchedStore",
    "Write",
    "content_hash",
    "documented_before",
    "is_as_written",
    "iterate_snapshot",
    "load_manifest",
    "put_if_changed",
    "put_record",
    "put_record_if_changed",
    "read_first_line",
    "read_names",
    "read_record",
    "report_damage",
    "require_manifest",
    "require_record",
    "is_sealed",
    "require_seal",
    "sealed",
    "write_names",
    "background_writes",
]
