"""Indexing: only what has changed since the last time is read, embedded and written.

The index is finished last, so that whoever asks meanwhile gets the old answers or, the first time, a clear refusal.
Killed at any point and started again, it ends in the same index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from tribal.catalog.hashing import bytes_hash
from tribal.catalog.locations import DOCS
from tribal.errors import EmbeddingFailed, ObjectNotFound, RunInterrupted, doing
from tribal.indexing.entries import Draft, draft_file, key_edges
from tribal.indexing.manifest import Handover, check_files, is_superseded, load_handover
from tribal.indexing.progress import Tally, last_progress
from tribal.ports import INDEX_VERSION, Clock, Embedder, IndexEntry, IndexFilter, ObjectStore, ProgressSink, SearchIndex
from tribal_contracts import SCHEMA_VERSION, IndexableFile, IndexerProgress, IndexMetadata, KeyEdge, KeyGraph

if TYPE_CHECKING:
    from numpy.typing import NDArray

STAGE = "index"
NO_MODEL = "none"
"""The model of an index without vectors."""
FILES_AT_ONCE = 100
"""Files of a batch: read, embedded and written together, then a checkpoint."""


@dataclass(frozen=True, slots=True)
class _Job:
    store: ObjectStore
    index: SearchIndex
    embedder: Embedder | None
    clock: Clock
    sink: ProgressSink
    stopping: Callable[[], bool]
    handover: Handover
    work_units: frozenset[str] | None

    @property
    def model(self) -> str:
        return NO_MODEL if self.embedder is None else self.embedder.model

    @property
    def paths(self) -> list[str]:
        """Files that this run is about, in order."""
        files = self.handover.files
        return sorted(files if self.work_units is None else self.handover.of_units(self.work_units))


@doing("indexing")
def index_documents(
    *,
    store: ObjectStore,
    index: SearchIndex,
    embedder: Embedder | None,
    clock: Clock,
    sink: ProgressSink,
    pool_stopping: Callable[[], bool],
    work_units: frozenset[str] | None = None,
    force: bool = False,
    compare: bool = False,
) -> IndexerProgress:
    """Bring the index in line with the manifest; writes nothing at all when it is.

    Args:
        store: holds the manifest and the documents.
        index: what is brought in line.
        embedder: makes the vectors; without one, and when it fails, the index finds by words alone.
        clock: dates the records.
        sink: is told of every file.
        pool_stopping: whether somebody asked to stop; looked at between two batches.
        work_units: only what these units wrote, with the domain and relationship files of their domains. Nothing is
            removed then, and the manifest counts as indexed once every file of it is.
        force: throw the index away first.
        compare: look at every file that the index holds, even where it says that it was made from this manifest.

    Returns:
        The progress; `pending` when a newer manifest took the place of this one, whose own run does the work: what was
        made from this one is then not published.

    Raises:
        ManifestError: when the manifest or a file of it is missing or wrong; nothing has been written then.
        IndexWriteFailed: when the index refuses a write.
        RunInterrupted: when it was asked to stop; the next run carries on.
    """
    handover = load_handover(store)
    job = _Job(store, index, embedder, clock, sink, pool_stopping, handover, work_units)
    if work_units is not None and not job.paths:
        # The units left the manifest; what they had written is removed by whoever looks at all of it.
        return _tally(job).progress("completed")
    if not (force or compare) and work_units is None and _is_current(job):
        return _unchanged(job)
    if not check_files(store, handover, [*job.paths, *(handover.overviews if work_units is None else ())]):
        return _superseded(job, _tally(job))
    try:
        return _run(job, force)
    except EmbeddingFailed as failure:
        sink.note(f"{failure.message}; indexing without vectors")
        without = _Job(store, index, None, clock, sink, pool_stopping, handover, work_units)
        return _run(without, True, failure)


def _is_current(job: _Job) -> bool:
    metadata = job.index.metadata()
    return (
        metadata is not None
        and metadata.manifest_hash == job.handover.manifest_hash
        and metadata.index_version == INDEX_VERSION
        and metadata.embedding_model == job.model
    )


def _superseded(job: _Job, tally: Tally) -> IndexerProgress:
    job.sink.note("the manifest was replaced meanwhile; the newer one is indexed by its own run")
    return tally.progress("pending")


def _unchanged(job: _Job) -> IndexerProgress:
    job.index.abandon()
    last = last_progress(job.store)
    if last is not None and last.manifest_hash == job.handover.manifest_hash and last.completed_at is not None:
        return last
    tally = _tally(job)
    tally.indexed = tally.total - tally.skipped
    return tally.progress("completed")


def _tally(job: _Job) -> Tally:
    skipped = len(job.handover.overviews) if job.work_units is None else 0
    return Tally(
        job.store, job.clock, job.handover.manifest_hash, job.model, total=len(job.paths) + skipped, skipped=skipped
    )


def _run(job: _Job, force: bool, failure: EmbeddingFailed | None = None) -> IndexerProgress:
    before = job.index.begin(job.model, afresh=force)
    files = job.handover.files
    changed = [path for path in job.paths if before.get(path) != files[path].content_hash]
    tally = _tally(job)
    tally.indexed = len(job.paths) - len(changed)
    if failure is not None:
        tally.report(failure.code, f"{failure.message}; the index was built without vectors")
    job.sink.begin(STAGE, tally.total)
    tally.checkpoint("running", changed[0] if changed else None)
    for path in (*job.handover.overviews,) if job.work_units is None else ():
        job.sink.advance(STAGE, path, "skipped")
    removed = sorted(before.keys() - files.keys()) if job.work_units is None else []
    done = _write(job, changed, removed, tally)
    if is_superseded(job.store, job.handover):
        return _superseded(job, tally)
    gone = {*changed, *removed}
    _finish(job, {path: content_hash for path, content_hash in before.items() if path not in gone} | done)
    job.sink.end(STAGE, f"{tally.indexed} file(s) indexed, {tally.failed} failed, {tally.skipped} skipped")
    return tally.checkpoint(tally.status())


@dataclass(frozen=True, slots=True)
class _Batch:
    """What a batch of files holds, and why some yield nothing: code, message and path."""

    batch: Sequence[str]
    drafts: dict[str, list[Draft]]
    failures: list[tuple[str, str, str]]


def _write(job: _Job, changed: Sequence[str], removed: Sequence[str], tally: Tally) -> dict[str, str]:
    """Bring the index up to date; returns the content hash of each file that was taken in."""
    done: dict[str, str] = {}
    if not changed and removed:
        job.index.replace({}, removed)
    batches = [changed[start : start + FILES_AT_ONCE] for start in range(0, len(changed), FILES_AT_ONCE)]
    # The next batch is read while one is embedded and written, which is mostly not Python's work.
    with ThreadPoolExecutor(1) as ahead:
        read = ahead.submit(_read, job, batches[0]) if batches else None
        for number, batch in enumerate(batches):
            if job.stopping():
                tally.report("DOC_RUN_INTERRUPTED", "indexing was stopped before its end; index again to carry on")
                tally.checkpoint("partial", batch[0])
                raise RunInterrupted("indexing was stopped before its end; index again to carry on")
            assert read is not None
            found, following = read.result(), batches[number + 1 : number + 2]
            read = ahead.submit(_read, job, following[0]) if following else None
            done |= _take_in(job, found, removed if number == 0 else (), tally)
            if following:
                tally.checkpoint("running", following[0][0])
    return done


def _take_in(job: _Job, read: _Batch, removed: Iterable[str], tally: Tally) -> dict[str, str]:
    """Write a batch; returns the content hash of each file of it that was taken in."""
    for code, message, path in read.failures:
        tally.fail(code, message, path)
    hashes = {path: job.handover.files[path].content_hash for path in read.drafts}
    failed = (path for _, _, path in read.failures)
    job.index.replace(_embed(job, read.drafts, tally), [*failed, *removed], hashes)
    tally.indexed += len(read.drafts)
    for path in read.batch:
        job.sink.advance(STAGE, path, "indexed" if path in read.drafts else "failed")
    return hashes


def _read(job: _Job, batch: Sequence[str]) -> _Batch:
    drafts: dict[str, list[Draft]] = {}
    failures: list[tuple[str, str, str]] = []
    indexed_at = job.clock.published()
    for path in batch:
        file = job.handover.files[path]
        try:
            drafts[path] = draft_file(file, _bytes_of(job.store, file), indexed_at)
        except ObjectNotFound:
            failures.append(("IDX_FILE_NOT_FOUND", f"{path!r} vanished while indexing; document again", path))
        except ValidationError as exc:
            first = exc.errors(include_input=False, include_url=False)[0]
            where = ".".join(map(str, first["loc"])) or "the file"
            message = f"{path!r} cannot be read: {where}: {first['msg']}; document again"
            failures.append(("IDX_FILE_INVALID", message, path))
        except Exception as exc:  # noqa: BLE001 - one file that cannot be used must not keep the others out
            failures.append(("IDX_FILE_INVALID", f"{path!r} cannot be indexed: {exc}; document again", path))
    return _Batch(batch, drafts, failures)


def _bytes_of(store: ObjectStore, file: IndexableFile) -> bytes:
    data = store.get(DOCS + file.path).data
    if bytes_hash(data) != file.content_hash:
        raise ValueError("it was changed while indexing")
    return data


def _embed(job: _Job, drafts: dict[str, list[Draft]], tally: Tally) -> dict[str, list[IndexEntry]]:
    if job.embedder is None:
        return {path: [draft.entry() for draft in some] for path, some in drafts.items()}
    texts = [text for some in drafts.values() for draft in some for text in draft.texts]
    vectors: Iterator[NDArray[Any]] = iter(job.embedder.embed(texts))
    tally.embedded += len(texts)
    return {
        path: [draft.entry([next(vectors) for _ in draft.texts]) for draft in some] for path, some in drafts.items()
    }


def _finish(job: _Job, held: Mapping[str, str]) -> None:
    """Publish what the index holds now, under the manifest's hash once every file of it was taken in."""
    manifest_hash = job.handover.manifest_hash
    if job.work_units is not None and held != job.handover.hashes:
        before = job.index.metadata()
        if before is None or _lacks_a_table(job, held):
            return
        manifest_hash = before.manifest_hash
    counts = job.index.counts()
    job.index.finish(
        IndexMetadata(
            last_full_index=job.clock.published(),
            manifest_hash=manifest_hash,
            document_count=counts.documents,
            embedding_count=counts.vectors,
            index_version=INDEX_VERSION,
            embedding_model=job.model,
            embedding_dimensions=0 if job.embedder is None else job.embedder.dimensions,
        ),
        # What the keys are from is said as it is, even where other files are still of the manifest before.
        KeyGraph(schema_version=SCHEMA_VERSION, manifest_hash=job.handover.manifest_hash, edges=_edges(job)),
    )


def _lacks_a_table(job: _Job, held: Mapping[str, str]) -> bool:
    """Whether readers would lose a table that they see now: the index is being rebuilt, and that has not ended."""
    seen = {(entry.database, entry.schema, entry.table) for entry in job.index.tables(IndexFilter())}
    return any(
        file.type == "table" and path not in held and (file.database, file.schema_, file.table) in seen
        for path, file in job.handover.files.items()
    )


def _edges(job: _Job) -> list[KeyEdge]:
    """Every key of the manifest, each once: the graph is one object, so that it is never half new."""
    edges: dict[str, KeyEdge] = {}
    for file in (file for _, file in sorted(job.handover.files.items()) if file.type == "relationship"):
        try:
            found = key_edges(_bytes_of(job.store, file))
        except (ObjectNotFound, ValueError):
            continue
        for edge in found:
            edges[edge.to_compact_json().decode()] = edge
    return [edges[key] for key in sorted(edges)]
