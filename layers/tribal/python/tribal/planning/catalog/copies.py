"""Find tables that repeat another one: partitions, shards, backups, copies, histories and views.

Only names and columns are compared: a copy has its original's name plus more words, and similar columns. Search
prefers originals; people are never shown that a table is a copy.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tribal.identity.table_names import TableIdentity
from tribal.naming import split_identifier, stem
from tribal_contracts import CatalogTable, TableCopy

Words = tuple[str, ...]

# Chosen by judgement.
ALIKE = 0.7
"""The share of columns that two tables must have in common; rare columns weigh more."""
_ALIKE_IF_NAMED = 0.5
"""The same if the name indicates a history or a backup, which lacks columns that were added later."""
_LEAST_COLUMNS = 3
"""Fewer columns may be equal by chance."""
_SUBTYPES = 3
"""From this many tables on that add different words to a name, they are subtypes and not copies."""
_PARTS = frozenset("p part partition shard default y m w d q".split())
"""Words next to the number of a partition or shard."""
_BACKUPS = frozenset("bak backup bck copy old orig tmp temp".split())
"""Words of tables that someone put aside."""
_HISTORIES = frozenset(
    stem(word)
    for word in "archive archived audit changelog hist history historical log shadow snapshot stg version".split()
)
"""Words of history and staging tables, which add columns of their own."""


@dataclass(frozen=True, slots=True)
class _Table:
    name: str
    words: Words
    stems: Words
    columns: frozenset[str]
    layout: tuple[tuple[str, str], ...]
    is_view: bool


def find_copies(database: str, tables: Sequence[CatalogTable]) -> dict[str, TableCopy]:
    """The original of each copy, by fully qualified name; an original is not a copy itself."""
    schemas: defaultdict[str, list[_Table]] = defaultdict(list)
    for table in tables:
        schemas[table.schema_name].append(_table(database, table))
    referenced = _referenced(database, tables)
    found: dict[str, TableCopy] = {}
    for some in schemas.values():
        found |= _parts(some)
        whole = [table for table in some if table.name not in found]
        found |= _copies(whole, referenced)
    return {name: _of_original(copy, found) for name, copy in found.items()}


def _table(database: str, table: CatalogTable) -> _Table:
    words = tuple(split_identifier(table.table_name))
    return _Table(
        name=str(TableIdentity(database, table.schema_name, table.table_name)),
        words=words,
        stems=tuple(map(stem, words)),
        columns=frozenset(column.name.casefold() for column in table.columns),
        layout=tuple(sorted((column.name.casefold(), column.type) for column in table.columns)),
        is_view="view" in table.kind,
    )


def _referenced(database: str, tables: Iterable[CatalogTable]) -> Mapping[str, frozenset[str]]:
    """The other tables that reference each one."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for table in tables:
        child = str(TableIdentity(database, table.schema_name, table.table_name))
        for key in table.foreign_keys:
            parent = str(TableIdentity(database, key.references_schema, key.references_table))
            if parent != child:
                found[parent].add(child)
    return {parent: frozenset(children) for parent, children in found.items()}


def _parts(tables: Sequence[_Table]) -> dict[str, TableCopy]:
    """Tables of one layout whose names differ only in numbers or backup words."""
    groups: defaultdict[tuple[Words, tuple[tuple[str, str], ...]], list[_Table]] = defaultdict(list)
    for table in tables:
        core = _core(table.words)
        if core and not table.is_view:
            groups[core, table.layout].append(table)
    return {
        part.name: TableCopy(kind="part", of=first.name)
        for (core, _), group in groups.items()
        for first, *others in [sorted(group, key=lambda table: (table.words != core, table.name))]
        for part in others
    }


def _core(words: Words) -> Words:
    """The words without numbers and part markers at the end, and without backup words at either end."""
    kept = list(words)
    while len(kept) > 1 and (kept[-1].isdigit() or kept[-1] in _BACKUPS or _marks_a_number(kept, words)):
        kept.pop()
    while len(kept) > 1 and kept[0] in _BACKUPS:
        kept.pop(0)
    return tuple(kept)


