"""Chooses memories, decisions and policies that are certainly about a table and short enough to show with it."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime

from tribal.capabilities.retrieval.names import identity_of
from tribal.capabilities.retrieval.toolbox import OpenIndex, Toolbox
from tribal.errors import TribalError
from tribal.identity.table_names import look_up
from tribal.naming.durations import duration
from tribal.naming.mentions import written_names
from tribal.ports import IndexedTable
from tribal.ports.remembering.guidance import Guidance
from tribal.ports.remembering.identity import LAYERS
from tribal.ports.remembering.tables_now import TablesNow
from tribal.ports.tool import tokens_of
from tribal_contracts import GuidanceItem

MOST_ITEMS = 5
MOST_TOKENS = 300
"""Limit for all items together. Source: docs/contracts.md, Memory."""
_TEXT_CHARS = 400
"""Limit for one item, so that a long one leaves room for others. By judgement."""
_LOG = logging.getLogger(__name__)


def guidance_of(
    table: IndexedTable, columns: Collection[str], opened: OpenIndex, toolbox: Toolbox
) -> list[GuidanceItem]:
    """The guidance shown with a table: decisions first, blocking ones on top; then the nearest layer, newest first.

    Args:
        table: the table.
        columns: names of its columns.
        opened: every table that the caller may see; a name must match only this one. Texts that mention a hidden table
            are left out.
        toolbox: has the source of guidance, and the time. What has changed in tables is not counted in the limit.
    """
    sure = [each for each, named in named_guidance(table, columns, opened, toolbox) if named]
    newest = sorted(sure, key=lambda each: (each.created_at, each.id), reverse=True)
    now = datetime.fromisoformat(toolbox.clock.published())
    chosen: list[tuple[Guidance, GuidanceItem]] = []
    tokens = 0
    for each in sorted(newest, key=lambda one: (one.place, LAYERS.index(one.layer))):
        item = _item(each, now)
        tokens += tokens_of(len(item.to_compact_json()))
        if len(chosen) == MOST_ITEMS or tokens > MOST_TOKENS:
            break
        chosen.append((each, item))
    return _with_changes(chosen, opened, toolbox)


def named_guidance(
    table: IndexedTable, columns: Collection[str] | None, opened: OpenIndex, toolbox: Toolbox
) -> list[tuple[Guidance, frozenset[str]]]:
    """All that may be about a table, each with the columns by which it names it; `""` names the table itself.

    Without such a name, its text may still say the table's name as a word. If the columns are not known, any name may
    be one.
    """
    if toolbox.guidance is None:
        return []
    try:
        found = toolbox.guidance(identity_of(table))
    except TribalError as error:
        _LOG.warning("no guidance for a table: %s", error.message)
        return []
    folded = None if columns is None else frozenset(column.casefold() for column in columns)
    shown = [each for each in found if not opened.bounds.withholds_any([each.text])]
    return [(each, _named_parts(each, table, folded, opened.tables)) for each in shown]


def _with_changes(
    chosen: Sequence[tuple[Guidance, GuidanceItem]], opened: OpenIndex, toolbox: Toolbox
) -> list[GuidanceItem]:
    """The items, and what has changed since in the tables that they name."""
    if not any(each.table_states for each, _ in chosen):
        return [item for _, item in chosen]
    now = TablesNow(opened.tables, toolbox.scope, toolbox.index)
    now.read(each.table_states for each, _ in chosen)
    changed = [(item, now.changes(each.table_states)) for each, item in chosen]
    return [
        item.model_copy(update={"table_changed_since": True, "changed_tables": changes}) if changes else item
        for item, changes in changed
    ]


def _named_parts(
    guidance: Guidance, table: IndexedTable, columns: Collection[str] | None, tables: Sequence[IndexedTable]
) -> frozenset[str]:
    found = dict.fromkeys(_names_in([*guidance.tables, *written_names(guidance.text)], table, columns))
    return frozenset(column for name, column in found if is_name_of(name, table, tables))


def is_name_of(name: str, table: IndexedTable, tables: Sequence[IndexedTable]) -> bool:
    """Whether a name matches this table and no other."""
    if name.rpartition(".")[2].strip('"').casefold() != table.table.casefold():
        return False
    found = look_up(name, [(identity_of(each), each.database_type) for each in tables])
    return found.found == identity_of(table)


def _names_in(names: Iterable[str], table: IndexedTable, columns: Collection[str] | None) -> Iterator[tuple[str, str]]:
    """The names, and the table and the column if a name may be that of one of its columns."""
    for name in names:
        yield name, ""
        before, _, last = name.rpartition(".")
        column = last.strip('"').casefold()
        is_known = columns is None or column in columns
        if is_known and before.rpartition(".")[2].strip('"').casefold() == table.table.casefold():
            yield before, column


def _item(guidance: Guidance, now: datetime) -> GuidanceItem:
    text = guidance.text if len(guidance.text) <= _TEXT_CHARS else f"{guidance.text[:_TEXT_CHARS].rstrip()}\u2026"
    return GuidanceItem(
        id=guidance.id,
        kind=guidance.kind,
        layer=guidance.layer,
        text=text,
        author=guidance.author,
        age=duration((now - datetime.fromisoformat(guidance.created_at)).total_seconds()),
    )
