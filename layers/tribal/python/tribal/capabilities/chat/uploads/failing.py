"""End failed jobs: record the reason, and remove what the jobs stored."""

from __future__ import annotations

from collections.abc import Iterable

from tribal.capabilities.chat.collections.files import CollectionFiles
from tribal.capabilities.chat.collections.publishing import publish_index
from tribal.capabilities.chat.errors import ChatFailed
from tribal.capabilities.chat.uploads.progress import ReadFile
from tribal.capabilities.chat.uploads.redacting import redacted
from tribal.errors import TribalError, describe_unexpected
from tribal.identity.locations import collection_index
from tribal.jobs.job import MOST_DEATHS, TooManyDeaths
from tribal.ports.passages import PassageIndexes
from tribal_contracts.chat.collections import CollectionManifest, CollectionSource
from tribal_contracts.chat.jobs import UploadedFile, UploadJob


def expected_error(error: BaseException) -> TribalError:
    """Return the error to report for a failed job. An unexpected error becomes `ChatFailed`."""
    if isinstance(error, TribalError):
        return error
    if isinstance(error, TooManyDeaths):
        return ChatFailed(
            f"{MOST_DEATHS} processes in a row died without making progress: they crashed, were "
            "killed, or ran out of memory; split the upload into smaller ones"
        )
    if isinstance(error, MemoryError):
        return ChatFailed("the upload needs more memory than is available; split it into smaller uploads")
    what = describe_unexpected(error) if isinstance(error, Exception) else f"its process ended ({error!r})"
    return ChatFailed(f"the upload failed unexpectedly: {redacted(what)[0]}")


def refused_files(job: UploadJob, read: Iterable[ReadFile], reason: str) -> list[UploadedFile]:
    """Return the files of a failed job. Files that are or would be indexed are marked as refused."""
    files = [
        each.model_copy(update={"status": "refused", "reason": reason}) if each.status == "indexed" else each
        for each in job.files
    ]
    for each in list(read)[len(files) :]:
        refused = each.status is None
        files.append(each.outcome(each.status or "refused", reason if refused else each.reason))
    return files


def discard_stored(job: UploadJob, files: CollectionFiles, indexes: PassageIndexes) -> None:
    """Remove the sources that a job added. Safe to repeat after a crash at any point."""
    refused = {each.source_id for each in job.files if each.status == "refused" and each.source_id is not None}

    def is_kept(source: CollectionSource) -> bool:
        return source.source_id not in refused or source.added_at != job.created_at

    def without(manifest: CollectionManifest) -> CollectionManifest:
        return manifest.model_copy(update={"sources": list(filter(is_kept, manifest.sources))})

    before = files.manifest()
    if not all(map(is_kept, before.sources)):
        files.change_manifest(without)
    listed = {each.source_id for each in before.sources if is_kept(each)}
    for source_id in sorted(refused - listed):
        files.erase(files.source_folder(source_id))
    if next(files.store.keys(collection_index(files.name)), None) is not None:
        publish_index(files, indexes)
