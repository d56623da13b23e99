"""Embed the passages of an upload, and store its files as sources."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from tribal.capabilities.chat.errors import UploadLimitExceeded
from tribal.capabilities.chat.uploads.opening import UploadItem
from tribal.capabilities.chat.uploads.progress import Progress, ReadFile
from tribal.ports.passages import TextEmbedder
from tribal_contracts.chat.collections import (
    CollectionSource,
    FileKind,
    Passage,
    SourceRecord,
    StoredPassage,
)


def require_affordable(files: list[ReadFile], embedder: TextEmbedder, per_upload_usd: float) -> float:
    """Return the maximum cost of embedding an upload, in dollars.

    Raises:
        UploadLimitExceeded: when the cost exceeds the limit for an upload.
    """
    worst = embedder.worst_usd(sum(each.characters for each in files if each.status is None))
    if worst > per_upload_usd:
        raise UploadLimitExceeded(
            f"embedding this upload with {embedder.model} may cost up to ${worst:,.4f}, more than the "
            f"${per_upload_usd:g} that `chat.per_upload_usd` allows"
        )
    return worst


@dataclass(frozen=True, slots=True)
class SourceWriter:
    """Writes the sources of one upload."""

    progress: Progress
    embedder: TextEmbedder
    added_at: str
    check: Callable[[], None]
    """Raises `NotNow` if no time is left."""

    def write(self, number: int, file: ReadFile, item: UploadItem) -> None:
        """Store a file's original, then its passages, then its record. Does nothing if the record exists.

        Raises:
            EmbeddingFailed: when its passages could not be embedded.
            NotNow: when too little time is left; the job is resumed later.
        """
        files, source_id = self.progress.files, str(file.source_id)
        record = files.source_file(source_id)
        if record.find() is not None:
            return
        for key in self.progress.parts(number):
            self.check()
            self.progress.embed_part(key, self._embedded)
        files.store.put_file(files.original_key(source_id), item.fetch())
        files.store.put_lines(files.passages_key(source_id), self.progress.embedded_lines(number))
        source = CollectionSource(
            source_id=source_id,
            names=[file.filename],
            paths=[] if file.path is None else [file.path],
            kind=cast(FileKind, file.kind),
            pages=file.pages,
            passages=file.passages,
            added_at=self.added_at,
        )
        record.put(SourceRecord(source=source, size_bytes=file.size_bytes, masked=file.masked))

    def _embedded(self, passages: Sequence[Passage]) -> Iterator[StoredPassage]:
        vectors = self.embedder.embed([each.text for each in passages])
        for passage, vector in zip(passages, vectors, strict=True):
            encoded = base64.b64encode(vector.astype("<f4").tobytes()).decode()
            yield StoredPassage(**passage.model_dump(), vector=encoded)
