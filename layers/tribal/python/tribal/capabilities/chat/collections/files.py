"""Files of a collection in the store, from which everything else is derived."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pydantic import ValidationError

from tribal.capabilities.chat.errors import CollectionMismatch
from tribal.errors import ObjectDamaged, ObjectNotFound, PreconditionFailed
from tribal.identity.locations import COLLECTIONS, collection_index
from tribal.ports import ObjectStore
from tribal.store import RecordFile
from tribal_contracts.chat.collections import (
    CollectionManifest,
    CollectionRecord,
    EmbeddingRecord,
    PassageIndexPointer,
    SourceRecord,
    StoredPassage,
)
from tribal_contracts.chat.jobs import UploadJob

_JOB_ID = re.compile(r"[0-9a-z-]{26,36}")


@dataclass(frozen=True, slots=True)
class CollectionFiles:
    """Keys and records of a collection's files."""

    store: ObjectStore
    name: str

    @property
    def folder(self) -> str:
        """Prefix of all keys of the collection."""
        return f"{COLLECTIONS}{self.name}/"

    def job_key(self, job_id: str) -> str:
        """Return the key of a job's record."""
        return f"{self.folder}jobs/{job_id}.json"

    def upload_key(self, job_id: str) -> str:
        """Return the key of an upload's bytes, which are kept until its job ends."""
        return f"{self.folder}uploads/{job_id}"

    def progress_folder(self, job_id: str) -> str:
        """Return the prefix of an upload's progress files."""
        return f"{self.folder}progress/{job_id}/"

    def source_folder(self, source_id: str) -> str:
        """Return the prefix of everything that is stored for a file."""
        return f"{self.folder}sources/{source_id}/"

    def original_key(self, source_id: str) -> str:
        """Return the key of a file's original bytes."""
        return f"{self.source_folder(source_id)}original"

    def passages_key(self, source_id: str) -> str:
        """Return the key of a file's passages and their vectors."""
        return f"{self.source_folder(source_id)}passages.jsonl"

    @property
    def _manifest(self) -> RecordFile[CollectionManifest]:
        return RecordFile(self.store, f"{self.folder}manifest.json", CollectionManifest)

    @property
    def _record(self) -> RecordFile[CollectionRecord]:
        return RecordFile(self.store, f"{self.folder}collection.json", CollectionRecord)

    def manifest(self) -> CollectionManifest:
        """Return the list of files that answers may use; empty before the first upload.

        Raises:
            ObjectDamaged: when it cannot be parsed.
        """
        return self._manifest.find() or CollectionManifest(sources=[])

    def change_manifest(self, change: Callable[[CollectionManifest], CollectionManifest]) -> CollectionManifest:
        """Replace the manifest. If another process changed it meanwhile, `change` is called again.

        Raises:
            ObjectDamaged: when it cannot be parsed.
        """
        return self._manifest.change(change, CollectionManifest(sources=[]))

    def record(self) -> CollectionRecord | None:
        """Return the record of the collection; `None` before its first upload.

        Raises:
            ObjectDamaged: when it cannot be parsed.
        """
        return self._record.find()

    def require_record(self, expected: CollectionRecord) -> None:
        """Write the record of the collection, or check that its embedding model is still the same.

        Raises:
            CollectionMismatch: when the embedding model is a different one.
        """
        present = self.record()
        if present is None:
            try:
                self._record.create(expected)
            except PreconditionFailed:
                self.require_record(expected)
            return
        if present.embedding != expected.embedding:
            raise CollectionMismatch(
                f"collection {self.name!r} was embedded with {_described(present.embedding)}, but "
                f"{_described(expected.embedding)} is configured; configure {present.embedding.model} again, or upload "
                "to a new collection"
            )

    def job_file(self, job_id: str) -> RecordFile[UploadJob]:
        """Return the file of a job."""
        return RecordFile(self.store, self.job_key(job_id), UploadJob)

    def job(self, job_id: str) -> UploadJob | None:
        """Return a job; `None` if it does not exist.

        Raises:
            ObjectDamaged: when its file cannot be parsed.
        """
        return self.job_file(job_id).find() if _JOB_ID.fullmatch(job_id) else None

    def job_ids(self) -> list[str]:
        """Return the IDs of all jobs, newest first, taken from their file names."""
        prefix = f"{self.folder}jobs/"
        names = (key.removeprefix(prefix).removesuffix(".json") for key in self.store.keys(prefix))
        return sorted(filter(_JOB_ID.fullmatch, names), reverse=True)

    def source_file(self, source_id: str) -> RecordFile[SourceRecord]:
        """Return the record of how a file was read, which is written when reading is complete."""
        return RecordFile(self.store, f"{self.source_folder(source_id)}source.json", SourceRecord)

    def passages(self, source_id: str) -> Iterator[StoredPassage]:
        """Yield the passages of a file in order.

        Raises:
            ObjectNotFound: when the file has no passages.
            ObjectDamaged: when a line cannot be parsed.
        """
        key = self.passages_key(source_id)
        for line in self.store.lines(key):
            try:
                yield StoredPassage.from_json(line)
            except ValidationError as error:
                raise ObjectDamaged(f"{key!r} in {self.store.location} is damaged; restore it from a backup") from error

    def is_indexed(self, sources: list[str], embedding: EmbeddingRecord) -> bool:
        """Return whether the only index generation left contains exactly these files."""
        folder = collection_index(self.name)
        pointer_key = f"{folder}current.json"
        try:
            pointer = PassageIndexPointer.from_json(self.store.get(pointer_key).data)
        except (ObjectNotFound, ValidationError):
            return False
        if (pointer.sources, pointer.embedding) != (sources, embedding):
            return False
        return set(self.store.keys(folder)) == {pointer_key, f"{folder}{pointer.content_hash}.db"}

    def erase(self, prefix: str) -> None:
        """Erase all versions of every object with this prefix."""
        for key in list(self.store.keys(prefix)):
            self.store.erase(key)


def _described(embedding: EmbeddingRecord) -> str:
    return f"{embedding.model} ({embedding.dimensions} dimensions)"
