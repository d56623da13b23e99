"""Remove the records of old runs."""

from __future__ import annotations

from collections import defaultdict

from tribal.identity import locations
from tribal.ports import ObjectStore
from tribal.store import read_record
from tribal_contracts import RunOutline


def prune_runs(store: ObjectStore, *, keep: int, run_id: str) -> list[str]:
    """Remove the records of all but the last `keep` runs, including `run_id`; returns the removed ids.

    The run that created the latest plan is always kept, because documenting reads its work units. Safe to interrupt:
    the next call removes the rest.
    """
    files: dict[str, list[str]] = defaultdict(list)
    for key in store.keys(locations.RUNS):
        name, has_files, _ = key.removeprefix(locations.RUNS).partition("/")
        if has_files:
            files[name].append(key)
    others = sorted(set(files) - {run_id, _latest_plan_run(store)})
    surplus = len(files) - max(keep, 1)
    removed = others[: max(surplus, 0)]
    for name in removed:
        for key in files[name]:
            store.delete(key)
    return removed


def _latest_plan_run(store: ObjectStore) -> str | None:
    outline = read_record(store, locations.LATEST_OUTLINE_FILE, RunOutline)
    return outline.run_id if outline else None
