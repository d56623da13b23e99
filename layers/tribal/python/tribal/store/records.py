"""Reads and writes contract records in an object store; unchanged objects are not rewritten."""

from __future__ import annotations

from typing import TypeVar

from pydantic import ValidationError

from tribal.catalog.hashing import bytes_hash
from tribal.errors import ObjectNotFound, StoreError
from tribal.ports import ObjectStore
from tribal_contracts import Contract

Record = TypeVar("Record", bound=Contract)

UNREADABLE = (ObjectNotFound, ValidationError)
"""What reading a record raises when there is no object at the key, or one of another shape."""


def read_record(store: ObjectStore, key: str, kind: type[Record]) -> Record | None:
    """The record at a key; `None` when it is missing or invalid.

    For records that can be recreated: a broken checkpoint costs only time.
    """
    try:
        return kind.from_json(store.get(key).data)
    except UNREADABLE:
        return None


def read_first_line(store: ObjectStore, key: str, kind: type[Record]) -> Record | None:
    """The record in the first line of an object; `None` as in `read_record`."""
    try:
        return kind.from_json(next(iter(store.lines(key)), b""))
    except UNREADABLE:
        return None


def require_record(store: ObjectStore, key: str, kind: type[Record]) -> Record:
    """The record at a key, for records written by planning that the rest of a run depends on.

    Raises:
        ObjectNotFound: when it is missing.
        StoreError: when it is invalid (`DOC_PLAN_INVALID`).
    """
    try:
        return kind.from_json(store.get(key).data)
    except ValidationError as error:
        message = f"{key!r} in {store.location} cannot be read at {first_problem(error)}; plan again"
        raise StoreError(message, code="DOC_PLAN_INVALID") from error


def put_if_changed(store: ObjectStore, key: str, data: bytes) -> bool:
    """Write an object unless it already has these bytes; returns whether it was written."""
    present = store.head(key)
    if present is not None and present.content_hash == bytes_hash(data):
        return False
    store.put(key, data)
    return True


def first_problem(error: ValidationError) -> str:
    """The first validation error and its location, for messages; the invalid value is left out."""
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where or 'its start'}: {first['msg']}"
