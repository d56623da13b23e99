"""Process uploads and removals: one job per collection at a time, resumable after a crash at any point.

An upload is read, then its cost is estimated, then it is embedded. Its files become sources and are listed in the
manifest. An index that contains them is published, and the upload is erased. Every write can be repeated and gives
the same bytes.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import cast

from tribal.capabilities.chat.collections.files import CollectionFiles
from tribal.capabilities.chat.collections.publishing import publish_index
from tribal.capabilities.chat.collections.removal import delete_withdrawn, withdraw
from tribal.capabilities.chat.errors import ChatBusy, CollectionNotFound, JobNotFound, UploadUnreadable
from tribal.capabilities.chat.parts import chat_parts
from tribal.capabilities.chat.uploads.embedding import SourceWriter, require_affordable
from tribal.capabilities.chat.uploads.failing import discard_stored, expected_error, refused_files
from tribal.capabilities.chat.uploads.opening import UploadItem, opened
from tribal.capabilities.chat.uploads.progress import Progress, ReadFile
from tribal.capabilities.chat.uploads.reading import FileReader
from tribal.errors import ObjectDamaged, ObjectNotFound, RunLocked, is_refused_write, unwritable
from tribal.identity.locations import collection_lease
from tribal.jobs.job import Job, JobEnded, NotNow
from tribal.jobs.lease import RunLease
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
"""How long an upload may take to arrive. The address to send it to is valid for 15 minutes."""
ARRIVING_SECONDS = 900
"""How long a job waits for an upload that has not arrived: the longest delay of a queue message."""
PUBLISHING_SECONDS = 240.0
"""Time that must be left to publish an index. Source: `python -m bench.passages`: 100,000 passages take 140 s."""
_GOOD = ("indexed", "unchanged")
Report = Callable[[UploadJob], None]


def ingest(
    app: Application,
    collection: str,
    job_id: str,
    stop: StopToken | None = None,
    report: Report = lambda _: None,
) -> UploadJob:
    """Process an upload or a removal until it ends or too little time is left.

    Args:
        app: the application, with `ChatParts`.
        collection: name of the collection.
        job_id: ID of one of its jobs. A job that has ended is returned unchanged.
        stop: deadline and stop requests. A job that is stopped stays `processing`.
        report: called with the job after each file.

    Raises:
        JobNotFound: when the job does not exist.
        CollectionNotFound: when the collection is no longer configured.
        ChatBusy: when another process works on the collection. Retryable.
        EmbeddingFailed, IndexWriteFailed, StoreError: when a service fails temporarily; the job can be resumed. Any
            other error ends the job as failed.
    """
    try:
        return Ingestion(app, collection, job_id, stop or StopToken()).run(report)
    except RunLocked as locked:
        raise ChatBusy(
            f"another process is working on collection {collection!r}; `tribal jobs --watch` shows when it has finished"
        ) from locked


@dataclass(frozen=True, slots=True)
class _ReadUpload:
    """An upload whose files have been read, and the writer that stores them."""

    read: list[ReadFile]
    items: list[UploadItem]
    manifest: CollectionManifest
    """The manifest when the job started."""
    writer: SourceWriter
    worst_usd: float


class Ingestion:
    """One job of a collection. It runs under the collection's lease.

    Raises:
        JobNotFound, CollectionNotFound: as `ingest`.
    """

    def __init__(self, app: Application, collection: str, job_id: str, stop: StopToken) -> None:
        self._app = app
        self._parts = chat_parts(app)
        entry = self._parts.settings.entry(collection)
        if entry is None:
            raise CollectionNotFound(f"collection {collection!r} is no longer configured; its uploads are kept")
        self._entry = entry
        self._files = CollectionFiles(app.store(), collection)
        if self._files.job(job_id) is None:
            raise JobNotFound(f"there is no upload {job_id[:50]!r} to collection {collection!r}")
        self._job_id = job_id
        self._stop = stop
        self._lease = RunLease.of(app, collection_lease(collection), job_id, stop)
        self._begun = False
        self._source: tuple[Path, TextEmbedder] | None = None
        self._upload: _ReadUpload | None = None
        self._open = ExitStack()

    def run(self, report: Report, error: BaseException | None = None) -> UploadJob:
        """Run the job, or end it with an error. If the rest has to wait, the job stays `processing`.

        Raises:
            RunLocked: when another process works on the collection.
        """
        file = self._files.job_file(self._job_id)
        self.job = Job(
            read=file.read,
            replace=file.replace,
            has_ended=lambda job: job.status != "processing",
            lease=self._alone(),
            stop=self._stop,
            failed=self._failed,
            report=report,
        )
        try:
            return self.job.run(self._step, error)
        except JobEnded as ended:
            return cast(UploadJob, ended.record)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the lease until all temporary files are closed and removed."""
        with self._lease, self._open:
            yield

    def _failed(self, job: UploadJob, error: BaseException) -> UploadJob:
        """Return the job with the reason for its failure, and without files to index."""
        if job.error is not None:
            return job
        problem, now = expected_error(error), self._app.clock.published()
        refused = job.files
        with suppress(ObjectDamaged):
            refused = refused_files(job, self._progress.read_files(), problem.message)
        return job.model_copy(update={"files": refused, "error": problem.to_agent_error(now), "updated_at": now})

    def _step(self, job: UploadJob) -> UploadJob:
        try:
            changed = self._changed(job)
        except OSError as error:
            if not is_refused_write(error):
                raise
            raise unwritable(error.filename or self._parts.scratch, error) from error
        return changed.model_copy(update={"updated_at": self._app.clock.published()})

    def _changed(self, job: UploadJob) -> UploadJob:
        if job.error is not None:
            return self._ended(job, "failed")
        if not self._begun:
            self._begin(job)
        if job.removes is not None:
            return self._ended(job, "completed")
        if job.total_files is None:
            return self._counted(job)
        if len(job.files) < job.total_files:
            return self._with_next_file(job)
        self._require_time()
        self._publish(job)
        return self._ended(job, status_of(job.files))

    def _begin(self, job: UploadJob) -> None:
        """Delete what was removed from the collection."""
        if job.removes is not None:
            withdraw(self._files, job.removes, job.created_at)
        self._require_time()
        delete_withdrawn(self._files, self._parts.indexes(), self._app.clock)
        self._begun = True

    @property
    def _folder(self) -> Path:
        return self._parts.scratch / "uploads" / self._job_id

    @property
    def _progress(self) -> Progress:
        return Progress(self._files, self._job_id)

    def _counted(self, job: UploadJob) -> UploadJob:
        """Return the job with the number of its files."""
        path, _ = self._source_of(job)
        with opened(path, job.filename, self._parts.settings.uploads) as items:
            return job.model_copy(update={"total_files": len(items), "arrived": True})

    def _with_next_file(self, job: UploadJob) -> UploadJob:
        """Embed and store one more file. All files are read before the first one is stored."""
        if self._upload is None:
            self._upload = self._read(job)
        upload, number = self._upload, len(job.files)
        outcome = self._outcome(upload.read[number], upload.manifest, job.created_at)
        if outcome is None:
            upload.writer.write(number, upload.read[number], upload.items[number])
            outcome = upload.read[number].outcome("indexed")
        return job.model_copy(update={"files": [*job.files, outcome], "embedding_usd": upload.worst_usd})

    def _read(self, job: UploadJob) -> _ReadUpload:
        path, embedder = self._source_of(job)
        limits, manifest = self._parts.settings.uploads, self._files.manifest()
        reader = FileReader(
            parser=self._parts.parser(),
            progress=self._progress,
            manifest=manifest,
            limits=limits,
            course_id=self._entry.course,
            stop=self._stop,
            note_progress=self.job.note_progress,
        )
        with opened(path, job.filename, limits) as items:
            read = reader.read(items)
        worst = require_affordable(read, embedder, self._parts.settings.per_upload_usd)
        # Opened again, because an archive counts what was unpacked.
        items = self._open.enter_context(opened(path, job.filename, limits))
        return _ReadUpload(
            read, items, manifest, SourceWriter(self._progress, embedder, job.created_at, reader.check), worst
        )

    def _outcome(self, file: ReadFile, manifest: CollectionManifest, created_at: str) -> UploadedFile | None:
        """Return the outcome of a file that will not be stored; `None` for the others."""
        if file.status is not None:
            return file.outcome(file.status, file.reason)
        created = datetime.fromisoformat(created_at)
        for each in manifest.removed:
            if each.source_id == file.source_id and datetime.fromisoformat(each.removed_at) > created:
                return file.outcome("refused", "it was removed from the collection after this upload")
        return None

    def _source_of(self, job: UploadJob) -> tuple[Path, TextEmbedder]:
        """Return the upload on disk and its embedder. A collection always uses the same model."""
        if self._source is None:
            path = self._fetched(job)
            embedder = self._parts.embedder(self._entry, f"upload:{job.job_id}", self._parts.settings.per_upload_usd)
            self._files.require_record(self._record(job, embedder))
            self._source = path, embedder
        return self._source

    def _fetched(self, job: UploadJob) -> Path:
        path = self._folder / "upload"
        self._open.callback(shutil.rmtree, self._folder, ignore_errors=True)
        try:
            digest = self._files.store.get_file(self._files.upload_key(job.job_id), path)
        except ObjectNotFound as error:
            if may_arrive(job, self._app.clock):
                raise NotNow(ARRIVING_SECONDS) from error
            raise UploadUnreadable("the upload did not arrive; upload the file again") from error
        if job.content_hash is not None and digest != job.content_hash:
            raise UploadUnreadable("the received file is not the one that was announced; upload the file again")
        return path

    def _record(self, job: UploadJob, embedder: TextEmbedder) -> CollectionRecord:
        return CollectionRecord(
            name=self._entry.title,
            profile=self._entry.profile,
            layer=self._entry.layer,
            owner=self._entry.owner,
            course_id=self._entry.course,
            embedding=EmbeddingRecord(model=embedder.model, dimensions=embedder.dimensions),
            created_at=job.created_at,
        )

    def _publish(self, job: UploadJob) -> None:
        """Add the files of the job to the manifest, and publish the index with them."""
        self._lease.check()
        indexed = [each for each in job.files if each.status in _GOOD]
        records = {
            each: self._files.source_file(each).find()
            for each in dict.fromkeys(str(each.source_id) for each in indexed)
        }
        sources = {name: record.source for name, record in records.items() if record is not None}

        def with_files(manifest: CollectionManifest) -> CollectionManifest:
            listed = {each.source_id: each for each in manifest.sources}
            for each in indexed:
                name = str(each.source_id)
                # A file that was removed meanwhile stays so.
                if name in sources and (each.status == "indexed" or name in listed):
                    listed[name] = _named(listed.get(name, sources[name]), each)
            return manifest.model_copy(update={"sources": [*listed.values()], "allowed": _allowed(self._entry)})

        manifest = self._files.change_manifest(with_files)
        for source in manifest.sources:
            record = records.get(source.source_id)
            if record is not None and record.source != source:
                self._files.source_file(source.source_id).put(record.model_copy(update={"source": source}))
        publish_index(self._files, self._parts.indexes())

    def _ended(self, job: UploadJob, status: JobStatus) -> UploadJob:
        """Erase what only the job needs; return the job with its final status."""
        if job.removes is None:
            try:
                if status == "failed":
                    discard_stored(job, self._files, self._parts.indexes())
                self._files.store.erase(self._files.upload_key(job.job_id))
                self._progress.erase()
            except Exception:
                # What ends a job as failed may also keep its files from being erased, and must not keep it running.
                if job.error is None:
                    raise
        return job.model_copy(update={"status": status})

    def _require_time(self) -> None:
        if not self._stop.has_time_for(PUBLISHING_SECONDS):
            raise NotNow


def may_arrive(job: UploadJob, clock: Clock) -> bool:
    """Return whether the bytes of an upload are missing but may still arrive."""
    return not job.arrived and clock.real() < datetime.fromisoformat(job.created_at) + ARRIVES_WITHIN


def status_of(files: list[UploadedFile]) -> JobStatus:
    """Return the status of a job from its finished files."""
    good = sum(each.status in _GOOD for each in files)
    return "completed" if good == len(files) else "partial" if good else "failed"


def _named(source: CollectionSource, file: UploadedFile) -> CollectionSource:
    """Return the source with this file's name and path added."""
    names, paths = dict.fromkeys([*source.names, file.filename]), dict.fromkeys(source.paths)
    if file.source_path is not None:
        paths[file.source_path] = None
    return source.model_copy(update={"names": [*names], "paths": [*paths]})


def _allowed(entry: CollectionEntry) -> list[str]:
    """Return the models that may answer, by the provider's names."""
    if entry.profile != "tutor":
        return []
    successors = [entry.successors[each] for each in TUTOR_MODELS if each in entry.successors]
    return [*TUTOR_MODELS, *successors]
