"""Finds the uploads and removals that wait to be worked on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from tribal.capabilities.chat.parts import ChatParts
from tribal.errors import ObjectDamaged, PreconditionFailed, StoreError

if TYPE_CHECKING:
    from tribal.jobs.lease_file import LeaseFile
    from tribal.ports import Application
    from tribal_contracts.chat.jobs import UploadJob

Job = tuple[str, str]
"""A collection and the id of a job."""


def waiting_jobs(app: Application, ended: set[Job]) -> list[Job]:
    """The jobs that have not ended and that no process works on, oldest first in each collection.

    Those at which a process died come last, so that no other job waits for them. What cannot be read is left out.

    Args:
        app: the application.
        ended: jobs that have ended, which are not read again; more are added.
    """
    from tribal.capabilities.chat.uploads.ingesting import may_arrive

    waiting: list[tuple[bool, Job]] = []
    for collection in _collections(app):
        with suppress(StoreError):
            is_worked_on = _is_worked_on(app, collection)
            for named, job in _jobs(app, collection, ended):
                if job is None or job.status != "processing":
                    ended.add(named)
                elif not may_arrive(job, app.clock) and not is_worked_on:
                    waiting.append((job.attempts > 0, named))
    return [named for _, named in sorted(waiting, key=lambda each: each[0])]


def _jobs(app: Application, collection: str, ended: set[Job]) -> Iterator[tuple[Job, UploadJob | None]]:
    from tribal.capabilities.chat.collections.files import CollectionFiles

    files = CollectionFiles(app.store(), collection)
    for job_id in reversed(files.job_ids()):
        if (collection, job_id) not in ended:
            with suppress(ObjectDamaged):
                yield (collection, job_id), files.job(job_id)


def release_leases(app: Application, process_id: int) -> bool:
    """Release what a process of this machine held that has ended, and return whether that was anything.

    Raises:
        StoreError: when the store does not answer.
    """
    from tribal.jobs.lease import process_name

    released = False
    for collection in _collections(app):
        file = _lease_file(app, collection)
        lease, etag = file.read()
        if lease is not None and not lease.released and lease.holder == process_name(process_id):
            with suppress(PreconditionFailed):
                file.put(file.released(lease), etag)
            released = True
    return released


def _collections(app: Application) -> list[str]:
    parts = app.part(ChatParts)
    return [] if parts is None else [entry.title for entry in parts.settings.collections]


def _lease_file(app: Application, collection: str) -> LeaseFile:
    from tribal.identity.locations import collection_lease
    from tribal.jobs.lease_file import LeaseFile

    return LeaseFile(app.store(), app.clock, collection_lease(collection))


def _is_worked_on(app: Application, collection: str) -> bool:
    """Whether a process works on a collection, or has died less than the term of its lease ago."""
    from tribal.jobs.lease_file import is_running

    lease, _ = _lease_file(app, collection).read()
    return lease is not None and is_running(lease, app.clock)
