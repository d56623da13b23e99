"""Read the files of an upload page by page into passages without vectors, starting where the last process stopped."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from tribal.capabilities.chat.errors import UploadLimitExceeded, UploadRefused, UploadUnreadable
from tribal.capabilities.chat.uploads.archives import EntryRefused
from tribal.capabilities.chat.uploads.cutting import cut
from tribal.capabilities.chat.uploads.opening import UploadItem, identified
from tribal.capabilities.chat.uploads.progress import PART_PASSAGES, PartHeader, Progress, ReadFile
from tribal.capabilities.chat.uploads.redacting import redacted
from tribal.errors import TribalError, describe_unexpected
from tribal.jobs.job import NotNow
from tribal.ports.passages import DocumentParser, ParseLimits, ParseProblem, ParsingFailed
from tribal.ports.stopping import StopToken
from tribal_contracts.chat.collections import CollectionManifest, FileKind, Passage
from tribal_contracts.chat.jobs import FileStatus
from tribal_contracts.chat.settings import UploadLimits

PAGE_SECONDS = 20.0
"""Time that must be left to read another page. By judgement: a page takes milliseconds, writing a part one second."""
FILES_A_WRITE = 20
"""Number of files to read before the list of files is written again. By judgement: a file takes 0.3 s."""
NO_TEXT = "if it is a scan, run OCR first"
_STATUSES: dict[ParseProblem, FileStatus] = {"encrypted": "encrypted", "unreadable": "unreadable"}
"""Statuses of files that cannot be parsed. Files that reach a limit are refused."""


@dataclass(frozen=True, slots=True)
class FileReader:
    """Reads the files of one upload."""

    parser: DocumentParser
    progress: Progress
    manifest: CollectionManifest
    """The manifest when the job started."""
    limits: UploadLimits
    course_id: str
    stop: StopToken
    note_progress: Callable[[], None] = lambda: None
    """Called whenever progress is written."""

    def read(self, items: list[UploadItem]) -> list[ReadFile]:
        """Read the files that have not been read yet; return all files of the upload.

        Raises:
            NotNow: when too little time is left; the job is resumed later.
        """
        read = self.progress.read_files()
        written = len(read)
        try:
            for number in range(len(read), len(items)):
                self.check()
                read.append(self._read_or_refuse(number, items, read))
                if len(read) == written + FILES_A_WRITE:
                    self._write(read)
                    written = len(read)
        finally:
            if len(read) > written:
                self._write(read)
        return read

    def check(self) -> None:
        """Raise `NotNow` unless there is time for another page."""
        if not self.stop.has_time_for(PAGE_SECONDS):
            raise NotNow

    def _write(self, read: list[ReadFile]) -> None:
        self.progress.put_read_files(read)
        self.note_progress()

    def _read_or_refuse(self, number: int, items: list[UploadItem], before: list[ReadFile]) -> ReadFile:
        item = items[number]
        try:
            return self._read(number, item, before)
        except (TribalError, NotNow, OSError):
            raise
        except Exception as error:
            if len(items) == 1:
                raise
            reason = f"reading the file failed unexpectedly: {redacted(describe_unexpected(error))[0]}"
            return ReadFile(filename=item.name, path=item.path, status="unreadable", reason=reason)

    def _read(self, number: int, item: UploadItem, before: list[ReadFile]) -> ReadFile:
        try:
            path = item.fetch()
            file = identified(item, path)
        except EntryRefused as error:
            return ReadFile(filename=item.name, path=item.path, status=error.status, reason=error.reason)
        except UploadUnreadable as error:
            return ReadFile(filename=item.name, path=item.path, status="unreadable", reason=error.message)
        except UploadRefused as error:
            if isinstance(error, UploadLimitExceeded):
                raise  # the whole archive is too large
            return ReadFile(filename=item.name, path=item.path, status="unsupported", reason=error.message)
        return self._known(file, before) or self._parsed(number, file, path, before)

    def _known(self, file: ReadFile, before: list[ReadFile]) -> ReadFile | None:
        """Return the file as unchanged if the collection or this upload already has it; `None` otherwise."""
        for source in self.manifest.sources:
            if source.source_id == file.source_id:
                counts = {"pages": source.pages, "passages": source.passages}
                return file.model_copy(update={"status": "unchanged", **counts})
        for other in before:
            if other.source_id == file.source_id and other.status is None:
                counts = {"pages": other.pages, "passages": other.passages}
                return file.model_copy(update={"status": "unchanged", **counts})
        return None

    def _parsed(self, number: int, file: ReadFile, path: Path, before: list[ReadFile]) -> ReadFile:
        taken = sum(source.passages for source in self.manifest.sources)
        taken += sum(other.passages for other in before if other.status is None)
        limits = ParseLimits(self.limits.pages, self.limits.file_seconds, self.limits.file_memory_mb)
        parts = _Parts(
            self.progress,
            number,
            file.filename,
            self.course_id,
            self.limits.passages - taken,
            note_progress=self.note_progress,
        )
        parts.resume()
        pages = self.parser.pages(path, cast(FileKind, file.kind), limits, parts.state.next_page)
        try:
            # Ends the process of the parser, also when reading is paused.
            with closing(cast(Generator[str, None, None], pages)):
                for text in pages:
                    self.check()
                    parts.add_page(text)
        except ParsingFailed as error:
            status = _STATUSES.get(error.problem, "refused")
            return file.model_copy(update={"status": status, "reason": error.message, "pages": parts.pages})
        except _CollectionFull:
            reason = (
                f"the collection would exceed the {self.limits.passages:,} passages that `chat.uploads.passages` allows"
            )
            return file.model_copy(update={"status": "refused", "reason": reason, "pages": parts.pages})
        parts.finish()
        if not parts.state.passages:
            return file.model_copy(update={"status": "no_text", "reason": NO_TEXT, "pages": parts.pages})
        state = parts.state
        counts = {"passages": state.passages, "characters": state.characters, "masked": state.masked}
        found = {"pages": parts.pages, "pages_without_text": state.pages_without_text}
        return file.model_copy(update={**found, **counts})


class _CollectionFull(Exception):
    pass


@dataclass(slots=True)
class _Parts:
    """Cuts pages into passages and writes them in parts."""

    progress: Progress
    number: int
    filename: str
    course_id: str
    most: int
    """Maximum number of passages for the file."""
    note_progress: Callable[[], None]
    state: PartHeader = field(default_factory=PartHeader)
    pages: int = 0
    _waiting: list[Passage] = field(default_factory=list)

    def resume(self) -> None:
        """Continue after the parts that were written."""
        self.state = self.progress.last_header(self.number)
        self.pages = self.state.next_page - 1

    def add_page(self, text: str) -> None:
        """Add the next page, or the rest of a page that was interrupted."""
        page, begun = self.state.next_page, self.state.next_piece
        clean, masked = redacted(text)
        pieces = cut(clean)
        self.pages = page
        if not begun:
            self._advance(masked=self.state.masked + masked)
        if not pieces:
            self._advance(pages_without_text=[*self.state.pages_without_text, page])
        for place, piece in enumerate(pieces[begun:], begun):
            if self.state.passages == self.most:
                raise _CollectionFull
            self._waiting.append(
                Passage(
                    number=self.state.passages,
                    text=piece,
                    source_filename=self.filename,
                    page_number=page,
                    course_id=self.course_id,
                )
            )
            self._advance(
                next_piece=place + 1,
                passages=self.state.passages + 1,
                characters=self.state.characters + len(piece),
            )
            if len(self._waiting) == PART_PASSAGES:
                self._write()
        self._advance(next_page=page + 1, next_piece=0)

    def finish(self) -> None:
        """Write the last passages."""
        if self._waiting:
            self._write()

    def _advance(self, **changes: int | list[int]) -> None:
        self.state = self.state.model_copy(update=changes)

    def _write(self) -> None:
        first = self.state.passages - len(self._waiting)
        self.progress.put_part(self.number, first, self.state, self._waiting)
        self.note_progress()
        self._waiting.clear()
