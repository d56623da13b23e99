"""The part of the page's data for coverage: how fresh the documentation is, and how much is described, run by run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from tribal.documenting.first_view import TableFacts, coverage
from tribal.identity import locations
from tribal.page_data.survey import Survey
from tribal.ports import ObjectStore
from tribal.store import read_record
from tribal_contracts import NANODOLLARS, CatalogCoverage, DomainCoverage, RunRecord

SHOWN_RUNS = 12
_READ_RECORDS = 30
"""The newest records of runs that are read: commands that document nothing write some, too. By judgement."""


def state_part(found: Survey, store: ObjectStore, *, with_costs: bool = True) -> dict[str, Any]:
    """Return how fresh the documentation is, how much is described, and how that changed over the last runs.

    Args:
        found: what the caller may see. Only callers who see everything get the runs, whose numbers cover everything.
        store: has the records of the runs.
        with_costs: whether runs say what the model cost, which a static site does not.
    """
    unread = found.opened.metadata.last_read or {}
    return {
        "indexed": found.opened.metadata.last_full_index,
        "databases": [
            {
                "n": name,
                **_state([table.facts for table in found.tables if table.entry.database == name]),
                "domains": [
                    [domain.name, coverage(table.facts for table in domain.tables)]
                    for domain in found.domains
                    if domain.database == name
                ],
                **({"unread": unread[name]} if name in unread else {}),
            }
            for name in found.databases
        ],
        **({"runs": runs_part(store, with_costs=with_costs)} if found.opened.bounds.is_open else {}),
    }


def _state(tables: Sequence[TableFacts]) -> dict[str, Any]:
    times = [table.documented_at for table in tables]
    return {**coverage(tables), "oldest": min(times), "newest": max(times)}


def runs_part(store: ObjectStore, *, with_costs: bool = True) -> list[dict[str, Any]]:
    """Return the last runs that published documents, oldest first, with what was described and what the model cost."""
    shown = [
        {**_run(record, counted), **(_cost(record) if with_costs else {})}
        for record, counted in islice(_counted_runs(store), SHOWN_RUNS)
    ]
    return shown[::-1]


def _counted_runs(store: ObjectStore) -> Iterator[tuple[RunRecord, CatalogCoverage]]:
    keys = sorted((key for key in store.keys(locations.RUNS) if key.endswith("/run.json")), reverse=True)
    for key in keys[:_READ_RECORDS]:
        record = read_record(store, key, RunRecord)
        if record is not None and record.coverage is not None:
            yield record, record.coverage


def _run(record: RunRecord, counted: CatalogCoverage) -> dict[str, Any]:
    return {
        "at": record.completed_at or record.started_at,
        **_counts(counted),
        "domains": [[each.database, each.domain, *_counts(each).values()] for each in counted.domains],
    }


def _cost(record: RunRecord) -> dict[str, float]:
    shown: dict[str, float] = {}
    if record.usage is not None or record.quote is not None:
        shown["usd"] = (record.usage.nanodollars if record.usage else 0) / NANODOLLARS
    if record.quote is not None:
        shown["quoted"] = record.quote.nanodollars / NANODOLLARS
    return shown


def _counts(counted: CatalogCoverage | DomainCoverage) -> dict[str, Any]:
    return {"tables": counted.tables.model_dump(), "columns": counted.columns.model_dump()}
