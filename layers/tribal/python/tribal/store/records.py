"""Reads and writes contract records in an object store; unchanged objects are not rewritten, damaged ones are."""

from __future__ import annotations

from typing import TypeVar

from pydantic import ValidationError

from tribal.errors import ObjectDamaged, ObjectNotFound
from tribal.identity.hashing import bytes_hash
from tribal.ports import ObjectStore
from tribal.store.sealing import require_seal, sealed
from tribal.store.watched import report_damage
from tribal_contracts import Contract

Record = TypeVar("Record", bound=Contract)

UNREADABLE = (ObjectNotFound, ObjectDamaged, ValidationError)
"""Raised by reading a record that is missing or damaged."""


def read_record(store: ObjectStore, key: str, kind: type[Record], content_hash: str | None = None) -> Record | None:
    """The record at a key; `None` when it is missing or damaged.

    For records that can be rebuilt: a broken checkpoint costs only time. Checks the hash of the bytes if given,
    otherwise the record's own checksum.
    """
    try:
        return _parse(store, key, kind, content_hash)
    except ObjectNotFound:
        return None
    except UNREADABLE:
        report_damage(store, key)
        return None


def read_first_line(store: ObjectStore, key: str, kind: type[Record]) -> Record | None:
    """The record in the first line of an object; `None` when it is missing or of another shape."""
    try:
        return kind.from_json(next(iter(store.lines(key)), b""))
    except UNREADABLE:
        return None


def require_record(store: ObjectStore, key: str, kind: type[Record], content_hash: str | None = None) -> Record:
    """The record at a key, for records written by planning that the rest of a run depends on.

    Raises:
        ObjectNotFound: when it is missing.
        ObjectDamaged: when it is damaged (`DOC_PLAN_INVALID`).
    """
    try:
        return _parse(store, key, kind, content_hash)
    except ValidationError as error:
        message = f"{key!r} in {store.location} cannot be read at {first_problem(error)}; plan again"
        raise ObjectDamaged(message, code="DOC_PLAN_INVALID") from error
    except ObjectDamaged as error:
        message = f"{error.message} in {store.location}; plan again"
        raise ObjectDamaged(message, code="DOC_PLAN_INVALID") from error


def _parse(store: ObjectStore, key: str, kind: type[Record], content_hash: str | None) -> Record:
    data = store.get(key).data
    if content_hash is None:
        require_seal(key, data)
    elif bytes_hash(data) != content_hash:
        raise ObjectDamaged(f"{key!r} is damaged: its hash does not match")
    return kind.from_json(data)


def put_record(store: ObjectStore, key: str, record: Contract) -> None:
    """Write a record with its checksum."""
    store.put(key, sealed(key, record.to_json()))


def put_record_if_changed(store: ObjectStore, key: str, record: Contract) -> bool:
    """Write a record with its checksum, unless unchanged; returns whether it was written."""
    return put_if_changed(store, key, sealed(key, record.to_json()))


def put_if_changed(store: ObjectStore, key: str, data: bytes) -> bool:
    """Write an object unless it already has these bytes; returns whether it was written."""
    if content_hash(store, key) == bytes_hash(data):
        return False
    store.put(key, data)
    return True


def content_hash(store: ObjectStore, key: str) -> str | None:
    """The current hash of an object's bytes; `None` when it is missing or unreadable."""
    try:
        present = store.head(key)
    except ObjectDamaged:
        return None
    return present.content_hash if present else None


def is_as_written(store: ObjectStore, key: str, expected: str) -> bool:
    """Whether an object has the bytes of that hash; reports damage to a `WatchedStore`."""
    present = content_hash(store, key)
    if present is not None and present != expected:
        report_damage(store, key)
    return present == expected


def first_problem(error: ValidationError) -> str:
    """The first validation error and its location, for messages; the invalid value is left out."""
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where or 'its start'}: {first['msg']}"
