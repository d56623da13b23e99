"""Columns with the same name and type as a column that declares a key."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tribal.key_inference.guesses import Guess, column_name, guess
from tribal.key_inference.name_words import is_specific, words_of
from tribal.key_inference.overlap import KeyPair
from tribal.key_inference.references import Directory, is_polymorphic
from tribal.key_inference.tables import KeyTable

SEVERAL_DECLARED = 0.9
"""Confidence if several columns with this name declare the same key. A label by judgement, like those below."""
ONE_DECLARED = 0.85
"""Confidence if only one does."""
SEVERAL_KEYS = 0.7
"""Confidence if several tables have a key with this name, so that another one may be meant."""


@dataclass(frozen=True)
class _Declared:
    """What columns with one name and type reference, and these columns."""

    parents: frozenset[tuple[str, str]]
    columns: Sequence[str]


def same_name_references(tables: Sequence[KeyTable], directory: Directory) -> Iterator[Guess]:
    """References of free columns in one schema, because columns with the same name declare them."""
    declared = _declared(tables)
    for table in tables:
        if table.is_view:
            continue
        for column in table.free:
            found = declared.get((column.lower(), table.families[column]))
            if found is None or len(found.parents) > 1 or is_polymorphic(table, column):
                continue
            ((parent, referenced),) = found.parents
            if parent != table.name and (column,) not in table.keys[:1]:
                pair = KeyPair(table.name, (column,), parent, (referenced,))
                yield guess(pair, _confidence(column, found, directory), "sister", found.columns[0])


def _confidence(column: str, found: _Declared, directory: Directory) -> float:
    if len(directory.holders(words_of(column))) > 1:
        return SEVERAL_KEYS
    return SEVERAL_DECLARED if len(found.columns) > 1 else ONE_DECLARED


def _declared(tables: Sequence[KeyTable]) -> Mapping[tuple[str, str], _Declared]:
    parents: defaultdict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
    columns: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for table in tables:
        for key in table.outline.foreign_keys:
            column = key.columns[0]
            if len(key.columns) > 1 or column not in table.families or not is_specific(words_of(column)):
                continue
            place = column.lower(), table.families[column]
            parents[place].add((key.references_table, key.references_columns[0]))
            columns[place].append(column_name(table.name, column))
    return {place: _Declared(frozenset(found), sorted(columns[place])) for place, found in parents.items()}
