"""The values of a column and what they mean: by its type, checks, texts and look-up table, and by views."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tribal.documenting.units.value_texts import meanings_in
from tribal.masking import PLACEHOLDER, redact_labels
from tribal.ports import LookupValues, TableContext
from tribal.rendering.compact_table import COMMENT_CHARS
from tribal.rendering.words import shorten
from tribal.sql.checks import declared_values
from tribal.sql.type_families import type_family
from tribal_contracts import CatalogColumn, Description, MeaningSource, ValueMeaning, ValuesFrom

_MOST_VALUES = 50
"""Source: the contract of `allowed_values`."""


def values_of_column(
    column: CatalogColumn, context: TableContext, said: Description, *, hidden: bool
) -> dict[str, Any]:
    """Return the fields about a column's values and their meanings.

    People's words come before those of a look-up table, these before comments, and comments before views. Where
    nothing else lists values, those with a meaning are listed as a part.

    Args:
        said: the description of the column.
        hidden: whether data of the column is not shown.
    """
    origin: ValuesFrom
    values, origin = declared_values(column, context.table.checks, PLACEHOLDER)
    lookup = None if hidden else context.lookups.get(column.name)
    complete = True
    if not values and lookup is not None:
        values, origin, complete = lookup.values, "lookup", _is_enforced(column.name, context)
    meanings: dict[str, ValueMeaning] = {}
    for found in _sources(column, context, said, values, lookup):
        meanings |= {value: each for value, each in found.items() if value not in meanings}
    if not values:
        meanings = {value: each for value, each in meanings.items() if _may_hold(column, value)}
        values, complete = tuple(meanings) or _labels(column, context), False
        origin = next((each.source for each in meanings.values()), "view")
    if not values:
        return {}
    shown = list(values[:_MOST_VALUES])
    return {
        "allowed_values": shown,
        "allowed_values_from": origin,
        "allowed_values_complete": complete and len(shown) == len(values),
        "value_meanings": {value: meanings[value] for value in shown if value in meanings} or None,
    }


def _sources(
    column: CatalogColumn,
    context: TableContext,
    said: Description,
    values: Sequence[str],
    lookup: LookupValues | None,
) -> Iterator[Mapping[str, ValueMeaning]]:
    """Yield the meanings from each source, the most trusted first."""

    def meant(texts: Mapping[str, str], source: MeaningSource) -> dict[str, ValueMeaning]:
        return {value: ValueMeaning(text=shorten(text, COMMENT_CHARS), source=source) for value, text in texts.items()}

    if said.source == "human":
        yield meant(meanings_in(said.text, values), "human")
    if lookup is not None:
        yield meant(lookup.meanings, "lookup")
    for comment in filter(None, (column.comment, column.type_comment)):
        yield meant(meanings_in(comment, values), "comment")
    yield {
        value: each
        for value, each in context.viewed.get(column.name, {}).items()
        if _is_harmless([value, each.text], column.name, context)
    }


def _labels(column: CatalogColumn, context: TableContext) -> tuple[str, ...]:
    """The labels that a view's column shows instead of values."""
    labels = dict.fromkeys(
        each.text for each in (context.reads.labels or () if context.reads else ()) if each.column == column.name
    )
    return tuple(labels) if _is_harmless(list(labels), column.name, context) else ()


def _is_harmless(texts: list[str], column: str, context: TableContext) -> bool:
    return redact_labels(texts, table=context.table.table_name, column=column) == texts


def _may_hold(column: CatalogColumn, value: str) -> bool:
    """Whether a value fits the type of a column; those of flags say nothing new."""
    family = type_family(column.base_type or column.type)
    return family == "text" or (family == "number" and value.lstrip("-").isdecimal())


def _is_enforced(column: str, context: TableContext) -> bool:
    """Whether the server ensures that every value has a row in the look-up table."""
    table = context.table
    enforced = context.database_type == "postgres" or table.kind == "hybrid_table"
    return enforced and any(key.columns == [column] and key.validated is not False for key in table.foreign_keys)
