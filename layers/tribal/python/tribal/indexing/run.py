"""Incremental indexing: only files that changed since the last run are read, embedded and written.

The new generation is finished last, so queries in the meantime get the old answers or, the first time, a clear
error. A killed and restarted run ends with the same index.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from tribal.errors import EmbeddingFailed, LeaseLost, ObjectDamaged, ObjectNotFound, RunInterrupted, doing
from tribal.identity.hashing import bytes_hash
from tribal.identity.locations import DOCS
from tribal.indexing.context import EVERYTHING, IndexingContext, IndexingRequest
from tribal.indexing.entries import Draft, draft_file, key_edges
from tribal.indexing.manifest import REQUESTS_AT_ONCE, Handover, check_files, is_superseded, load_handover
from tribal.indexing.progress import ProgressRecorder, last_progress
from tribal.ports import INDEX_VERSION, IndexEntry, IndexFilter, ObjectStore
from tribal_contracts import SCHEMA_VERSION, IndexableFile, IndexerProgress, IndexMetadata, KeyEdge, KeyGraph

if TYPE_CHECKING:
    from numpy.typing import NDArray

STAGE = "index"
_STOPPED = "indexing was stopped; run `tribal index` again to resume"
LOW_TIME_SECONDS = 30.0
"""With less time left, no batch is started: reading, embedding, writing and a checkpoint must fit in."""
FILES_AT_ONCE = 100
"""Files per batch: read, embedded and written together, followed by a checkpoint."""


@dataclass(frozen=True, slots=True)
class _Job:
    """A request with its manifest."""

    context: IndexingContext
    handover: Handover
    work_units: frozenset[str] | None

    @property
    def paths(self) -> list[str]:
        """Sorted paths of the files that this run covers."""
        files = self.handover.files
        return sorted(files if self.work_units is None else self.handover.of_units(self.work_units))

    @property
    def overviews(self) -> list[str]:
        """Paths of listed files that yield no records."""
        return self.handover.overviews if self.work_units is None else []


@doing("indexing")
def index_documents(context: IndexingContext, request: IndexingRequest = EVERYTHING) -> IndexerProgress:
    """Bring the index in line with the manifest; writes nothing if it already is.

    Returns:
        The progress; its status is `pending` if a newer manifest replaced this one. In that case nothing is published,
        and another run indexes the newer manifest.

    Raises:
        ManifestError: when the manifest or one of its files is missing or invalid; nothing has been written then.
        IndexWriteFailed: when the index refuses a write.
        RunInterrupted: when a stop is requested; the next run continues.
    """
    handover = load_handover(context.store)
    job = _Job(context, handover, request.work_units)
    if request.work_units is not None and not job.paths:
        # These units are no longer in the manifest; a run over the whole manifest removes their records.
        return _recorder(job).snapshot("completed")
    damaged = not context.index.is_intact()
    if damaged:
        context.sink.note("the index is damaged; it is rebuilt")
        job = replace(job, work_units=None)
    elif request == EVERYTHING and _is_current(job):
        return _unchanged(job)
    elif (metadata := context.index.metadata()) is not None and metadata.embedding_model != context.model:
        new = "without vectors" if context.embedder is None else f"with vectors of {context.model!r}"
        context.sink.note(f"the index was built with {metadata.embedding_model!r}; it is rebuilt {new}")
    if not check_files(context.store, handover, [*job.paths, *job.overviews]):
        return _superseded(job, _recorder(job))
    try:
        return _run(job, request.force or damaged)
    except EmbeddingFailed as failure:
        context.sink.note(f"{failure.message}; indexing without vectors")
        return _run(replace(job, context=replace(context, embedder=None)), True, failure)


def _is_current(job: _Job) -> bool:
    metadata = job.context.index.metadata()
    return (
        metadata is not None
        and metadata.manifest_hash == job.handover.manifest_hash
        and metadata.index_version == INDEX_VERSION
        and metadata.embedding_model == job.context.model
        # An unfinished rebuild of a current index is completed.
        and not job.context.index.is_unfinished(job.context.model)
    )


def _superseded(job: _Job, recorder: ProgressRecorder) -> IndexerProgress:
    job.context.sink.note("the manifest was replaced in the meantime; another run indexes the newer one")
    return recorder.snapshot("pending")


def _unchanged(job: _Job) -> IndexerProgress:
    job.context.index.abandon()
    last = last_progress(job.context.store)
    if last is not None and last.manifest_hash == job.handover.manifest_hash and last.completed_at is not None:
        return last
    recorder = _recorder(job)
    recorder.indexed = recorder.total - recorder.skipped
    metadata = job.context.index.metadata()
    recorder.embedded = metadata.embedding_count if metadata else 0
    return recorder.checkpoint("completed")


def _recorder(job: _Job) -> ProgressRecorder:
    context, skipped = job.context, len(job.overviews)
    return ProgressRecorder(
        context.store,
        context.clock,
        job.handover.manifest_hash,
        context.model,
        total=len(job.paths) + skipped,
        skipped=skipped,
    )


def _run(job: _Job, force: bool, failure: EmbeddingFailed | None = None) -> IndexerProgress:
    before = job.context.index.begin(job.context.model, job.context.dimensions, from_scratch=force)
    files = job.handover.files
    changed = [path for path in job.paths if before.get(path) != files[path].content_hash]
    recorder = _recorder(job)
    recorder.indexed = len(job.paths) - len(changed)
    if failure is not None:
        recorder.report(failure.code, f"{failure.message}; the index was built without vectors")
    job.context.sink.begin(STAGE, recorder.total)
    recorder.checkpoint("running", changed[0] if changed else None)
    for path in job.overviews:
        job.context.sink.advance(STAGE, path, "skipped")
    removed = sorted(before.keys() - files.keys()) if job.work_units is None else []
    done = _write(job, changed, removed, recorder)
    if is_superseded(job.context.store, job.handover):
        return _superseded(job, recorder)
    gone = {*changed, *removed}
    _finish(job, {path: content_hash for path, content_hash in before.items() if path not in gone} | done)
    job.context.sink.end(STAGE, recorder.summary())
    return recorder.checkpoint(recorder.status())


@dataclass(frozen=True, slots=True)
class _Failure:
    """Why a file cannot be indexed."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class _Batch:
    """The drafts of a batch of files, and the failures; by path."""

    paths: Sequence[str]
    drafts: dict[str, list[Draft]]
    failures: dict[str, _Failure]


