"""The files of a collection in the store, which holds the truth about it.."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from pydantic import ValidationError

from tribal.capabilities.chat.errors import CollectionMismatch
from tribal.errors import ObjectDamaged, ObjectNotFound, PreconditionFailed
from tribal.identity.locations import COLLECTIONS, collection_index
from tribal.ports import ObjectStore
from tribal.store import require_seal, sealed
from tribal_contracts import Contract
from tribal_contracts.chat.collections import (
    CollectionManifest,
    CollectionRecord,
    EmbeddingRecord,
    PassageIndexPointer,
    SourceRecord,
    StoredPassage,
)
from tribal_contracts.chat.jobs import UploadJob

_ATTEMPTS = 20
"""How often a record that another process changes at the same time is read again. By judgement."""
_JOB_ID = re.compile(r"[0-9a-z-]{26,36}")

Record = TypeVar("Record", bound=Contract)


@dataclass(frozen=True, slots=True)
class CollectionFiles:
    """The keys of a collection's files, and its records."""

    store: ObjectStore
    name: str

    @property
    def folder(self) -> str:
        """The prefix of all its keys."""
        return f"{COLLECTIONS}{self.name}/"

    @property
    def record_key(self) -> str:
        """What it is: written once."""
        return f"{self.folder}collection.json"

    @property
    def manifest_key(self) -> str:
        """What answers may use."""
        return f"{self.folder}manifest.json"

    def job_key(self, job_id: str) -> str:
        """An upload and what became of it."""
        return f"{self.folder}jobs/{job_id}.json"

    def upload_key(self, job_id: str) -> str:
        """The bytes of an upload until it is read."""
        return f"{self.folder}uploads/{job_id}"

    def progress_folder(self, job_id: str) -> str:
        """What was read of an upload so far."""
        return f"{self.folder}progress/{job_id}/"

    def source_folder(self, source_id: str) -> str:
        """Everything that is stored of a file."""
        return f"{self.folder}sources/{source_id}/"

    def original_key(self, source_id: str) -> str:
        """The bytes of a file as they were uploaded."""
        return f"{self.source_folder(source_id)}original"

    def source_key(self, source_id: str) -> str:
        """How a file was read."""
        return f"{self.source_folder(source_id)}source.json"

    def passages_key(self, source_id: str) -> str:
        """The passages of a file with their vectors."""
        return f"{self.source_folder(source_id)}passages.jsonl"

    def manifest(self) -> tuple[CollectionManifest, str | None]:
        """The manifest and its tag; an empty one and `None` if nothing was ever uploaded.

        Raises:
            ObjectDamaged: when it cannot be parsed.
        """
        found = self._read(self.manifest_key, CollectionManifest)
        return (CollectionManifest(sources=[]), None) if found is None else found

    def change_manifest(self, change: Callable[[CollectionManifest], CollectionManifest]) -> CollectionManifest:
        """Replace the manifest; `change` is called again when another process was faster.

        Raises:
            ObjectDamaged: when it cannot be parsed.
        """
        return self._change(self.manifest_key, CollectionManifest, CollectionManifest(sources=[]), change)

    def record(self) -> CollectionRecord | None:
        """What the collection is; `None` before its first upload.

        Raises:
            ObjectDamaged: when it cannot be parsed.
        """
        found = self._read(self.record_key, CollectionRecord)
        return None if found is None else found[0]

    def require_record(self, expected: CollectionRecord) -> None:
        """Write what the collection is, or check that its vectors are of the same model.

        Raises:
            CollectionMismatch: when they are not.
        """
        present = self.record()
        if present is None:
            data = sealed(self.record_key, expected.to_json())
            try:
                self.store.put(self.record_key, data, if_absent=True)
            except PreconditionFailed:
                self.require_record(expected)
            return
        if present.embedding != expected.embedding:
            raise CollectionMismatch(
                f"collection {self.name!r} has vectors of {_described(present.embedding)}, but "
                f"{_described(expected.embedding)} is configured; configure the first, or upload to a collection of "
                "another name"
            )

    def job(self, job_id: str) -> UploadJob | None:
        """An upload; `None` if there is no such one.

        Raises:
            ObjectDamaged: when its file cannot be parsed.
        """
        if not _JOB_ID.fullmatch(job_id):
            return None
        found = self._read(self.job_key(job_id), UploadJob)
        return None if found is None else found[0]

    def create_job(self, job: UploadJob) -> None:
        """Write a new upload.

        Raises:
            PreconditionFailed: when there is one of that id.
        """
        key = self.job_key(job.job_id)
        self.store.put(key, sealed(key, job.to_json()), if_absent=True)

    def change_job(self, job: UploadJob, change: Callable[[UploadJob], UploadJob]) -> UploadJob:
        """Replace an upload; `change` is called again when another process was faster."""
        return self._change(self.job_key(job.job_id), UploadJob, job, change)

    def job_ids(self) -> list[str]:
        """The ids of all uploads, newest first, read from the names of their files."""
        prefix = f"{self.folder}jobs/"
        names = (key.removeprefix(prefix).removesuffix(".json") for key in self.store.keys(prefix))
        return sorted(filter(_JOB_ID.fullmatch, names), reverse=True)

    def source(self, source_id: str) -> SourceRecord | None:
        """How a file was read; `None` if it was not, or not to its end.

        Raises:
            ObjectDamaged: when the record cannot be parsed.
        """
        found = self._read(self.source_key(source_id), SourceRecord)
        return None if found is None else found[0]

    def put_source(self, record: SourceRecord) -> None:
        """Write how a file was read."""
        key = self.source_key(record.source.source_id)
        self.store.put(key, sealed(key, record.to_json()))

    def passages(self, source_id: str) -> Iterator[StoredPassage]:
        """The passages of a file, in order.

        Raises:
            ObjectNotFound: when it has none.
            ObjectDamaged: when a line cannot be parsed.
        """
        key = self.passages_key(source_id)
        for line in self.store.lines(key):
            try:
                yield StoredPassage.from_json(line)
            except ValidationError as error:
                raise self._damaged(key) from error

    def is_indexed(self, sources: list[str], embedding: EmbeddingRecord) -> bool:
        """Whether exactly these files are in the current generation of the index, and no other generation is left."""
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
        """Erase every object with a prefix, with all its versions."""
        for key in list(self.store.keys(prefix)):
            self.store.erase(key)

    def _read(self, key: str, kind: type[Record]) -> tuple[Record, str] | None:
        try:
            found = self.store.get(key)
        except ObjectNotFound:
            return None
        require_seal(key, found.data)
        try:
            return kind.from_json(found.data), found.etag
        except ValidationError as error:
            raise self._damaged(key) from error

    def _change(self, key: str, kind: type[Record], initial: Record, change: Callable[[Record], Record]) -> Record:
        for attempt in range(_ATTEMPTS):
            present = self._read(key, kind)
            before, etag = (initial, None) if present is None else present
            after = change(before)
            if after == before and present is not None:
                return after
            try:
                self.store.put(key, sealed(key, after.to_json()), if_match=etag, if_absent=etag is None)
            except PreconditionFailed:
                if attempt + 1 == _ATTEMPTS:
                    raise
            else:
                return after
        raise AssertionError("the last attempt returns or raises")

    def _damaged(self, key: str) -> ObjectDamaged:
        return ObjectDamaged(f"{key!r} in {self.store.location} is damaged; restore it from a backup")


def _described(embedding: EmbeddingRecord) -> str:
    return f"{embedding.model} ({embedding.dimensions} dimensions)"
