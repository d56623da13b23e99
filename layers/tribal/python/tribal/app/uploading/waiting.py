"""Finds the uploads and removals that wait to be worked on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tribal.capabilities.chat.parts import ChatParts

if TYPE_CHECKING:
    from tribal.ports import Application

Job = tuple[str, str]
"""A collection and the id of a job."""


def waiting_jobs(app: Application, ended: set[Job]) -> Iterator[Job]:
    """The jobs that have not ended, oldest first in each collection; those that another process works on, too.

    Args:
        app: the application.
        ended: jobs that have ended, which are not read again; more are added.

    Raises:
        StoreError: when a job cannot be read.
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
            job = files.job(job_id)
            if job is None or job.status != "processing":
                ended.add(named)
            elif not may_arrive(job, app.clock):
                yield named
