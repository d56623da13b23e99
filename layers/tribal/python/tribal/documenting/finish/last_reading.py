"""When a database was read last, as the records of runs tell it."""

from __future__ import annotations

from tribal.identity import locations
from tribal.ports import ObjectStore
from tribal.store import read_record
from tribal_contracts import CatalogReading, RunRecord


def last_reading(database: str, store: ObjectStore) -> str | None:
    """When the last run began that reached a database; `None` where no record of it is kept."""
    runs = {key.removeprefix(locations.RUNS).partition("/")[0] for key in store.keys(locations.RUNS)}
    for run_id in sorted(runs, reverse=True):
        reading = read_record(store, locations.run_reading_file(run_id, database), CatalogReading)
        if reading is not None and reading.status == "reachable":
            record = read_record(store, locations.run_file(run_id), RunRecord)
            return record.started_at if record else None
    return None
