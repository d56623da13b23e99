"""Keeps the records of the last runs and removes those of older ones."""

from __future__ import annotations

from collections import defaultdict

from tribal.catalog import locations
from tribal.ports import ObjectStore
from tribal.store import read_record
from tribal_contracts import RunOutline


def prune_runs(store: ObjectStore, *, keep: int, run_id: str) -> list[str]:
    """Remove the records of all but the last `keep` runs, of which `run_id` is one; returns the ids of those removed.

    The run that the latest plan was cut in stays however old it is: documenting still takes its work units from there.
    Safe to be killed in: what is left of a run is removed by the next call.
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
