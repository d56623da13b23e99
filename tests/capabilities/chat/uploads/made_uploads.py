"""Uploads to collections in memory, with a parser and an embedder that a test directs."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np

from tests.capabilities.chat.made import WritingModels
from tests.fakes import FixedClock, MemoryStore, application
from tribal.adapters.sqlite.passages.published import PublishedPassages
from tribal.capabilities.chat.collections.files import CollectionFiles
from tribal.capabilities.chat.parts import ChatParts
from tribal.capabilities.chat.uploads.ingesting import ingest
from tribal.capabilities.chat.uploads.job_kind import UPLOADS
from tribal.capabilities.chat.uploads.uploads import Uploads
from tribal.errors import EmbeddingFailed
from tribal.jobs.working import waiting_jobs
from tribal.ports import Application, Caller, ObjectStore, Provider, StopToken
from tribal.ports.passages import DocumentParser, ParseLimits, ParsingFailed, PassageIndexes
from tribal_contracts.chat.collections import FileKind
from tribal_contracts.chat.jobs import IngestTask, UploadJob
from tribal_contracts.chat.settings import ChatSettings, CollectionEntry

if TYPE_CHECKING:
    from numpy.typing import NDArray

HANDBOOK = CollectionEntry(name="handbook")
ADA = Caller("ada")


@dataclass
class PageParser:
    """Reads texts whose pages end with a form feed; the first line of a PDF is its beginning.

    A page that begins with `!` fails with the problem that it names.
    """

    reads: list[tuple[str, int]] = field(default_factory=list)
    """Kind and first page of each file that was read."""
    before_page: Callable[[int], object] = lambda _: None
    closed: int = 0

    def pages(self, file: Path, kind: FileKind, limits: ParseLimits, first: int = 1) -> Iterator[str]:
        self.reads.append((kind, first))
        text = file.read_text()
        pages = (text.partition("\n")[2] if kind == "pdf" else text).split("\f")
        try:
            for number, page in enumerate(pages[first - 1 :], first):
                self.before_page(number)
                if number > limits.pages:
                    raise ParsingFailed("too_many_pages", f"it has more than {limits.pages:,} pages")
                if page.startswith("!"):
                    raise ParsingFailed(page[1:], f"it is {page[1:]}")  # type: ignore[arg-type]
                yield page
        finally:
            self.closed += 1


@dataclass
class HashEmbedder:
    """Vectors that depend on nothing but the text, at a price."""

    model: str = "test/hashes"
    dimensions: int = 8
    usd_per_character: float = 0.0
    texts: list[str] = field(default_factory=list)
    """Everything that was sent."""
    calls_left: int | None = None
    """After how many calls the server is down."""

    def embed(self, texts: Sequence[str]) -> NDArray[Any]:
        if self.calls_left == 0:
            raise EmbeddingFailed("the server does not answer")
        if self.calls_left is not None:
            self.calls_left -= 1
        self.texts += texts
        found: NDArray[Any] = np.array(
            [np.random.default_rng(zlib.crc32(text.encode())).standard_normal(self.dimensions) for text in texts],
            np.float32,
        ).reshape(-1, self.dimensions)
        found /= np.linalg.norm(found, axis=1, keepdims=True)
        return found

    def worst_usd(self, characters: int) -> float:
        return characters * self.usd_per_character


@dataclass
class MadeUploads:
    """Collections, and what they use."""

    folder: Path
    entries: Sequence[CollectionEntry] = (HANDBOOK,)
    store: ObjectStore = field(default_factory=MemoryStore)
    parser: DocumentParser = field(default_factory=PageParser)
    embedder: HashEmbedder = field(default_factory=HashEmbedder)
    clock: FixedClock = field(default_factory=lambda: FixedClock(is_fixed=True))
    settings: Mapping[str, Any] = field(default_factory=dict)
    launch: Callable[[str, str], None] | None = None
    accounts: list[tuple[str, float]] = field(default_factory=list)
    """What embedders were opened for, with their caps."""

    @property
    def app(self) -> Application:
        """An application of a new process."""
        store = self.store
        indexes: Provider[PassageIndexes] = Provider(
            lambda: PublishedPassages(store, self.folder / "indexes", check_every_seconds=0)
        )

        def opened(entry: CollectionEntry, account: str, usd: float) -> HashEmbedder:
            self.accounts.append((account, usd))
            return self.embedder

        parts = ChatParts(
            settings=ChatSettings(collections=[*self.entries], **self.settings),
            indexes=indexes,
            parser=Provider.of(self.parser),
            embedder=opened,
            models=WritingModels({}),
            instructions=lambda: "",
            scratch=self.folder / "scratch",
            launch=self.launch,
        )
        return application(store=store, clock=self.clock).with_part(parts)

    def files(self, collection: str = "handbook") -> CollectionFiles:
        return CollectionFiles(self.store, collection)

    def uploads(self, caller: Caller = ADA) -> Uploads:
        return Uploads(self.app, caller)

    def accept(
        self, filename: str, data: bytes | str, collection: str | None = None, caller: Caller = ADA
    ) -> UploadJob:
        """Upload a file, which is not read yet."""
        path = self.folder / "given"
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return self.uploads(caller).accept(path, filename, collection)

    def upload(self, filename: str, data: bytes | str, collection: str | None = None) -> UploadJob:
        """Upload a file, and read it."""
        job = self.accept(filename, data, collection)
        return self.ingest(job)

    def ingest(self, job: UploadJob, stop: StopToken | None = None) -> UploadJob:
        return ingest(self.app, job.collection, job.job_id, stop)

    def resume(self) -> list[UploadJob]:
        """Run every job that waits."""
        app = self.app
        return [
            ingest(app, task.collection, task.job_id)
            for _, task in waiting_jobs(app, [UPLOADS], set())
            if isinstance(task, IngestTask)
        ]

    def remove(self, name: str, collection: str = "handbook") -> UploadJob:
        """Remove a file, and delete it."""
        report = self.uploads().remove(collection, name)
        return ingest(self.app, collection, report.job_id)

    def found(self, terms: Sequence[str], collection: str = "handbook") -> list[tuple[str, int]]:
        """File and page of the passages that answers may use and that contain a term."""
        parts = self.app.part(ChatParts)
        assert parts is not None
        index = parts.indexes().current(collection)
        sources = [each.source_id for each in self.files(collection).manifest().sources]
        if index is None:
            return []
        matches = index.containing(terms, sources, 100)
        return sorted((each.passage.source_filename, each.passage.page_number) for each in matches)

    def everything(self) -> dict[str, bytes]:
        """Every object of the store but leases."""
        return {key: self.store.get(key).data for key in self.store.keys("") if "lease" not in key}


def zipped(files: Mapping[str, bytes | str] | Sequence[tuple[str, bytes | str]]) -> bytes:
    """An archive of files."""
    written = io.BytesIO()
    with ZipFile(written, "w", ZIP_DEFLATED) as archive:
        for name, data in files.items() if isinstance(files, Mapping) else files:
            archive.writestr(name, data)
    return written.getvalue()


def pages(count: int, text: str = "Vacation rule {}.") -> str:
    """A text of so many pages."""
    return "\f".join(text.format(number) for number in range(1, count + 1))
