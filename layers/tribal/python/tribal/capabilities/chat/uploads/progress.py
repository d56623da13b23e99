"""Progress of reading an upload, so that another process can continue.

Passages are stored in parts of a fixed size. A process that resumes writes the same parts, so the result has the same
bytes. Parts are first written without vectors, because nothing is embedded before the cost of the whole upload is
known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from pydantic import Field, ValidationError

from tribal.capabilities.chat.collections.files import CollectionFiles
from tribal.errors import ObjectDamaged
from tribal.store import put_record, read_first_line, read_record
from tribal_contracts import Contract
from tribal_contracts.chat.collections import FileKind, Passage, StoredPassage
from tribal_contracts.chat.jobs import FileStatus, UploadedFile
from tribal_contracts.core.shape import ContentHash, Count, Unset, optional

EmbedPassages = Callable[[Sequence[Passage]], Iterable[StoredPassage]]

PART_PASSAGES = 256
"""Passages per part, which are embedded together. By judgement: one second of embedding here, and 2 MB of vectors."""


class ReadFile(Contract):
    """A file of an upload after reading, successful or not."""

    filename: str
    path: str | Unset = optional("Path in the archive, if it has folders.")
    status: FileStatus | Unset = optional("Unset if the file is to be indexed.")
    reason: str | Unset = optional()
    source_id: ContentHash | Unset = optional()
    kind: FileKind | Unset = optional()
    size_bytes: Count = 0
    pages: Count = 0
    passages: Count = 0
    characters: Count = 0
    """Total length of its passages, which overlap."""
    masked: Count = 0
    pages_without_text: list[Count] = Field(default_factory=list)

    def outcome(self, status: FileStatus, reason: str | None = None) -> UploadedFile:
        """Return the file with its final status."""
        return UploadedFile(
            filename=self.filename,
            source_path=self.path,
            status=status,
            reason=reason,
            source_id=self.source_id,
            pages=self.pages,
            passages=self.passages,
            pages_without_text=(self.pages_without_text or None) if status == "indexed" else None,
        )


class ReadFiles(Contract):
    """Files of an upload that have been read, in order."""

    files: list[ReadFile] = Field(default_factory=list)


class PartHeader(Contract):
    """First line of a part, which says where reading continues after that part."""

    next_page: Count = 1
    next_piece: Count = 0
    """The first passage of that page that is not in a part yet."""
    passages: Count = 0
    characters: Count = 0
    masked: Count = 0
    pages_without_text: list[Count] = Field(default_factory=list)
    """This field and the three above cover this part and all earlier parts."""
    is_embedded: bool = False


@dataclass(frozen=True, slots=True)
class Progress:
    """Files that a job keeps until it ends."""

    files: CollectionFiles
    job_id: str

    def read_files(self) -> list[ReadFile]:
        """Return the files that have been read, in the order of the upload."""
        found = read_record(self.files.store, self._key, ReadFiles)
        return [] if found is None else found.files

    def put_read_files(self, read: list[ReadFile]) -> None:
        """Write the files that have been read."""
        put_record(self.files.store, self._key, ReadFiles(files=read))

    def parts(self, number: int) -> list[str]:
        """Return the keys of a file's parts, in order."""
        return list(self.files.store.keys(f"{self._folder(number)}"))

    def last_header(self, number: int) -> PartHeader:
        """Return where reading the file continues."""
        parts = self.parts(number)
        found = read_first_line(self.files.store, parts[-1], PartHeader) if parts else None
        return found or PartHeader()

    def put_part(self, number: int, first: int, header: PartHeader, passages: Iterable[Passage]) -> None:
        """Write a part of a file. The key of the part contains the number of its first passage."""
        self._put(f"{self._folder(number)}{first:08d}.jsonl", header, passages)

    def embed_part(self, key: str, vectors_of: EmbedPassages) -> None:
        """Add vectors to a part, unless it already has them."""
        lines = self.files.store.lines(key)
        try:
            header = PartHeader.from_json(next(lines, b""))
            if header.is_embedded:
                return
            passages = [Passage.from_json(line) for line in lines]
        except ValidationError as error:
            raise ObjectDamaged(f"{key!r} in {self.files.store.location} is damaged; upload the file again") from error
        self._put(key, header.model_copy(update={"is_embedded": True}), vectors_of(passages))

    def embedded_lines(self, number: int) -> Iterator[bytes]:
        """Yield the lines of all parts of a file, without their headers."""
        for key in self.parts(number):
            lines = self.files.store.lines(key)
            next(lines, None)
            yield from lines

    def erase(self) -> None:
        """Erase all files of the job."""
        self.files.erase(self.files.progress_folder(self.job_id))

    @property
    def _key(self) -> str:
        return f"{self.files.progress_folder(self.job_id)}files.json"

    def _folder(self, number: int) -> str:
        return f"{self.files.progress_folder(self.job_id)}{number:05d}/"

    def _put(self, key: str, header: PartHeader, passages: Iterable[Passage]) -> None:
        lines = [header.to_compact_json(), *(each.to_compact_json() for each in passages)]
        self.files.store.put_lines(key, lines)
