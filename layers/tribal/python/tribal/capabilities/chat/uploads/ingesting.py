"""Works through uploads and removals: one job of a collection at a time, resumable after a kill at any point.

An upload is read first, then quoted, then embedded. Its files become sources; the manifest lists them, a generation of
the index with them is published, and the upload is erased. Every write can be repeated and gives the same bytes.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from tribal.capabilities.chat.collections.files import CollectionFiles
from tribal.capabilities.chat.collections.publishing import publish_index
from tribal.capabilities.chat.collections.removal import delete_withdrawn, withdraw
from tribal.capabilities.chat.errors import (
    ChatBusy,
    CollectionNotFound,
    JobNotFound,
    UploadUnreadable,
)
from tribal.capabilities.chat.parts import ChatParts, chat_parts
from tribal.capabilities.chat.uploads.embedding import SourceWriter, require_affordable
from tribal.capabilities.chat.uploads.failing import (
    MOST_ATTEMPTS,
    discard_stored,
    expected_error,
    refused_files,
    too_many_attempts,
)
from tribal.capabilities.chat.uploads.opening import opened
from tribal.capabilities.chat.uploads.progress import Progress, ReadFile
from tribal.capabilities.chat.uploads.reading import FileReader, Paused
from tribal.errors import ObjectDamaged, ObjectNotFound, RunError, RunLocked, TribalError, is_refused_write, unwritable
from tribal.identity.locations import collection_lease
from tribal.jobs.lease import RunLease
from tribal.jobs.lease_file import LeaseFile
from tribal.ports import Clock
from tribal.ports.application import Application
from tribal.ports.passages import TextEmbedder
from tribal.ports.stopping import StopToken
from tribal_contracts.chat.collections import (
    CollectionManifest,
    CollectionRecord,
    CollectionSource,
    EmbeddingRecord,
)
from tribal_contracts.chat.jobs import JobStatus, UploadedFile, UploadJob
from tribal_contracts.chat.settings import TUTOR_MODELS, CollectionEntry

ARRIVES_WITHIN = timedelta(hours=1)
"""How long an upload may take to arrive; an address to send one to is valid for 15 minutes."""
PUBLISHING_SECONDS = 240.0
"""The time that must be left to publish an index. Source: `python -m bench.passages`: 100,000 passages take 140 s."""
_GOOD = ("indexed", "unchanged")
Report = Callable[[UploadJob], None]


def ingest(
    app: Application,
    collection: str,
    job_id: str,
    stop: StopToken | None = None,
    report: Report = lambda _: None,
) -> UploadJob:
    """Work through an upload or a removal until it ends, or until little time is left.

    Args:
        app: the application, with `ChatParts`.
        collection: its name.
        job_id: of a job of that collection; one that has ended is returned as it is.
        stop: its deadline, and requests to stop; the job is then still `processing`.
        report: called with the job after each file.

    Raises:
        JobNotFound: when there is no such job.
        CollectionNotFound: when the collection is no longer configured.
        ChatBusy: when another process works on the collection. Retryable.
        EmbeddingFailed, IndexWriteFailed, StoreError: when something does not work for now; the job can be resumed.
            Whatever else is raised ends it as failed.
    """
    with _opened(app, collection, job_id, stop or StopToken(), report) as (ingestion, job):
        return job if job.status != "processing" else ingestion.run(job)


def end_as_failed(app: Application, collection: str, job_id: str, error: TribalError) -> UploadJob:
    """End a job that could be resumed, with an error that no one may be there to see.

    Raises:
        JobNotFound, CollectionNotFound, ChatBusy, StoreError: as `ingest`.
    """
    with _opened(app, collection, job_id, StopToken(), lambda _: None) as (ingestion, job):
        return job if job.status != "processing" else ingestion.fail(job, error)


@contextmanager
def _opened(
    app: Application, collection: str, job_id: str, stop: StopToken, report: Report
) -> Iterator[tuple[_Ingestion, UploadJob]]:
    parts = chat_parts(app)
    entry = parts.settings.entry(collection)
    if entry is None:
        raise CollectionNotFound(f"collection {collection!r} is no longer configured; its uploads stay")
    files = CollectionFiles(app.store(), collection)
    with _alone(app, files, job_id, stop) as lease:
        job = files.job(job_id)
        if job is None:
            raise JobNotFound(f"there is no upload {job_id[:50]!r} to collection {collection!r}")
        yield _Ingestion(app, parts, entry, files, lease, stop, report), job


@contextmanager
def _alone(app: Application, files: CollectionFiles, job_id: str, stop: StopToken) -> Iterator[RunLease]:
    name = collection_lease(files.name)
    lease = RunLease(LeaseFile(files.store, app.clock, name), job_id, lock=app.locks(name), stop=stop)
    try:
        lease.acquire()
    except RunLocked as error:
        raise ChatBusy(
            f"another process works on collection {files.name!r}; `tribal jobs --watch` shows when it has ended"
        ) from error
    try:
        yield lease
    finally:
        lease.release()


@dataclass
class _Ingestion:
    """One job under the lease of its collection."""

    app: Application
    parts: ChatParts
    entry: CollectionEntry
    files: CollectionFiles
    lease: RunLease
    stop: StopToken
    report: Report

    def run(self, job: UploadJob) -> UploadJob:
        """Work through the job; it is still `processing` when the rest has to wait."""
        if job.error is None and job.attempts >= MOST_ATTEMPTS:
            return self.fail(job, too_many_attempts())
        job = self._count_attempts(job, job.attempts + 1)
        try:
            return self._worked(job)
        except Paused:
            return self._count_attempts(job, 0)
        except KeyboardInterrupt:
            self._count_no_attempt(job)
            raise
        except (Exception, SystemExit) as error:
            if isinstance(error, RunError) or (isinstance(error, TribalError) and error.retryable):
                self._count_no_attempt(job)
                raise
            if isinstance(error, OSError) and is_refused_write(error):
                self._count_no_attempt(job)
                raise unwritable(error.filename or self.parts.scratch, error) from error
            return self.fail(job, expected_error(error))

    def fail(self, job: UploadJob, error: TribalError) -> UploadJob:
        """End the job with the reason, and without what it stored."""
        job = self.files.job(job.job_id) or job
        if job.error is None:
            refused = job.files
            with suppress(ObjectDamaged):
                refused = refused_files(job, Progress(self.files, job.job_id).read_files(), error.message)
            job = self._save(job, files=refused, error=error.to_agent_error(self.app.clock.published()))
        return self._ended(job, "failed")

    def _worked(self, job: UploadJob) -> UploadJob:
        if job.error is not None:
            return self._ended(job, "failed")
        if job.removes is not None:
            withdraw(self.files, job.removes, job.created_at)
        self._require_time()
        delete_withdrawn(self.files, self.parts.indexes(), self.app.clock)
        if job.removes is not None:
            return self._ended(job, "completed")
        folder = self._folder(job)
        try:
            if job.total_files is None or len(job.files) < job.total_files:
                job = self._sourced(job, Progress(self.files, job.job_id), folder)
            self._require_time()
            self._publish(job)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return self._ended(job, status_of(job.files))

    def _folder(self, job: UploadJob) -> Path:
        return self.parts.scratch / "uploads" / job.job_id

    def _count_no_attempt(self, job: UploadJob) -> None:
        # What stops the job may also keep this from being written; then the attempt counts.
        with suppress(TribalError):
            self._count_attempts(job, 0)

    def _report_progress(self, job: UploadJob) -> None:
        if job.attempts > 1:
            self._count_attempts(job, 1)

    def _count_attempts(self, job: UploadJob, attempts: int) -> UploadJob:
        return self.files.change_job(job, lambda present: present.model_copy(update={"attempts": attempts}))

    def _sourced(self, job: UploadJob, progress: Progress, folder: Path) -> UploadJob:
        """The job with all its files read, embedded and stored."""
        path = self._fetched(job, folder)
        embedder = self._embedder(job)
        self.files.require_record(self._record(job, embedder))
        manifest, _ = self.files.manifest()
        reader = FileReader(
            parser=self.parts.parser(),
            progress=progress,
            manifest=manifest,
            limits=self.parts.settings.uploads,
            course_id=self.entry.course,
            stop=self.stop,
            report_progress=partial(self._report_progress, job),
        )
        with opened(path, job.filename, self.parts.settings.uploads) as items:
            job = self._save(job, total_files=len(items), arrived=True)
            read = reader.read(items)
        worst = require_affordable(read, embedder, self.parts.settings.per_upload_usd)
        writer = SourceWriter(progress, embedder, job.created_at, reader.check)
        # Opened again, because an archive counts what was unpacked.
        with opened(path, job.filename, self.parts.settings.uploads) as items:
            for number in range(len(job.files), len(read)):
                outcome = self._outcome(read[number], manifest, job.created_at)
                if outcome is None:
                    writer.write(number, read[number], items[number])
                    outcome = read[number].outcome("indexed")
                job = self._save(job, files=[*job.files, outcome], embedding_usd=worst, attempts=1)
        return job

    def _outcome(self, file: ReadFile, manifest: CollectionManifest, created_at: str) -> UploadedFile | None:
        """What became of a file that is not stored; `None` for one that is to be."""
        if file.status is not None:
            return file.outcome(file.status, file.reason)
        created = datetime.fromisoformat(created_at)
        for each in manifest.removed:
            if each.source_id == file.source_id and datetime.fromisoformat(each.removed_at) > created:
                return file.outcome("refused", "it was removed from the collection after this upload")
        return None

    def _fetched(self, job: UploadJob, folder: Path) -> Path:
        """The upload on this machine's disk."""
        path = folder / "upload"
        try:
            digest = self.files.store.get_file(self.files.upload_key(job.job_id), path)
        except ObjectNotFound as error:
            if may_arrive(job, self.app.clock):
                raise Paused from error
            raise UploadUnreadable("the upload did not arrive; upload the file again") from error
        if job.content_hash is not None and digest != job.content_hash:
            raise UploadUnreadable("what arrived is not the file that was announced; upload it again")
        return path

    def _embedder(self, job: UploadJob) -> TextEmbedder:
        return self.parts.embedder(self.entry, f"upload:{job.job_id}", self.parts.settings.per_upload_usd)

    def _record(self, job: UploadJob, embedder: TextEmbedder) -> CollectionRecord:
        return CollectionRecord(
            name=self.entry.title,
            profile=self.entry.profile,
            layer=self.entry.layer,
            owner=self.entry.owner,
            course_id=self.entry.course,
            embedding=EmbeddingRecord(model=embedder.model, dimensions=embedder.dimensions),
            created_at=job.created_at,
        )

    def _publish(self, job: UploadJob) -> None:
        """Add the files of the job to the manifest, and publish the index with them."""
        self.lease.check()
        indexed = [each for each in job.files if each.status in _GOOD]
        records = {each: self.files.source(each) for each in dict.fromkeys(str(each.source_id) for each in indexed)}
        sources = {name: record.source for name, record in records.items() if record is not None}

        def with_files(manifest: CollectionManifest) -> CollectionManifest:
            listed = {each.source_id: each for each in manifest.sources}
            for each in indexed:
                name = str(each.source_id)
                # A file that was removed meanwhile stays so.
                if name in sources and (each.status == "indexed" or name in listed):
                    listed[name] = _named(listed.get(name, sources[name]), each)
            return manifest.model_copy(update={"sources": [*listed.values()], "allowed": _allowed(self.entry)})

        manifest = self.files.change_manifest(with_files)
        for source in manifest.sources:
            record = records.get(source.source_id)
            if record is not None and record.source != source:
                self.files.put_source(record.model_copy(update={"source": source}))
        publish_index(self.files, self.parts.indexes())

    def _ended(self, job: UploadJob, status: JobStatus) -> UploadJob:
        """Erase what only the job needs, and then write its status."""
        if job.removes is None:
            try:
                if status == "failed":
                    discard_stored(job, self.files, self.parts.indexes())
                self.files.store.erase(self.files.upload_key(job.job_id))
                Progress(self.files, job.job_id).erase()
            except Exception:
                # What ends a job as failed may also keep its files from being erased, and must not keep it running.
                if job.error is None:
                    raise
        return self._save(job, status=status, attempts=0)

    def _save(self, job: UploadJob, **changes: object) -> UploadJob:
        updated = {**changes, "updated_at": self.app.clock.published()}
        saved = self.files.change_job(job, lambda present: present.model_copy(update=updated))
        self.report(saved)
        return saved

    def _require_time(self) -> None:
        if not self.stop.has_time_for(PUBLISHING_SECONDS):
            raise Paused


def may_arrive(job: UploadJob, clock: Clock) -> bool:
    """Whether the bytes of an upload are missing, but may still be on their way."""
    return not job.arrived and clock.real() < datetime.fromisoformat(job.created_at) + ARRIVES_WITHIN


def status_of(files: list[UploadedFile]) -> JobStatus:
    """The status of a job whose files are finished."""
    good = sum(each.status in _GOOD for each in files)
    return "completed" if good == len(files) else "partial" if good else "failed"


def _named(source: CollectionSource, file: UploadedFile) -> CollectionSource:
    """A source that has a name and a path, besides those that it had."""
    names, paths = dict.fromkeys([*source.names, file.filename]), dict.fromkeys(source.paths)
    if file.source_path is not None:
        paths[file.source_path] = None
    return source.model_copy(update={"names": [*names], "paths": [*paths]})


def _allowed(entry: CollectionEntry) -> list[str]:
    """The models that may answer, by the provider's names."""
    if entry.profile != "tutor":
        return []
    successors = [entry.successors[each] for each in TUTOR_MODELS if each in entry.successors]
    return [*TUTOR_MODELS, *successors]
