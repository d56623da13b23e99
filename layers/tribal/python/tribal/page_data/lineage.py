"""The part of the page's data for lineage: every step between visible tables, over which the page walks itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tribal.capabilities.retrieval.lineage.get_lineage import bounded_reason, reading_tables
from tribal.capabilities.retrieval.toolbox import Toolbox
from tribal.joins.lineage import TableReads, collect_edges
from tribal.page_data.survey import Survey

_VIEWS_AT_ONCE = 100
"""Few enough that the columns of large views are not in memory together. By judgement."""


def lineage_part(found: Survey, toolbox: Toolbox) -> dict[str, Any]:
    """Return all steps of `get_lineage` between tables that the caller may see, and why columns of views are not known.

    Made once for a generation of the index and a scope.
    """
    key = ("lineage", toolbox.scope)
    return toolbox.derived.get(found.opened.generation, key, lambda: _lineage(found, toolbox))


def _lineage(found: Survey, toolbox: Toolbox) -> dict[str, Any]:
    places = {table.name: table.place for table in found.tables}
    walk = collect_edges(_views(found, toolbox), places.keys())
    bounds = found.opened.bounds
    return {
        "edges": [
            [places[edge.from_table], edge.from_column, places[edge.to_table], edge.to_column, edge.via]
            for edge in walk.edges
        ],
        "problems": [[places[view], bounded_reason(reason, bounds)] for view, reason in sorted(walk.problems.items())],
    }


def _views(found: Survey, toolbox: Toolbox) -> Iterator[TableReads]:
    ids = [entry.record_id for entry in reading_tables(found.opened)]
    for start in range(0, len(ids), _VIEWS_AT_ONCE):
        yield from toolbox.index.documents(ids[start : start + _VIEWS_AT_ONCE], TableReads).values()