def _write(job: _Job, changed: Sequence[str], removed: Sequence[str], recorder: ProgressRecorder) -> dict[str, str]:
    """Write all changes to the index; returns the content hash of each indexed file."""
    done: dict[str, str] = {}
    if not changed and removed:
        job.context.index.replace({}, removed)
    batches = [changed[start : start + FILES_AT_ONCE] for start in range(0, len(changed), FILES_AT_ONCE)]
    # Read the next batch while one is embedded and written, mostly outside the GIL.
    with ThreadPoolExecutor(1) as ahead:
        read = ahead.submit(_read, job, batches[0]) if batches else None
        for number, batch in enumerate(batches):
            if not job.context.stop.has_time_for(LOW_TIME_SECONDS):
                if isinstance(job.context.stop.cause, LeaseLost):
                    job.context.stop.check()
                recorder.report("DOC_RUN_INTERRUPTED", _STOPPED)
                recorder.checkpoint("partial", batch[0])
                raise RunInterrupted(_STOPPED)
            assert read is not None
            found, following = read.result(), batches[number + 1 : number + 2]
            read = ahead.submit(_read, job, following[0]) if following else None
            done |= _take_in(job, found, removed if number == 0 else (), recorder)
            if following:
                recorder.checkpoint("running", following[0][0])
    return done


def _take_in(job: _Job, read: _Batch, removed: Iterable[str], recorder: ProgressRecorder) -> dict[str, str]:
    """Embed and write one batch; returns the content hash of each indexed file."""
    for path, failure in read.failures.items():
        recorder.fail(failure.code, failure.message, path)
    hashes = {path: job.handover.files[path].content_hash for path in read.drafts}
    job.context.index.replace(_embed(job, read.drafts, recorder), [*read.failures, *removed], hashes)
    recorder.indexed += len(read.drafts)
    for path in read.paths:
        job.context.sink.advance(STAGE, path, "indexed" if path in read.drafts else "failed")
    return hashes


