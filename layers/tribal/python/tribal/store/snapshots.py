"""Snapshots of the structure of databases, checked against the hash in their reading."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import ValidationError

from tribal.errors import ObjectDamaged
from tribal.ports import ObjectStore
from tribal.store.records import content_hash, first_problem
from tribal_contracts import CatalogReading, CatalogSnapshot, CatalogTable


def iterate_snapshot(store: ObjectStore, reading: CatalogReading) -> tuple[CatalogSnapshot, Iterator[CatalogTable]]:
    """The header of a reading's snapshot and an iterator over its tables.

    Raises, also during iteration:
        ObjectNotFound: when the snapshot is not in the store.
        ObjectDamaged: when it is damaged.
    """
    key = reading.snapshot_file or ""
    if reading.snapshot_hash is not None and content_hash(store, key) not in (None, reading.snapshot_hash):
        raise damaged(key, "its hash does not match")
    lines = store.lines(key)
    first = next(lines, b"")
    try:
        header = CatalogSnapshot.from_json(first)
    except ValidationError as error:
        raise damaged(key, first_problem(error)) from error
    return header, _tables(key, lines)


def _tables(key: str, lines: Iterator[bytes]) -> Iterator[CatalogTable]:
    for line in lines:
        try:
            table = CatalogTable.from_json(line)
        except ValidationError as error:
            raise damaged(key, first_problem(error)) from error
        yield table


def damaged(key: str, why: str) -> ObjectDamaged:
    """The error for a damaged snapshot."""
    return ObjectDamaged(f"{key!r} is damaged ({why}); `tribal plan` or `tribal run` rebuilds it")
