"""Uploads and removals as a kind of job."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from tribal.capabilities.chat.collections.files import CollectionFiles
from tribal.capabilities.chat.parts import ChatParts
from tribal.capabilities.chat.uploads.ingesting import Ingestion, Report, may_arrive
from tribal.errors import ObjectDamaged, RunLocked, StoreError
from tribal.identity.locations import collection_lease
from tribal.jobs.lease_file import is_running, read_lease
from tribal.ports import StopToken
from tribal.ports.capability import Waiting, Worked
from tribal_contracts.chat.jobs import IngestTask, UploadJob
from tribal_contracts.chat.settings import CATALOG

if TYPE_CHECKING:
    from tribal.ports import Application
    from tribal_contracts import Contract

BUSY_SECONDS = 60
"""How long a job waits if another job works on its collection. By judgement."""


class UploadKind:
    """The jobs of all collections. Jobs of one collection take turns under its lease."""

    name = "upload"

    def waiting(self, app: Application, ended: set[Contract]) -> Iterator[Waiting]:
        """Yield the waiting jobs, oldest first in each collection, except uploads that may still arrive."""
        for collection in _collections(app):
            with suppress(StoreError):
                lease, _ = read_lease(app.store(), app.clock, collection_lease(collection))
                is_worked_on = lease is not None and is_running(lease, app.clock)
                for task, job in _jobs(app, collection, ended):
                    if job is None or job.status != "processing":
                        ended.add(task)
                    elif not may_arrive(job, app.clock) and not is_worked_on:
                        yield Waiting(task, has_died=job.attempts > 0)

    def work(
        self,
        app: Application,
        task: IngestTask,
        stop: StopToken,
        error: BaseException | None = None,
        report: Report = lambda _: None,
    ) -> Worked:
        """Run a job, or end it with an error; report it after each file.

        Raises:
            JobNotFound, CollectionNotFound: when the job or its collection does not exist.
            EmbeddingFailed, IndexWriteFailed, StoreError: as `ingest`.
        """
        ingestion = Ingestion(app, task.collection, task.job_id, stop)
        try:
            job = ingestion.run(report, error)
        except RunLocked:
            # Another process works on the collection, for example `tribal upload`.
            return Worked("processing", BUSY_SECONDS)
        return Worked(job.status, ingestion.job.again_in_seconds)

    def leases(self, app: Application) -> list[str]:
        """Return the leases of all collections."""
        return [collection_lease(each) for each in _collections(app)]

    def launched_by(self, app: Application, wake: Callable[[], None]) -> Application | None:
        """Return an application that calls `wake` for each new job; `None` without collections."""
        parts = app.part(ChatParts)
        if parts is None or all(each == CATALOG for each in _collections(app)):
            return None
        return app.with_part(replace(parts, launch=lambda *_: wake()))


UPLOADS = UploadKind()


def _jobs(app: Application, collection: str, ended: set[Contract]) -> Iterator[tuple[IngestTask, UploadJob | None]]:
    files = CollectionFiles(app.store(), collection)
    for job_id in reversed(files.job_ids()):
        task = IngestTask(collection=collection, job_id=job_id)
        if task not in ended:
            with suppress(ObjectDamaged):
                yield task, files.job(job_id)


def _collections(app: Application) -> list[str]:
    parts = app.part(ChatParts)
    return [] if parts is None else [entry.title for entry in parts.settings.collections]
