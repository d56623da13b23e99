"""Accept uploads and removals of a caller, and report their results."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from heapq import nlargest
from pathlib import Path

from tribal.capabilities.chat.collections.files import CollectionFiles
from tribal.capabilities.chat.collections.removal import find_source, gone_by, shown_names, withdraw
from tribal.capabilities.chat.collections.visibility import find_collection, visible_collections
from tribal.capabilities.chat.errors import (
    ChatForbidden,
    CollectionNotFound,
    JobNotFound,
    UploadLimitExceeded,
    UploadRefused,
    UploadTooLarge,
    UploadUnreadable,
)
from tribal.capabilities.chat.parts import ChatParts, chat_parts
from tribal.capabilities.chat.rights import READ_DOCUMENTATION, WRITE_COLLECTIONS
from tribal.capabilities.chat.uploads.kinds import READ_TYPES, base_name, is_archive, kind_by_name, kind_of
from tribal.capabilities.chat.uploads.opening import head_of
from tribal.errors import StoreUnwritable
from tribal.ports.application import Application
from tribal.ports.caller import Caller
from tribal_contracts.chat.collections import (
    CollectionContents,
    CollectionList,
    CollectionManifest,
    CollectionSource,
)
from tribal_contracts.chat.jobs import JobList, RemovalReport, UploadAddress, UploadedFile, UploadJob
from tribal_contracts.chat.requests import UploadRequest
from tribal_contracts.chat.settings import CATALOG, CollectionEntry

MEGABYTE = 1024 * 1024
_ZIP = b"PK\x03\x04"
_RANDOM_BYTES = 6
_COMPARED = 10
"""Number of the newest jobs that are searched for the same file. By judgement: each one is read."""
_COUNTED = 50
"""Number of the newest jobs among which unfinished ones are counted. By judgement: each one is read."""


@dataclass(frozen=True, slots=True)
class Uploads:
    """The uploads of one caller.

    Every method accepts only collections that the caller may see, and raises `CollectionNotFound` for others.
    `collections` and `collection` need the `documentation:read` right, and all other methods need the
    `collections:write` right. Without the right, they raise `ChatForbidden`.
    """

    app: Application
    caller: Caller

    @property
    def parts(self) -> ChatParts:
        """The parts of the chat."""
        return chat_parts(self.app)

    def accept(self, file: Path, filename: str, collection: str | None = None) -> UploadJob:
        """Store an upload, and start its job if jobs run elsewhere.

        Args:
            file: path of the file on this machine.
            filename: the caller's name for it.
            collection: the collection; by default the configured one.

        Returns:
            The new job, or the existing job if the same file is already waiting. If the collection already has the same
            file under the same name, the job has already ended.

        Raises:
            UploadRefused: when the type is not supported, or a limit is exceeded.
        """
        files = self._files(self._target(collection))
        manifest = self._checked(files, file.stat().st_size)
        head = head_of(file)
        if not is_archive(filename, head):
            kind_of(filename, head)
        with file.open("rb") as opened:
            digest = hashlib.file_digest(opened, "sha256").hexdigest()
        job = self._new_job(files, filename, file.stat().st_size, digest)
        known = next((each for each in manifest.sources if each.source_id == digest), None)
        if known is not None and job.filename in known.names:
            return self._unchanged(files, job, known)
        waiting = self._waiting(files, job)
        if waiting is not None:
            return self.arrived(files.name, waiting.job_id)
        files.job_file(job.job_id).create(job)
        try:
            files.store.put_file(files.upload_key(job.job_id), file)
            return self.arrived(files.name, job.job_id)
        except StoreUnwritable:
            # Or it would wait, although its caller gets an error.
            files.store.erase(files.upload_key(job.job_id))
            files.store.erase(files.job_key(job.job_id))
            raise

    def announce(self, request: UploadRequest) -> UploadJob:
        """Create the job of an upload that will be sent later. Its first bytes are checked when it is read.

        Raises:
            UploadRefused: when the name suggests an unsupported type, or a limit is exceeded.
        """
        files = self._files(self._target(request.collection))
        self._checked(files, request.size_bytes)
        if kind_by_name(request.filename) is None and not is_archive(request.filename, _ZIP):
            raise UploadRefused(f"{base_name(request.filename)!r} has an unsupported type; upload {READ_TYPES}")
        job = self._new_job(files, request.filename, request.size_bytes, request.sha256)
        files.job_file(job.job_id).create(job)
        return job

    def address(self, job: UploadJob) -> UploadAddress:
        """Return where to send the bytes of an announced upload. Its job starts even if the bytes never arrive.

        Raises:
            UploadRefused: when this server accepts files only in forms.
        """
        if self.parts.address is None:
            raise UploadRefused(
                "this server does not let you announce an upload before sending the file; "
                "send the file in a form, in the `file` field"
            )
        self._launch(job)
        key = CollectionFiles(self.app.store(), job.collection).upload_key(job.job_id)
        return self.parts.address(key, job.size_bytes, job.content_hash or "")

    def arrived(self, collection: str, job_id: str) -> UploadJob:
        """Record that the bytes of an upload are in the store, and start its job if jobs run elsewhere.

        Raises:
            JobNotFound: when the job does not exist.
        """
        files = self._files(self._entry(collection))
        job = files.job(job_id)
        if job is None:
            raise _job_not_found(job_id)
        job = files.job_file(job_id).change(lambda present: present.model_copy(update={"arrived": True}), job)
        self._launch(job)
        return job

    def job(self, job_id: str) -> UploadJob:
        """Return a job.

        Raises:
            JobNotFound: when the job does not exist, or the caller may not see its collection.
        """
        for files in self._every():
            job = files.job(job_id)
            if job is not None:
                return job
        raise _job_not_found(job_id)

    def jobs(self, limit: int = 50) -> JobList:
        """Return the newest jobs of all collections that the caller may see."""
        ids = [(job_id, files.name) for files in self._every() for job_id in files.job_ids()]
        newest = nlargest(limit, ids)
        found = [CollectionFiles(self.app.store(), name).job(job_id) for job_id, name in newest]
        jobs = [job for job in found if job is not None]
        return JobList(jobs=jobs, total=len(ids), truncated=len(ids) > len(newest))

    def processing(self) -> int:
        """Count the unfinished jobs among the newest jobs of all collections that the caller may see."""
        return sum(job.status == "processing" for job in self.jobs(_COUNTED).jobs)

    def remove(self, collection: str, name: str) -> RemovalReport:
        """Take a file out of all answers at once, and delete it. The deletion is started if jobs run elsewhere.

        Args:
            collection: name of the collection.
            name: name of the file, or its ID.

        Raises:
            CollectionNotFound: when the collection has no such file, or several files with that name.
        """
        files = self._files(self._entry(collection))
        source = find_source(files.name, files.manifest().sources, name)
        job = self._new_job(files, shown_names(source)[0], 0, None)
        job = job.model_copy(update={"removes": source.source_id, "arrived": True})
        # Before the manifest: the job is resumed if this process is killed here.
        files.job_file(job.job_id).create(job)
        withdraw(files, source.source_id, job.created_at)
        self._launch(job)
        return RemovalReport(
            collection=files.name,
            source_id=source.source_id,
            names=shown_names(source),
            job_id=job.job_id,
            gone_by=gone_by(job.created_at),
        )

    def collections(self) -> CollectionList:
        """Return all collections that the caller may see, except the documentation."""
        self._require_reader()
        entries = visible_collections(self.parts.settings, self.caller)
        return CollectionList(collections=[self._contents(each).summary for each in entries if each.title != CATALOG])

    def collection(self, name: str) -> CollectionContents:
        """Return a collection that the caller may see, with its files.

        Raises:
            CollectionNotFound: also for the documentation, which has no files.
        """
        self._require_reader()
        return self._contents(self._entry(name))

    def _require_reader(self) -> None:
        if not self.caller.may(READ_DOCUMENTATION):
            raise ChatForbidden(f"you need the {READ_DOCUMENTATION!r} right to see collections")

    def _contents(self, entry: CollectionEntry) -> CollectionContents:
        files = CollectionFiles(self.app.store(), entry.title)
        record, sources = files.record(), files.manifest().sources
        return CollectionContents(
            name=entry.title,
            profile=entry.profile,
            layer=entry.layer,
            owner=entry.owner,
            course_id=entry.course,
            models=entry.every_model,
            embedding=None if record is None else record.embedding,
            files=len(sources),
            passages=sum(each.passages for each in sources),
            sources=sources,
        )

    def _entry(self, collection: str) -> CollectionEntry:
        entry = find_collection(collection, self.parts.settings, self.caller)
        if entry.title == CATALOG:
            raise CollectionNotFound(f"{CATALOG!r} is the documentation; it has no files")
        return entry

    def _target(self, collection: str | None) -> CollectionEntry:
        """Return the collection to upload to."""
        settings = self.parts.settings
        if collection is not None and collection != CATALOG:
            return self._entry(collection)
        visible = [each.title for each in visible_collections(settings, self.caller) if each.title != CATALOG]
        if collection is None and settings.collection in visible:
            return self._entry(settings.collection)
        if collection is None and len(visible) == 1:
            return self._entry(visible[0])
        why = f"nothing can be uploaded to {CATALOG!r}" if collection else "no collection was named"
        if not visible:
            which = "no other collection is configured" if collection else "none is configured for uploads"
            raise UploadRefused(f"{why}, and {which}")
        raise UploadRefused(f"{why}; use one of {', '.join(visible)}")

    def _every(self) -> list[CollectionFiles]:
        """Return the files of all collections that the caller may see and write to."""
        entries = visible_collections(self.parts.settings, self.caller)
        return [self._files(each) for each in entries if each.title != CATALOG]

    def _files(self, entry: CollectionEntry) -> CollectionFiles:
        """Return the files of a collection, if the caller may write to it."""
        if not self.caller.may(WRITE_COLLECTIONS):
            raise ChatForbidden(f"you need the {WRITE_COLLECTIONS!r} right to upload and remove files and to see jobs")
        return CollectionFiles(self.app.store(), entry.title)

    def _checked(self, files: CollectionFiles, size_bytes: int) -> CollectionManifest:
        """Return the manifest of a collection, if it has room for an upload of this size."""
        limits = self.parts.settings.uploads
        if size_bytes > limits.largest_mb * MEGABYTE:
            raise UploadTooLarge(
                f"the upload is {size_bytes / MEGABYTE:,.1f} MB, more than the {limits.largest_mb} MB that "
                "`chat.uploads.largest_mb` allows"
            )
        if not size_bytes:
            raise UploadUnreadable("the file is empty")
        manifest = files.manifest()
        if sum(each.passages for each in manifest.sources) >= limits.passages:
            raise UploadLimitExceeded(
                f"collection {files.name!r} already has the {limits.passages:,} passages that `chat.uploads.passages` "
                "allows; remove a file first"
            )
        return manifest

    def _new_job(self, files: CollectionFiles, filename: str, size_bytes: int, digest: str | None) -> UploadJob:
        now = self.app.clock.published()
        return UploadJob(
            job_id=_new_job_id(self.app.clock.real()),
            collection=files.name,
            filename=base_name(filename),
            size_bytes=size_bytes,
            status="processing",
            created_at=now,
            updated_at=now,
            requested_by=self.caller.subject,
            arrived=False,
            content_hash=digest,
        )

    def _waiting(self, files: CollectionFiles, job: UploadJob) -> UploadJob | None:
        """Return the unfinished job of the same file that has arrived, if it is among the newest."""
        for job_id in files.job_ids()[:_COMPARED]:
            other = files.job(job_id)
            if other is None or other.status != "processing" or not other.arrived:
                continue
            if (other.content_hash, other.filename) == (job.content_hash, job.filename):
                return other
        return None

    def _unchanged(self, files: CollectionFiles, job: UploadJob, source: CollectionSource) -> UploadJob:
        """Create an ended job for a file that the collection already has."""
        file = UploadedFile(
            filename=job.filename,
            status="unchanged",
            source_id=source.source_id,
            pages=source.pages,
            passages=source.passages,
        )
        ended = job.model_copy(update={"status": "completed", "files": [file], "total_files": 1, "arrived": True})
        files.job_file(ended.job_id).create(ended)
        return ended

    def _launch(self, job: UploadJob) -> None:
        if self.parts.launch is not None:
            self.parts.launch(job.collection, job.job_id)


def _new_job_id(now: datetime) -> str:
    """Return an ID such as `20261121t024500123z-1f9c2a3b4d5e`. IDs sort by time."""
    moment = now.astimezone(UTC)
    return f"{moment:%Y%m%dt%H%M%S}{moment.microsecond // 1000:03d}z-{secrets.token_hex(_RANDOM_BYTES)}"


def _job_not_found(job_id: str) -> JobNotFound:
    return JobNotFound(f"there is no upload {job_id[:50]!r}; `tribal jobs` lists the uploads that you may see")
