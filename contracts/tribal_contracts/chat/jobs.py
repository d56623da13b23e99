"""Uploads and what became of them. Extension contracts."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tribal_contracts.chat.settings import CollectionName
from tribal_contracts.core.shape import (
    AgentError,
    ClosedContract,
    ContentHash,
    Contract,
    Count,
    ISOTimestamp,
    Unset,
    optional,
)

JobStatus = Literal["processing", "completed", "partial", "failed"]
FileStatus = Literal["indexed", "unchanged", "no_text", "encrypted", "unreadable", "unsupported", "refused"]


class UploadedFile(Contract):
    """What became of one file of an upload."""

    filename: str
    """Without folders; of an entry of an archive, its last part."""
    source_path: str | Unset = optional("Its path in an archive, if that has folders.")
    status: FileStatus
    reason: str | Unset = optional("Why it is not indexed.")
    source_id: ContentHash | Unset = optional()
    pages: Count = 0
    passages: Count = 0
    pages_without_text: list[Count] | Unset = optional("Of an indexed file; they may be scans.")


class UploadJob(Contract):
    """One upload. File: `collections/{collection}/jobs/{job_id}.json`, changed by conditional put only."""

    schema_version: Literal["1.0"] = "1.0"
    job_id: str
    collection: CollectionName
    filename: str
    size_bytes: Count
    status: JobStatus
    files: list[UploadedFile] = Field(default_factory=list)
    """Those that are finished, in the order of the archive."""
    total_files: Count | Unset = optional("Unset until the upload was opened.")
    created_at: ISOTimestamp
    updated_at: ISOTimestamp
    requested_by: str
    """Subject of the caller."""
    arrived: bool = True
    """Whether its bytes are in the store; with an address to upload to, not yet."""
    removes: ContentHash | Unset = optional("The file that this job removes; it then uploads nothing.")
    content_hash: ContentHash | Unset = optional("SHA-256 of the upload.")
    embedding_usd: float = 0.0
    attempts: Count = 0
    """Processes in a row that began to work on it, and ended without progress and without saying why."""
    error: AgentError | Unset = optional("Why it failed as a whole.")


class UploadAccepted(Contract):
    """The answer to an upload. Source: chat specification, 3.2."""

    job_id: str
    filename: str
    status: Literal["processing"] = "processing"
    message: str
    upload: UploadAddress | Unset = optional("Where to send the file, if it was not sent along.")


class UploadAddress(Contract):
    """Where a file may be sent to, by a form with these fields and the file last."""

    url: str
    fields: dict[str, str]
    expires_at: ISOTimestamp


class IngestTask(ClosedContract):
    """A job to work on, as the queue of the function that does so carries it."""

    collection: CollectionName
    job_id: str


class JobList(Contract):
    """The uploads that a caller may see, newest first."""

    jobs: list[UploadJob]
    total: Count
    truncated: bool


class RemovalReport(Contract):
    """The answer to a removal."""

    collection: CollectionName
    source_id: ContentHash
    names: list[str]
    job_id: str
    """The job that deletes it."""
    gone_by: ISOTimestamp
    """When its last copy is gone."""


UploadAccepted.model_rebuild()
