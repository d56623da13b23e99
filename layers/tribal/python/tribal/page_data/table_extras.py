"""Decisions and memories about a table."""

from __future__ import annotations

from collections.abc import Iterable

from tribal.capabilities.retrieval.guidance import guidance_of
from tribal.capabilities.retrieval.names import find_table
from tribal.capabilities.retrieval.toolbox import Toolbox
from tribal.page_data.survey import Survey, SurveyedTable
from tribal_contracts import GuidanceItem

_DECISIONS = ("adr", "policy", "pattern", "spec")
"""Kinds of guidance that a static site may hold: what everyone who can read the documentation may know."""


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
