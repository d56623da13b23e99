"""Finds the uploads and removals that wait to be worked on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tribal.capabilities.chat.parts import ChatParts
from tribal.errors import ObjectDamaged

if TYPE_CHECKING:
    from tribal.ports import Application

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

    parts = app.part(ChatParts)
    for entry in () if parts is None else parts.settings.collections:
        files = CollectionFiles(app.store(), entry.title)
        for job_id in reversed(files.job_ids()):
            named = (entry.title, job_id)
            if named in ended:
                continue
            try:
                job = files.job(job_id)
            except ObjectDamaged:
                continue
            if job is None or job.status != "processing":
                ended.add(named)
            elif not may_arrive(job, app.clock) and not _is_worked_on(app, entry.title):
                yield named


def _is_worked_on(app: Application, collection: str) -> bool:
    """Whether a process works on a collection, or has died less than the term of its lease ago."""
    from tribal.identity.locations import collection_lease
    from tribal.runs.leases.lease_file import LeaseFile, is_running

    lease, _ = LeaseFile(app.store(), app.clock, collection_lease(collection)).read()
    return lease is not None and is_running(lease, app.clock)
