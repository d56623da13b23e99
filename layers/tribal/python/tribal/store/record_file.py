"""A sealed record that several processes change: each change is a conditional put of the whole file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import ValidationError

from tribal.errors import ObjectDamaged, ObjectNotFound, PreconditionFailed
from tribal.ports import ObjectStore
from tribal.store.sealing import require_seal, sealed
from tribal_contracts import Contract

Record = TypeVar("Record", bound=Contract)

_ATTEMPTS = 20
"""How often a record that another process changes at the same time is read again. By judgement."""


@dataclass(frozen=True, slots=True)
class Stored(Generic[Record]):
    """A record as it is in the store, and the `etag` that a change of it requires."""

    key: str
    record: Record
    etag: str


@dataclass(frozen=True, slots=True)
class RecordFile(Generic[Record]):
    """The file of a record that must not be lost: a damaged one is an error."""

    store: ObjectStore
    key: str
    kind: type[Record]
    damaged: str = "is damaged; restore it from a backup"
    """What to say of one that cannot be parsed."""

    def read(self) -> Stored[Record]:
        """Read the record.

        Raises:
            ObjectNotFound: when it does not exist.
            ObjectDamaged: when it cannot be parsed.
        """
        found = self.store.get(self.key)
        require_seal(self.key, found.data)
        try:
            return Stored(self.key, self.kind.from_json(found.data), found.etag)
        except ValidationError as error:
            raise ObjectDamaged(f"{self.key!r} in {self.store.location} {self.damaged}") from error

    def find(self) -> Record | None:
        """The record; `None` if it does not exist.

        Raises:
            ObjectDamaged: when it cannot be parsed.
        """
        try:
            return self.read().record
        except ObjectNotFound:
            return None

    def put(self, record: Record) -> None:
        """Write the record, whatever is there."""
        self.store.put(self.key, sealed(self.key, record.to_json()))

    def create(self, record: Record) -> Stored[Record]:
        """Write a new record.

        Raises:
            PreconditionFailed: when there is one already.
        """
        return Stored(self.key, record, self.store.put(self.key, sealed(self.key, record.to_json()), if_absent=True))

    def replace(self, stored: Stored[Record], record: Record) -> Stored[Record]:
        """Write the next state of a record, unless it is the same.

        Raises:
            PreconditionFailed: when another process changed or removed it.
        """
        if record == stored.record:
            return stored
        data = sealed(self.key, record.to_json())
        return Stored(self.key, record, self.store.put(self.key, data, if_match=stored.etag))

    def change(self, change: Callable[[Record], Record], initial: Record) -> Record:
        """Replace the record, or write what `change` makes of `initial`.

        `change` is called again when another process was faster.

        Raises:
            ObjectDamaged: when it cannot be parsed.
            PreconditionFailed: when other processes were faster each time.
        """
        for _ in range(_ATTEMPTS - 1):
            try:
                return self._change(change, initial)
            except PreconditionFailed:
                continue
        return self._change(change, initial)

    def _change(self, change: Callable[[Record], Record], initial: Record) -> Record:
        try:
            stored = self.read()
        except ObjectNotFound:
            return self.create(change(initial)).record
        return self.replace(stored, change(stored.record)).record