def _marks_a_number(kept: Sequence[str], words: Words) -> bool:
    """Whether the last kept word is a part marker that was followed by a number."""
    return kept[-1] in _PARTS and len(kept) < len(words) and words[len(kept)].isdigit()


def _copies(tables: Sequence[_Table], referenced: Mapping[str, frozenset[str]]) -> dict[str, TableCopy]:
    by_name: defaultdict[Words, list[_Table]] = defaultdict(list)
    for table in sorted(tables, key=lambda table: table.name):
        by_name[table.stems].append(table)
    weights = _weights(tables)
    found: dict[str, tuple[TableCopy, frozenset[str]]] = {}
    for table in tables:
        best = max(_originals(table, by_name, weights), key=lambda candidate: candidate[:3], default=None)
        if best is not None:
            *_, original = best
            extra = frozenset(table.stems).difference(original.stems)
            found[table.name] = TableCopy(kind="view" if table.is_view else "copy", of=original.name), extra
    kinds = _kinds(found)
    return {
        name: copy
        for name, (copy, extra) in found.items()
        if copy.kind == "view"
        or (
            (extra & _HISTORIES or len(kinds[copy.of]) < _SUBTYPES)
            and referenced.get(name, frozenset()).issubset(found)
        )
    }


def _weights(tables: Sequence[_Table]) -> Mapping[str, float]:
    """The weight of a shared column: low if most tables have it."""
    counts = Counter(column for table in tables for column in table.columns)
    return {column: math.log((1 + len(tables)) / count) for column, count in counts.items()}


def _originals(
    table: _Table, by_name: Mapping[Words, Sequence[_Table]], weights: Mapping[str, float]
) -> Iterator[tuple[int, float, bool, _Table]]:
    """Possible originals of a table, each with the length of its name, the likeness of the columns, and whether
    the copy's name contains it literally.

    Ties are ordered by name.
    """
    for words in _within(table.stems):
        for original in by_name.get(words, ()):
            if original.is_view and not table.is_view:
                continue
            alike = _likeness(table, original, weights)
            enough = _ALIKE_IF_NAMED if _is_named_as_copy(table, original) else ALIKE
            if alike >= enough or (table.is_view and not original.is_view):
                yield len(words), alike, original.words in _within(table.words), original


def _within(words: Words) -> Iterator[Words]:
    """Every proper run of consecutive words."""
    for length in range(1, len(words)):
        for start in range(len(words) - length + 1):
            yield words[start : start + length]


def _likeness(table: _Table, original: _Table, weights: Mapping[str, float]) -> float:
    if len(original.columns) < _LEAST_COLUMNS:
        return 0.0
    if table.columns >= original.columns and not _HISTORIES.isdisjoint(table.stems):
        return 1.0
    shared, either = (
        sum(weights[column] for column in columns)
        for columns in (table.columns & original.columns, table.columns | original.columns)
    )
    return shared / either if either else 0.0


def _is_named_as_copy(table: _Table, original: _Table) -> bool:
    extra = frozenset(table.stems).difference(original.stems)
    return not extra.isdisjoint(_HISTORIES | _BACKUPS)


def _kinds(found: Mapping[str, tuple[TableCopy, frozenset[str]]]) -> Mapping[str, set[frozenset[str]]]:
    """The words that tables add to the name of each original."""
    kinds: defaultdict[str, set[frozenset[str]]] = defaultdict(set)
    for copy, extra in found.values():
        words = frozenset(word for word in extra if not word.isdigit())
        if copy.kind == "copy" and words.isdisjoint(_HISTORIES):
            kinds[copy.of].add(words)
    return kinds


def _of_original(copy: TableCopy, found: Mapping[str, TableCopy]) -> TableCopy:
    """Follow copies of copies to the original."""
    seen = {copy.of}
    while copy.of in found and found[copy.of].of not in seen:
        copy = copy.model_copy(update={"of": found[copy.of].of})
        seen.add(copy.of)
    return copy
