"""Stores the record of syncs, and builds the answer of `sync_status` from it."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from pydantic import ValidationError

from tribal.errors import ObjectNotFound, SourceFailed
from tribal.identity.locations import SYNC_FILE
from tribal.naming.durations import duration
from tribal_contracts.knowledge import SyncRecord, SyncResult, SyncStats, SyncStatusOutput

if TYPE_CHECKING:
    from tribal.capabilities.knowledge.snapshots.publishing import PublishResult
    from tribal.ports import ObjectStore

_NAMED_FAILURES = 20


def load_record(store: ObjectStore) -> SyncRecord | None:
    """The record; `None` before the first sync.

    Raises:
        SourceFailed: when it is damaged.
    """
    try:
        return SyncRecord.from_json(store.get(SYNC_FILE).data)
    except ObjectNotFound:
        return None
    except ValidationError as error:
        raise SourceFailed(f"{SYNC_FILE} is damaged; remove it and sync again") from error


def record_sync(
    store: ObjectStore,
    before: SyncRecord | None,
    published: PublishResult,
    result: SyncResult,
    now: str,
    duration_ms: int,
) -> None:
    """Record a finished sync."""
    last = _NEW if before is None else before
    total = last.total_duration_ms + duration_ms
    count = last.stats.total_syncs + 1
    store.put(
        SYNC_FILE,
        SyncRecord(
            schema_version="1.0",
            last_sync_at=now,
            succeeded=not published.manifest.failures,
            problem=None,
            failures=published.manifest.failures,
            stats=SyncStats(
                total_syncs=count,
                total_items_synced=last.stats.total_items_synced + result.added + result.updated + result.deleted,
                avg_sync_duration_ms=round(total / count),
            ),
            total_duration_ms=total,
        ).to_json(),
    )


def record_problem(store: ObjectStore, before: SyncRecord | None, problem: str) -> None:
    """Record that a sync was interrupted."""
    last = _NEW if before is None else before
    store.put(SYNC_FILE, last.model_copy(update={"succeeded": False, "problem": problem}).to_json())


def status(
    record: SyncRecord | None,
    now: datetime,
    stale_hours: float,
    seen: Collection[tuple[str, str]],
    *,
    is_configured: bool,
) -> SyncStatusOutput:
    """The status of syncs.

    Args:
        record: the record of syncs; `None` before the first.
        now: the current time.
        stale_hours: age from which the last sync is stale.
        seen: layers with owners whose files the caller may see.
        is_configured: whether a source is configured.
    """
    last = record or _NEW
    age = None if last.last_sync_at is None else now - datetime.fromisoformat(last.last_sync_at)
    is_fresh = age is not None and age < timedelta(hours=stale_hours)
    warnings = [] if last.problem is None else [f"the last sync was interrupted: {last.problem}"]
    visible = [each for each in last.failures if each.layer is None or (each.layer, each.owner) in seen]
    for each in visible[:_NAMED_FAILURES]:
        place = each.path if each.line is None else f"{each.path}:{each.line}"
        warnings.append(f"{place}: {each.reason}")
    if is_configured and record is None:
        warnings.append("no sync has run yet; run `tribal sync`, or call sync_now")
    if not is_configured:
        warnings.append("no source of decisions is configured")
    return SyncStatusOutput(
        healthy=not is_configured or (last.succeeded and is_fresh),
        last_sync_at=last.last_sync_at,
        time_since_sync="never" if age is None else duration(age.total_seconds()),
        failed_items=len(last.failures),
        stats=last.stats,
        warnings=warnings or None,
    )


_NEW = SyncRecord(
    schema_version="1.0",
    last_sync_at=None,
    succeeded=False,
    problem=None,
    failures=[],
    stats=SyncStats(total_syncs=0, total_items_synced=0, avg_sync_duration_ms=0),
    total_duration_ms=0,
)
