"""Tables that repeat another one: its partitions, shards and backups, its copies and histories, its views.

Told from names and columns alone: the name of a copy is that of its original and more words, and their columns are the
same. Searching prefers originals; nothing says to people that a table is a copy.
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

# Chosen by judgement; `python -m bench.copies` shows what they find.
ALIKE = 0.7
"""How much of the columns of two tables must be the same: their share, rare columns weighing more."""
_ALIKE_IF_SAID = 0.5
"""The same where the name says that it is a history or a backup, which lacks what its table got later."""
_LEAST_COLUMNS = 3
"""Fewer columns are the same by chance."""
_SUBTYPES = 3
"""So many tables named after one, each with other words, are its kinds and not copies of it."""
_PARTS = frozenset("p part partition shard default y m w d q".split())
"""Words that stand with the number of a partition or shard."""
_BACKUPS = frozenset("bak backup bck copy old orig tmp temp".split())
"""Words of tables that somebody put aside."""
_HISTORIES = frozenset(
    stem(word)
    for word in "archive archived audit changelog hist history historical log shadow snapshot stg version".split()
)
"""Words of tables that keep the past of another one, or what is loaded into it, which adds columns of its own."""


@dataclass(frozen=True, slots=True)
class _Table:
    name: str
    words: Words
    stems: Words
    columns: frozenset[str]
    layout: tuple[tuple[str, str], ...]
    is_view: bool


def find_copies(database: str, tables: Sequence[CatalogTable]) -> dict[str, TableCopy]:
    """What each such table repeats, by fully qualified name; an original is no copy itself."""
    schemas: defaultdict[str, list[_Table]] = defaultdict(list)
    for table in tables:
        schemas[table.schema_name].append(_table(database, table))
    referenced = _referenced(database, tables)
    found: dict[str, TableCopy] = {}
    for some in schemas.values():
        found |= _parts(some)
        whole = [table for table in some if table.name not in found]
        found |= _copies(whole, referenced)
    return {name: _rooted(copy, found) for name, copy in found.items()}


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
    """Tables of one layout whose names differ in numbers or words of backups alone."""
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
    """The words without numbers and what marks a part at the end, or a backup at either end."""
    kept = list(words)
    while len(kept) > 1 and (kept[-1].isdigit() or kept[-1] in _BACKUPS or _marks_a_number(kept, words)):
        kept.pop()
    while len(kept) > 1 and kept[0] in _BACKUPS:
        kept.pop(0)
    return tuple(kept)


def _marks_a_number(kept: Sequence[str], words: Words) -> bool:
    """Whether a number stood after the last of the words that are kept, which is one that goes with numbers."""
    return kept[-1] in _PARTS and len(kept) < len(words) and words[len(kept)].isdigit()


def _copies(tables: Sequence[_Table], referenced: Mapping[str, frozenset[str]]) -> dict[str, TableCopy]:
    by_name: defaultdict[Words, list[_Table]] = defaultdict(list)
    for table in sorted(tables, key=lambda table: table.name):
        by_name[table.stems].append(table)
    weights = _weights(tables)
    found: dict[str, tuple[TableCopy, frozenset[str]]] = {}
    for table in tables:
        best = max(_originals(table, by_name, weights), key=lambda told: told[:3], default=None)
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
    """What a column that two tables have in common tells: little if most have it."""
    counts = Counter(column for table in tables for column in table.columns)
    return {column: math.log((1 + len(tables)) / count) for column, count in counts.items()}


def _originals(
    table: _Table, by_name: Mapping[Words, Sequence[_Table]], weights: Mapping[str, float]
) -> Iterator[tuple[int, float, bool, _Table]]:
    """What a table may be a copy of, each with the length of its name, how much their columns are alike, and whether
    its name is a part of the copy's as it is written.

    Those that differ in nothing of that come by name.
    """
    for words in _within(table.stems):
        for original in by_name.get(words, ()):
            if original.is_view and not table.is_view:
                continue
            alike = _likeness(table, original, weights)
            enough = _ALIKE_IF_SAID if _says_copy(table, original) else ALIKE
            if alike >= enough or (table.is_view and not original.is_view):
                yield len(words), alike, original.words in _within(table.words), original


def _within(words: Words) -> Iterator[Words]:
    """Every run of words that is shorter than the whole."""
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


def _says_copy(table: _Table, original: _Table) -> bool:
    extra = frozenset(table.stems).difference(original.stems)
    return not extra.isdisjoint(_HISTORIES | _BACKUPS)


def _kinds(found: Mapping[str, tuple[TableCopy, frozenset[str]]]) -> Mapping[str, set[frozenset[str]]]:
    """The different words by which tables are named after each original."""
    kinds: defaultdict[str, set[frozenset[str]]] = defaultdict(set)
    for copy, extra in found.values():
        words = frozenset(word for word in extra if not word.isdigit())
        if copy.kind == "copy" and words.isdisjoint(_HISTORIES):
            kinds[copy.of].add(words)
    return kinds


def _rooted(copy: TableCopy, found: Mapping[str, TableCopy]) -> TableCopy:
    """The copy of a copy is one of the original."""
    seen = {copy.of}
    while copy.of in found and found[copy.of].of not in seen:
        copy = copy.model_copy(update={"of": found[copy.of].of})
        seen.add(copy.of)
    return copy
