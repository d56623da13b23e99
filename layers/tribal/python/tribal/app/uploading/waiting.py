"""Finds the uploads and removals that wait to be worked on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from tribal.capabilities.chat.parts import ChatParts
from tribal.errors import ObjectDamaged, PreconditionFailed

if TYPE_CHECKING:
    from tribal.ports import Application
    from tribal.runs.leases.lease_file import LeaseFile

Job = tuple[str, str]
"""A collection and the id of a job."""


def waiting_jobs(app: Application, ended: set[Job]) -> Iterator[Job]:
    """The jobs that have not ended and that no process works on, oldest first in each collection.

    Args:
        app: the application.
        ended: jobs that have ended, which are not read again; more are added.

    Raises:
        StoreError: when the store does not answer; a damaged job is left out.
    """
    from tribal.capabilities.chat.collections.files import CollectionFiles
    from tribal.capabilities.chat.uploads.ingesting import may_arrive

    for collection in _collections(app):
        files = CollectionFiles(app.store(), collection)
        for job_id in reversed(files.job_ids()):
            named = (collection, job_id)
            if named in ended:
                continue
            try:
                job = files.job(job_id)
            except ObjectDamaged:
                continue
            if job is None or job.status != "processing":
                ended.add(named)
            elif not may_arrive(job, app.clock) and not _is_worked_on(app, collection):
                yield named


def release_leases(app: Application, process_id: int) -> bool:
    """Release what a process of this machine held that has ended, and return whether that was anything.

    Raises:
        StoreError: when the store does not answer.
    """
    from tribal.runs.leases.lease import process_name

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
    from tribal.runs.leases.lease_file import LeaseFile

    return LeaseFile(app.store(), app.clock, collection_lease(collection))


def _is_worked_on(app: Application, collection: str) -> bool:
    """Whether a process works on a collection, or has died less than the term of its lease ago."""
    from tribal.runs.leases.lease_file import is_running

    lease, _ = _lease_file(app, collection).read()
    return lease is not None and is_running(lease, app.clock)
