"""The files of a collection in the store, which holds the truth about it."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import ValidationError

from tribal.errors import ObjectDamaged, ObjectNotFound
from tribal.ports import ObjectStore
from tribal_contracts.chat.collections import CollectionManifest

COLLECTIONS = "collections/"


@dataclass(frozen=True, slots=True)
class CollectionFiles:
    """The keys of a collection's files, and its manifest."""

    store: ObjectStore
    name: str

    @property
    def folder(self) -> str:
        """The prefix of all its keys."""
        return f"{COLLECTIONS}{self.name}/"

    @property
    def manifest_key(self) -> str:
        """What answers may use."""
        return f"{self.folder}manifest.json"

    def manifest(self) -> tuple[CollectionManifest, str | None]:
        """The manifest and its tag; an empty one and `None` if nothing was ever uploaded.

        Raises:
            ObjectDamaged: when it cannot be parsed.
        """
        try:
            found = self.store.get(self.manifest_key)
        except ObjectNotFound:
            return CollectionManifest(sources=[]), None
        try:
            return CollectionManifest.from_json(found.data), found.etag
        except ValidationError as error:
            raise ObjectDamaged(f"{self.manifest_key!r} in {self.store.location} is damaged") from error
