"""Reading and writing the files of documenting, without rewriting what stays the same."""

from __future__ import annotations

from typing import TypeVar

from pydantic import ValidationError

from tribal.catalog import locations
from tribal.catalog.hashing import bytes_hash
from tribal.errors import ObjectNotFound, StoreError
from tribal.ports import ObjectStore
from tribal_contracts import Contract, WrittenFile

Kind = TypeVar("Kind", bound=Contract)


def read_or_none(store: ObjectStore, key: str, kind: type[Kind]) -> Kind | None:
    """A file of the program's own bookkeeping; `None` when it is missing or not of this shape.

    What cannot be read is made anew, so that a broken checkpoint costs time and nothing else.
    """
    try:
        return kind.from_json(store.get(key).data)
    except (ObjectNotFound, ValidationError):
        return None


def read_required(store: ObjectStore, key: str, kind: type[Kind]) -> Kind:
    """A file without which nothing can be done.

    Raises:
        ObjectNotFound: when it is missing.
        StoreError: when it is not of this shape.
    """
    try:
        return kind.from_json(store.get(key).data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise StoreError(
            f"{key!r} in {store.location} cannot be read at {where or 'its start'}: {first['msg']}; plan again",
            code="DOC_PLAN_INVALID",
        ) from error


def put_if_changed(store: ObjectStore, key: str, data: bytes) -> bool:
    """Write an object unless it has these bytes already; returns whether it was written."""
    present = store.head(key)
    if present is not None and present.content_hash == bytes_hash(data):
        return False
    store.put(key, data)
    return True


def write_document(
    store: ObjectStore, path: str, data: bytes, *, now: str, earlier: WrittenFile | None = None
) -> WrittenFile:
    """Write a file under `docs/`; one that has these bytes already keeps the time at which it was made."""
    content_hash = bytes_hash(data)
    written = put_if_changed(store, locations.DOCS + path, data)
    kept = not written and earlier is not None and earlier.content_hash == content_hash
    return WrittenFile(
        path=path,
        content_hash=content_hash,
        size_bytes=len(data),
        modified_at=earlier.modified_at if kept and earlier else now,
    )


def is_intact(store: ObjectStore, file: WrittenFile) -> bool:
    """Whether a file under `docs/` is there as it was written."""
    present = store.head(locations.DOCS + file.path)
    return present is not None and present.content_hash == file.content_hash
