"""Columns of the same name and type as one that declares a key."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tribal.key_inference.guesses import Guess, column_name, guess
from tribal.key_inference.name_words import is_specific, words_of
from tribal.key_inference.overlap import KeyPair
from tribal.key_inference.references import Directory, is_polymorphic
from tribal.key_inference.tables import KeyTable, free_columns

SISTERS = 0.9
"""Confidence if several columns of this name all declare the same key. A label by judgement, as those below."""
ONE_SISTER = 0.85
"""Confidence if one does."""
SISTERS_OF_MANY_KEYS = 0.7
"""Confidence if several tables have a key of this name, so that another may be meant here."""


@dataclass(frozen=True)
class _Declared:
    """What the columns of one name and type reference, and the first of those columns."""

    parents: frozenset[tuple[str, str]]
    sisters: Sequence[str]


def sister_references(tables: Sequence[KeyTable], directory: Directory) -> Iterator[Guess]:
    """What free columns reference because columns of their name declare it, of the tables of one schema."""
    declared = _declared(tables)
    for table in tables:
        if table.is_view:
            continue
        for column in free_columns(table):
            found = declared.get((column.lower(), table.families[column]))
            if found is None or len(found.parents) > 1 or is_polymorphic(table, column):
                continue
            ((parent, referenced),) = found.parents
            if parent != table.name and (column,) not in table.keys[:1]:
                pair = KeyPair(table.name, (column,), parent, (referenced,))
                yield guess(pair, _confidence(column, found, directory), "sister", found.sisters[0])


def _confidence(column: str, found: _Declared, directory: Directory) -> float:
    if len(directory.holders(words_of(column))) > 1:
        return SISTERS_OF_MANY_KEYS
    return SISTERS if len(found.sisters) > 1 else ONE_SISTER


def _declared(tables: Sequence[KeyTable]) -> Mapping[tuple[str, str], _Declared]:
    parents: defaultdict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
    sisters: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for table in tables:
        for key in table.outline.foreign_keys:
            column = key.columns[0]
            if len(key.columns) > 1 or column not in table.families or not is_specific(words_of(column)):
                continue
            place = column.lower(), table.families[column]
            parents[place].add((key.references_table, key.references_columns[0]))
            sisters[place].append(column_name(table.name, column))
    return {place: _Declared(frozenset(found), sorted(sisters[place])) for place, found in parents.items()}
