"""Tables as key inference sees them: which columns can be referenced, and which need a key."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tribal.joins.outline import TableOutline, row_keys
from tribal.key_inference.name_words import (
    SURROGATES,
    Words,
    common_letters,
    common_start,
    glue,
    is_key_like,
    is_surrogate,
    table_names,
    words_of,
)
from tribal.sql.type_families import KeyFamily

_WIDEST_KEY = 4
"""The most columns of a composite key that other tables are searched for. By judgement: wider keys are not
referenced."""
_VIEWS = ("view", "materialized_view")

Columns = tuple[str, ...]


@dataclass(frozen=True)
class KeyTable:
    """The structure of a table and the words of its names."""

    outline: TableOutline
    prefix: str = ""
    """Letters without a meaning that its name begins with, as in `rhnserver`; see `glued_prefix`."""

    @property
    def name(self) -> str:
        """Its fully qualified name."""
        return self.outline.name

    @property
    def schema(self) -> str:
        """Its schema's name."""
        return self.outline.schema_

    @property
    def is_view(self) -> bool:
        """Whether it is a view."""
        return self.outline.kind in _VIEWS

    @cached_property
    def words(self) -> Words:
        """The words of its name."""
        return words_of(self.outline.table)

    @cached_property
    def own_name(self) -> str:
        """Its name without separators."""
        return glue(self.words)

    @cached_property
    def families(self) -> Mapping[str, KeyFamily]:
        """The columns whose types are used for keys, with the family of each."""
        return {column.name: family for column in self.outline.columns if (family := column.key_family) is not None}

    @cached_property
    def nullable(self) -> frozenset[str]:
        """The nullable columns."""
        return frozenset(column.name for column in self.outline.columns if column.nullable)

    @cached_property
    def declared(self) -> frozenset[str]:
        """The columns with a declared foreign key."""
        return frozenset(column for key in self.outline.foreign_keys for column in key.columns)

    @cached_property
    def free(self) -> Sequence[str]:
        """The columns that may be references: their types are used for keys, they declare none, and people fill them.

        A name of one letter says nothing.
        """
        filled = {column.name for column in self.outline.columns if not column.is_generated}
        return [
            name
            for name in self.families
            if name in filled and name not in self.declared and len(glue(words_of(name))) > 1
        ]

    @cached_property
    def column_start(self) -> Words:
        """The words that all column names begin with."""
        if len({column.name[:1].lower() for column in self.outline.columns}) > 1:
            return ()
        return common_start([words_of(column.name) for column in self.outline.columns])

    @cached_property
    def column_letters(self) -> str:
        """The letters that all column names begin with, if none has a separator."""
        names = [column.name for column in self.outline.columns]
        return common_letters(names) if all(map(str.islower, names)) or all(map(str.isupper, names)) else ""

    def readings(self, column: str) -> Iterator[Words]:
        """The words of a column's name, then the words without the prefix that all columns share."""
        words = words_of(column)
        yield words
        if self.column_start and len(words) > len(self.column_start):
            yield words[len(self.column_start) :]
        elif self.column_letters:
            yield words_of(column[len(self.column_letters) :])

    def is_own_key(self, column: str) -> bool:
        """Whether a column is named like the key of this table."""
        words = words_of(column)
        return is_key_like(words) and any(glue(words[:-1]) == glue(name) for name in self.called)

    @cached_property
    def kinds(self) -> frozenset[Words]:
        """What its type columns describe: `owner` for the column `owner_type`."""
        texts = (
            words_of(name) for name, family in self.families.items() if family == "text" and "type" in name.lower()
        )
        return frozenset(words[:-1] for words in texts if words[-1:] == ("type",))

    @cached_property
    def is_bridge(self) -> bool:
        """Whether it holds only keys, as tables that join others do."""
        every = (words_of(column.name) for column in self.outline.columns)
        return all(is_key_like(words) or (len(words) == 1 and words[0].endswith("id")) for words in every)

    @cached_property
    def keys(self) -> Sequence[Columns]:
        """The columns of each primary and unique key, the primary one first, each set once."""
        known = {column.name for column in self.outline.columns}
        found: dict[frozenset[str], Columns] = {}
        for key in row_keys(self.outline):
            if key and known.issuperset(key):
                found.setdefault(frozenset(key), tuple(key))
        return list(found.values())

    @cached_property
    def singles(self) -> Sequence[str]:
        """The columns that can be referenced by themselves: single-column keys, else the column named like the key."""
        if self.is_view:
            return []
        if self.keys:
            return [key[0] for key in self.keys if len(key) == 1 and key[0] in self.families]
        first = self.outline.columns[0].name if self.outline.columns else ""
        return [name for name in self.families if self._is_named_as_key(name, is_first=name == first)][:1]

    @property
    def primary(self) -> str | None:
        """The column that identifies a row by itself, if any: a primary key of one column, or one named like it."""
        key = self.outline.primary_key
        if key is not None:
            return key.columns[0] if len(key.columns) == 1 and key.columns[0] in self.families else None
        return self.singles[0] if len(self.singles) == 1 else None

    @property
    def is_implied(self) -> bool:
        """Whether its key is assumed from a column's name only."""
        return not self.keys

    @cached_property
    def composites(self) -> Sequence[Columns]:
        """The composite keys that can be referenced."""
        if self.is_view:
            return []
        return [key for key in self.keys if 1 < len(key) <= _WIDEST_KEY and all(name in self.families for name in key)]

    def own_words(self, column: str) -> Words:
        """The words of a column's name without the shared prefix, or without the table's name."""
        *_, shortest = self.readings(column)
        words = words_of(column)
        if self.column_letters:
            return shortest
        ends = (self.words[first:] for first in range(1, len(self.words)))
        for start in (self.column_start, *self.called, *ends):
            if start and len(words) > len(start) and words[: len(start)] == start:
                return words[len(start) :]
        return words

    @cached_property
    def called(self) -> Sequence[Words]:
        """The names of the table, its own name first."""
        names = table_names(self.words)
        if self.prefix:
            names += table_names(words_of(self.outline.table[len(self.prefix) :]))
        return names

    def _is_named_as_key(self, name: str, *, is_first: bool) -> bool:
        """Whether a column is named like the table, or a part of it for the first column, plus a key word."""
        words = words_of(name)
        if len(words) < 2 or (self.column_letters and name.removeprefix(self.column_letters).lower() in SURROGATES):
            return is_surrogate(words)
        named = words[:-1]
        is_whole = named in self.called or named == self.column_start
        return is_key_like(words) and (is_whole or (is_first and named == self.words[-len(named) :]))


@dataclass(frozen=True, slots=True)
class ReferenceCandidate:
    """A column that may be a reference, with the readings of its name."""

    table: KeyTable
    column: str
    is_own_key: bool
    readings: tuple[Words, ...]

    @classmethod
    def of(cls, table: KeyTable, column: str) -> ReferenceCandidate:
        """Read the name of a column."""
        return cls(table, column, table.is_own_key(column), tuple(table.readings(column)))

    def may_reference(self, keys: Collection[str]) -> bool:
        """Whether it is named like a key, or like one of these."""
        return any(is_key_like(words) or glue(words) in keys for words in self.readings)