def _read(job: _Job, paths: Sequence[str]) -> _Batch:
    draft = partial(_draft, job, job.context.clock.published())
    with ThreadPoolExecutor(REQUESTS_AT_ONCE) as pool:
        found = dict(zip(paths, pool.map(draft, paths), strict=True))
    drafts = {path: each for path, each in found.items() if not isinstance(each, _Failure)}
    return _Batch(paths, drafts, {path: each for path, each in found.items() if isinstance(each, _Failure)})


def _draft(job: _Job, indexed_at: str, path: str) -> list[Draft] | _Failure:
    file = job.handover.files[path]
    try:
        return draft_file(file, _bytes_of(job.context.store, file), indexed_at)
    except ObjectNotFound:
        return _Failure("IDX_FILE_NOT_FOUND", f"{path!r} disappeared during indexing; document again")
    except ValidationError as exc:
        first = exc.errors(include_input=False, include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        return _Failure("IDX_FILE_INVALID", f"{path!r} cannot be read: {where}: {first['msg']}; document again")
    except Exception as exc:  # noqa: BLE001 - one unusable file must not keep the others out
        return _Failure("IDX_FILE_INVALID", f"{path!r} cannot be indexed: {exc}; document again")


def _bytes_of(store: ObjectStore, file: IndexableFile) -> bytes:
    data = store.get(DOCS + file.path).data
    if bytes_hash(data) != file.content_hash:
        raise ValueError("it changed during indexing")
    return data


def _embed(job: _Job, drafts: dict[str, list[Draft]], recorder: ProgressRecorder) -> dict[str, list[IndexEntry]]:
    if job.context.embedder is None:
        return {path: [draft.entry() for draft in some] for path, some in drafts.items()}
    embedder = job.context.embedder
    drafts = {
        path: [
            draft if embedder.may_embed(draft.record.database_name) else replace(draft, text=None, name=None)
            for draft in some
        ]
        for path, some in drafts.items()
    }
    texts = [text for some in drafts.values() for draft in some for text in draft.texts]
    vectors: Iterator[NDArray[Any]] = iter(embedder.embed(texts))
    recorder.embedded += len(texts)
    return {
        path: [draft.entry([next(vectors) for _ in draft.texts]) for draft in some] for path, some in drafts.items()
    }


def _finish(job: _Job, held: Mapping[str, str]) -> None:
    """Publish the generation, with the manifest's hash and time only if it has all its files."""
    manifest_hash, last_full_index = job.handover.manifest_hash, job.context.clock.published()
    if job.work_units is not None and held != job.handover.hashes:
        before = job.context.index.metadata()
        if before is None or _lacks_a_table(job, held):
            return
        manifest_hash, last_full_index = before.manifest_hash, before.last_full_index
    counts = job.context.index.counts()
    job.context.index.finish(
        IndexMetadata(
            last_full_index=last_full_index,
            manifest_hash=manifest_hash,
            document_count=counts.documents,
            embedding_count=counts.vectors,
            index_version=INDEX_VERSION,
            embedding_model=job.context.model,
            embedding_dimensions=job.context.dimensions,
            last_read={each.name: each.last_read for each in job.handover.manifest.databases if each.last_read} or None,
        ),
        # The keys are always from this manifest, even if other records are from the previous one.
        KeyGraph(schema_version=SCHEMA_VERSION, manifest_hash=job.handover.manifest_hash, edges=_edges(job)),
    )


def _lacks_a_table(job: _Job, held: Mapping[str, str]) -> bool:
    """Whether readers would lose a table that they can see now, because a rebuild has not finished."""
    seen = {(entry.database, entry.schema, entry.table) for entry in job.context.index.tables(IndexFilter())}
    return any(
        file.type == "table" and path not in held and (file.database, file.schema_, file.table) in seen
        for path, file in job.handover.files.items()
    )


def _edges(job: _Job) -> list[KeyEdge]:
    """Every distinct key of the manifest; the graph is replaced as a whole, so it is never partly updated."""
    files = [file for file in job.handover.files.values() if file.type == "relationship"]
    with ThreadPoolExecutor(REQUESTS_AT_ONCE) as pool:
        found = pool.map(partial(_edges_of, job.context.store), files)
        edges = {edge.to_compact_json().decode(): edge for some in found for edge in some}
    return [edges[key] for key in sorted(edges)]


def _edges_of(store: ObjectStore, file: IndexableFile) -> list[KeyEdge]:
    try:
        return key_edges(_bytes_of(store, file))
    except (ObjectDamaged, ObjectNotFound, ValueError):
        return []
