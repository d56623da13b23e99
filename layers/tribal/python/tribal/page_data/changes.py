"""Changes in the databases between the last two runs, within the scope of the caller."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tribal.capabilities.retrieval.toolbox import Toolbox
from tribal.errors import PlanError, RequestRefused
from tribal.identity import locations
from tribal.identity.changes import TableChange
from tribal.identity.scope import EVERYTHING, Scope
from tribal.identity.table_names import format_name
from tribal.page_data.survey import Survey
from tribal.ports import ObjectStore
from tribal.runs.comparing import Comparison, compare_runs

_OWN = ("column", "comment", "primary key", "unique key", "kind", "order of columns")
"""Changes that mention nothing but the table: restricted callers get only these, without values."""
LISTED_RUNS = 20
"""Runs that the last one may be compared with."""
_ID_CHARS = 40

Compare = Callable[[str, str], Comparison]
"""Compares two runs by their ids; raises `PlanError` when they cannot be compared."""


def changes_part(
    store: ObjectStore, scope: Scope, compare: Compare | None = None, since: str | None = None
) -> dict[str, Any]:
    """Compare the last two runs that read a database, or explain why that is not possible.

    Args:
        store: has the runs.
        scope: what the caller may see.
        compare: compares two runs; by default reads both from the store.
        since: the run to compare the last one with; by default the one before it.

    Raises:
        RequestRefused: when `since` is not one of the listed runs.
    """
    found = sorted({key.split("/")[2] for key in store.keys(locations.RUNS) if "/catalog/" in key}, reverse=True)
    runs = found[1 : LISTED_RUNS + 1]
    if since is not None and since not in runs:
        raise RequestRefused(f"there is no run {since[:_ID_CHARS]!r} to compare the last run with; see `runs`")
    if not runs:
        return _nothing(runs, "There is no run before the last one to compare it with.")
    last, before = found[0], since or runs[0]
    try:
        compared = compare_runs(before, last, store=store) if compare is None else compare(before, last)
    except PlanError as error:
        return _nothing(runs, error.message if scope == EVERYTHING else "The two runs cannot be compared.")
    return {"runs": runs, "before": before, "after": last, "databases": bounded_changes(compared, scope)}


def cached_comparison(found: Survey, toolbox: Toolbox, store: ObjectStore) -> Compare:
    """Compare two runs once for all callers of a generation of the index: both may hold thousands of tables."""

    def compare(before: str, after: str) -> Comparison:
        key = ("changes", before, after)
        return toolbox.derived.get(found.opened.generation, key, lambda: compare_runs(before, after, store=store))

    return compare


def _nothing(runs: Sequence[str], why: str) -> dict[str, Any]:
    return {"runs": runs, "before": "", "after": "", "why": why, "databases": []}


def bounded_changes(compared: Comparison, scope: Scope) -> list[dict[str, Any]]:
    """The part of a comparison that a caller may see, by database."""
    listed = []
    for database in compared.databases:
        if not scope.allows(database.database):
            continue
        changes = [
            row
            for change in database.tables
            if scope.allows(database.database, change.schema) and (row := _change_row(change, scope)) is not None
        ]
        found: dict[str, Any] = {"n": database.database, "tables": changes}
        if database.problem is not None:
            found["problem"] = database.problem if scope == EVERYTHING else "the runs did not both read it"
        listed.append(found)
    return listed


def _change_row(change: TableChange, scope: Scope) -> list[Any] | None:
    label = format_name((change.schema, change.table))
    if scope == EVERYTHING:
        inside = [[one.what, one.name, one.aspect, one.before, one.after] for one in change.changes]
        return [label, change.fate, inside]
    inside = [[one.what, one.name, one.aspect, None, None] for one in change.changes if one.what in _OWN]
    return [label, change.fate, inside] if inside or not change.changes else None
