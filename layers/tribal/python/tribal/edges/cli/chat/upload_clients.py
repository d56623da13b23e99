"""Uploads as commands use them: on this machine, or in the environment of `--profile`."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

import typer

from tribal.capabilities.chat.collections.removal import find_source
from tribal.capabilities.chat.errors import ChatBusy
from tribal.capabilities.chat.uploads.ingesting import ingest
from tribal.capabilities.chat.uploads.uploads import Uploads
from tribal.edges.cli.profile.client import POLL_SECONDS, Client
from tribal.edges.http.chat.announcing import LARGEST_FORM_BYTES
from tribal.edges.http.chat.routes import COLLECTIONS, JOB, JOBS, UPLOADS
from tribal.errors import BodyTypeRefused, ConfigurationError, DeploymentUnreachable
from tribal.ports.stopping import StopToken
from tribal.settings.profiles import checked_address
from tribal_contracts.chat.collections import CollectionContents, CollectionList
from tribal_contracts.chat.jobs import JobList, RemovalReport, UploadAccepted, UploadAddress, UploadJob
from tribal_contracts.chat.requests import UploadRequest

SENT_ALONG_BYTES = LARGEST_FORM_BYTES - 64 * 1024
"""The largest file that is sent as a form, which has some more bytes; a larger one is announced."""
_BUSY_SECONDS = 1.0

Report = Callable[[UploadJob], None]


class UploadsClient(Protocol):
    """The uploads of one caller; the methods are those of `Uploads`."""

    def accept(self, file: Path, filename: str, collection: str | None = None) -> UploadJob:
        """Take a file, and return its job."""
        ...

    def finish(self, job: UploadJob, stop: StopToken, report: Report) -> UploadJob:
        """Return a job once it has ended, or a stop is requested; reports its progress."""
        ...

    def job(self, job_id: str) -> UploadJob:
        """Return an upload with its progress."""
        ...

    def jobs(self, limit: int = 50) -> JobList:
        """The newest uploads."""
        ...

    def remove(self, collection: str, name: str) -> RemovalReport:
        """Take a file out of a collection, by its name, path in an archive, or id."""
        ...

    def collections(self) -> CollectionList:
        """All collections that the caller may see."""
        ...

    def collection(self, name: str) -> CollectionContents:
        """One collection with its files."""
        ...


@dataclass(frozen=True, slots=True)
class LocalUploads(Uploads):
    """The uploads of this machine, whose jobs run in the foreground."""

    def finish(self, job: UploadJob, stop: StopToken, report: Report) -> UploadJob:
        """Run a job to its end, unless a stop is requested; waits while another process works on the collection."""
        has_said = False
        while not stop.requested and job.status == "processing":
            try:
                return ingest(self.app, job.collection, job.job_id, stop, report)
            except ChatBusy:
                if not has_said:
                    typer.echo(
                        f"note: another process is working on collection {job.collection!r}; waiting for it", err=True
                    )
                has_said = True
                time.sleep(_BUSY_SECONDS)
                job = self.job(job.job_id)
        return job


@dataclass(frozen=True, slots=True)
class DeployedUploads:
    """The uploads of an environment, which runs their jobs itself."""

    client: Client

    def accept(self, file: Path, filename: str, collection: str | None = None) -> UploadJob:
        """Send a file along, or announce it and send it to the address that the environment answers with."""
        size_bytes = file.stat().st_size
        if size_bytes > SENT_ALONG_BYTES:
            # A server of `tribal serve` takes files of any size as a form alone.
            with suppress(BodyTypeRefused):
                return self._announced(file, filename, size_bytes, collection)
        fields = {} if collection is None else {"collection": collection}
        return self.job(self.client.send_form(UPLOADS, fields, file, UploadAccepted).job_id)

    def _announced(self, file: Path, filename: str, size_bytes: int, collection: str | None) -> UploadJob:
        with file.open("rb") as opened:
            digest = hashlib.file_digest(opened, "sha256").hexdigest()
        request = UploadRequest(filename=filename, size_bytes=size_bytes, sha256=digest, collection=collection)
        accepted = self.client.send("POST", UPLOADS, UploadAccepted, request)
        if accepted.upload is not None:
            self.client.api.store_file(_checked(accepted.upload), accepted.upload.fields, file)
        return self.job(accepted.job_id)

    def finish(self, job: UploadJob, stop: StopToken, report: Report) -> UploadJob:
        """Watch a job until it has ended, or a stop is requested."""
        while not stop.requested and job.status == "processing":
            time.sleep(POLL_SECONDS)
            job = self.job(job.job_id)
            report(job)
        return job

    def job(self, job_id: str) -> UploadJob:
        """Return an upload with its progress."""
        return self.client.send("GET", f"{JOB}/{quote(job_id, safe='')}", UploadJob)

    def jobs(self, limit: int = 50) -> JobList:
        """The newest uploads."""
        return self.client.send("GET", f"{JOBS}?limit={limit}", JobList)

    def remove(self, collection: str, name: str) -> RemovalReport:
        """Take a file out of a collection; its id is looked up."""
        source = find_source(collection, self.collection(collection).sources, name)
        path = f"{COLLECTIONS}/{quote(collection, safe='')}/sources/{source.source_id}"
        return self.client.send("DELETE", path, RemovalReport)

    def collections(self) -> CollectionList:
        """All collections that the caller may see."""
        return self.client.send("GET", COLLECTIONS, CollectionList)

    def collection(self, name: str) -> CollectionContents:
        """One collection with its files."""
        return self.client.send("GET", f"{COLLECTIONS}/{quote(name, safe='')}", CollectionContents)


def _checked(address: UploadAddress) -> str:
    """The address, if it is one that files may be sent to."""
    try:
        return checked_address(address.url)
    except ConfigurationError as error:
        raise DeploymentUnreachable("the environment gave no HTTPS address for the file; nothing was sent") from error
