"""Verified queries, metrics and decisions about a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tribal.capabilities.retrieval.guidance import guidance_of
from tribal.capabilities.retrieval.names import find_table
from tribal.capabilities.retrieval.toolbox import Toolbox
from tribal.page_data.survey import Survey, SurveyedTable
from tribal_contracts import Definitions, GuidanceItem

MOST_ITEMS = 10
_DECISIONS = ("adr", "policy", "pattern", "spec")
"""Kinds of guidance that a static site may hold: what everyone who can read the documentation may know."""
_STATUSES = ("current", "stale", "changed", "broken")
_NOTHING = Definitions(schema_version="1.0")


def visible_to(found: Survey, toolbox: Toolbox) -> Definitions:
    """The definitions that the caller may see.

    Raises:
        StoreError: when the store cannot be read.
    """
    return _NOTHING if toolbox.definitions is None else toolbox.definitions(found.opened.bounds)


def of_table(name: str, definitions: Definitions) -> dict[str, list[list[Any]]]:
    """The verified queries that read a table and the metrics that use it, current ones first; without empty lists."""
    queries = sorted((each for each in definitions.queries if name in each.tables), key=_place)
    metrics = sorted((each for each in definitions.metrics if name in each.tables), key=_place)
    found: dict[str, list[list[Any]]] = {
        "vq": [
            [each.questions[0], each.sql, each.status, *([each.owner] if each.owner else [])]
            for each in queries[:MOST_ITEMS]
        ],
        "mt": [[each.name, each.description, each.status, each.expression] for each in metrics[:MOST_ITEMS]],
    }
    return {key: rows for key, rows in found.items() if rows}


def _place(item: Any) -> int:
    return _STATUSES.index(item.status)


def remembered_part(name: str, found: Survey, toolbox: Toolbox) -> list[dict[str, str]]:
    """Decisions and shared memories about a table, as its page shows them.

    Raises:
        TableNotFound: when no table of that name is visible to the caller.
    """
    entry = find_table(name, found.opened.tables)
    table = next(each for each in found.tables if each.entry.record_id == entry.record_id)
    fields = {"kind", "id", "text", "layer", "author", "age"}
    return [each.model_dump(include=fields) for each in _guidance(table, found, toolbox)]


def decisions_about(table: SurveyedTable, found: Survey, toolbox: Toolbox) -> list[dict[str, str]]:
    """Decisions about a table as a static site shows them: without memories, and without ages, which would change."""
    fields = {"kind", "id", "text", "layer", "author"}
    decisions = (each for each in _guidance(table, found, toolbox) if each.kind in _DECISIONS)
    return [each.model_dump(include=fields) for each in decisions]


def _guidance(table: SurveyedTable, found: Survey, toolbox: Toolbox) -> Iterable[GuidanceItem]:
    return guidance_of(table.entry, [column.name for column in table.columns], found.opened, toolbox)
