"""Finds keys that a table declares more than once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

from tribal_contracts import CatalogForeignKey, CatalogIndex, CatalogKey, CatalogTable

_Part = TypeVar("_Part")


def without_repeated_keys(table: CatalogTable) -> CatalogTable:
    """The table with each key once: unique keys and indexes that repeat another one, and foreign keys of two names.

    Of equal foreign keys the one with an action stays, since the action applies.
    """
    primary = table.primary_key
    keys = _first_of_each([*([primary] if primary else []), *table.unique_keys], _columns)
    foreign = sorted(table.foreign_keys, key=lambda key: (key.validated is False, not (key.on_delete or key.on_update)))
    kept = _first_of_each(foreign, _reference)
    names = {key.name for key in keys}
    # Of equal indexes the key's own stays.
    indexes = _first_of_each(sorted(table.indexes, key=lambda index: index.name not in names), _unique_index)
    return table.model_copy(
        update={
            "unique_keys": [key for key in keys if key is not primary],
            "foreign_keys": [key for key in table.foreign_keys if key in kept],
            "indexes": [index for index in table.indexes if index in indexes],
        }
    )


def _first_of_each(parts: Iterable[_Part], meaning: Callable[[_Part], Hashable]) -> list[_Part]:
    found: dict[Hashable, _Part] = {}
    for part in parts:
        found.setdefault(meaning(part), part)
    return list(found.values())


def _columns(key: CatalogKey) -> Hashable:
    return frozenset(key.columns)


def _reference(key: CatalogForeignKey) -> Hashable:
    pairs = zip(key.columns, key.references_columns, strict=False)
    return frozenset(pairs), key.references_schema, key.references_table


def _unique_index(index: CatalogIndex) -> Hashable:
    return (tuple(index.columns), index.terms) if index.unique else index.name
