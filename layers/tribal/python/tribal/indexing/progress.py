"""Counts of an indexing run and its checkpoint."""

from __future__ import annotations

from dataclasses import dataclass, field

from pydantic import JsonValue

from tribal.errors import ManifestError, ObjectDamaged, ObjectNotFound, doing
from tribal.identity.hashing import bytes_hash
from tribal.identity.locations import INDEXER_PROGRESS_FILE, MANIFEST_FILE
from tribal.ports import INDEX_VERSION, Clock, ObjectStore
from tribal.store import put_record, read_record
from tribal_contracts import SCHEMA_VERSION, AgentError, AgentStatus, IndexerProgress, agent_error

MAX_ERRORS = 1_000
"""The most errors kept in the progress; `files_failed` counts all of them."""


@dataclass
class ProgressRecorder:
    """Counts and errors of an indexing run; unchanged files count as indexed."""

    store: ObjectStore
    clock: Clock
    manifest_hash: str
    model: str
    total: int
    skipped: int
    indexed: int = 0
    failed: int = 0
    embedded: int = 0
    errors: list[AgentError] = field(default_factory=list)
    started_at: str = ""

    def __post_init__(self) -> None:
        self.started_at = self.clock.published()

    def report(self, code: str, message: str, path: str | None = None) -> None:
        """Record an error."""
        if len(self.errors) < MAX_ERRORS:
            context: dict[str, JsonValue] | None = None if path is None else {"path": path}
            self.errors.append(agent_error(code, message, timestamp=self.clock.published(), context=context))

    def fail(self, code: str, message: str, path: str) -> None:
        """Count a file that could not be indexed, and record the error."""
        self.failed += 1
        self.report(code, message, path)

    def status(self) -> AgentStatus:
        """The final status of the run."""
        if self.failed == 0:
            return "completed"
        return "partial" if self.indexed else "failed"

    def summary(self) -> str:
        """The counts as a sentence."""
        return f"{self.indexed} file(s) indexed, {self.failed} failed, {self.skipped} skipped"

    def snapshot(self, status: AgentStatus, current_file: str | None = None) -> IndexerProgress:
        """The current state as a contract."""
        now = self.clock.published()
        return IndexerProgress(
            schema_version=SCHEMA_VERSION,
            started_at=self.started_at,
            completed_at=None if status in ("running", "pending") else now,
            status=status,
            manifest_file=MANIFEST_FILE,
            manifest_hash=self.manifest_hash,
            files_total=self.total,
            files_indexed=self.indexed,
            files_failed=self.failed,
            files_skipped=self.skipped,
            current_file=current_file,
            embeddings_generated=self.embedded,
            last_checkpoint=now,
            errors=list(self.errors),
            index_version=INDEX_VERSION,
            embedding_model=self.model,
        )

    def checkpoint(self, status: AgentStatus, current_file: str | None = None) -> IndexerProgress:
        """Write the current state to the store."""
        progress = self.snapshot(status, current_file)
        put_record(self.store, INDEXER_PROGRESS_FILE, progress)
        return progress


def last_progress(store: ObjectStore) -> IndexerProgress | None:
    """The last checkpoint; `None` if it is missing or unreadable."""
    return read_record(store, INDEXER_PROGRESS_FILE, IndexerProgress)


@doing("indexing")
def record_blocked(store: ObjectStore, clock: Clock, model: str, error: ManifestError) -> None:
    """Record that a manifest, or one of its files, prevented indexing; does nothing if there is no manifest."""
    try:
        manifest_hash = bytes_hash(store.get(MANIFEST_FILE).data)
    except (ObjectDamaged, ObjectNotFound):
        return
    recorder = ProgressRecorder(store, clock, manifest_hash, model, total=0, skipped=0)
    recorder.errors.append(error.to_agent_error(clock.published()))
    recorder.checkpoint("failed")
