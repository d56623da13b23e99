"""What of what is known elsewhere is surely about a table, and short enough to be told with it."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Sequence
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
from tribal.ports.tool import tokens_of
from tribal_contracts import GuidanceItem

MOST_ITEMS = 5
MOST_TOKENS = 300
"""Of all items together. Source: docs/contracts.md, Memory."""
_TEXT_CHARS = 400
"""Of one item, so that a long one leaves room for others; by judgement."""
_LOG = logging.getLogger(__name__)


def guidance_of(
    table: IndexedTable, columns: Collection[str], opened: OpenIndex, toolbox: Toolbox
) -> list[GuidanceItem]:
    """What is told with a table: decisions first, of them what blocks; then the nearest layer, in it the newest.

    Args:
        table: the table.
        columns: names of its columns.
        opened: every table that the caller may see, among which a name has to be this one's alone. What mentions a
            hidden one is left out.
        toolbox: what is known elsewhere, and the time.
    """
    if toolbox.guidance is None:
        return []
    try:
        found = toolbox.guidance(identity_of(table))
    except TribalError as error:
        _LOG.warning("no guidance for a table: %s", error.message)
        return []
    folded = frozenset(column.casefold() for column in columns)
    shown = [each for each in found if not opened.bounds.withholds_any([each.text])]
    sure = [each for each in shown if _is_about(each, table, folded, opened.tables)]
    newest = sorted(sure, key=lambda each: (each.created_at, each.id), reverse=True)
    now = datetime.fromisoformat(toolbox.clock.published())
    told: list[GuidanceItem] = []
    tokens = 0
    for each in sorted(newest, key=lambda one: (one.place, LAYERS.index(one.layer))):
        item = _item(each, now)
        tokens += tokens_of(len(item.to_compact_json()))
        if len(told) == MOST_ITEMS or tokens > MOST_TOKENS:
            break
        told.append(item)
    return told


def _is_about(
    guidance: Guidance, table: IndexedTable, columns: Collection[str], tables: Sequence[IndexedTable]
) -> bool:
    names = [*guidance.tables, *_names_in(guidance.text, table, columns)]
    return any(_means(name, table, tables) for name in dict.fromkeys(names))


def _means(name: str, table: IndexedTable, tables: Sequence[IndexedTable]) -> bool:
    """Whether a name means the table and no other."""
    if name.rpartition(".")[2].strip('"').casefold() != table.table.casefold():
        return False
    found = look_up(name, [(identity_of(each), each.database_type) for each in tables])
    return found.found == identity_of(table)


def _names_in(text: str, table: IndexedTable, columns: Collection[str]) -> Iterator[str]:
    """The names in a text, and those whose columns it names."""
    for name in written_names(text):
        yield name
        before, _, last = name.rpartition(".")
        if before.rpartition(".")[2].casefold() == table.table.casefold() and last.casefold() in columns:
            yield before


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
