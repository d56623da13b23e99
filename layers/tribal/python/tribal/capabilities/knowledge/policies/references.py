"""The tables and columns that SQL names, in the parts in which it names them.

A process that only reads files does not know the documented tables: their spellings are added by `named`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tribal.capabilities.knowledge.policies.evidence import FoundNames, Named, Unread

if TYPE_CHECKING:
    from tribal_contracts.knowledge import Target

SQL_TARGETS: frozenset[Target] = frozenset({"table", "column"})

Resolve = Callable[[Sequence[str]], tuple[str, ...]]
"""Of the parts of a name, as they are written, every spelling of the table, the longest first."""


@dataclass(frozen=True, slots=True)
class TableReference:
    """A table by the parts of its name."""

    parts: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True)
class ColumnReference:
    """A column, and the table that it is surely of."""

    table: tuple[str, ...] | None
    name: str
    line: int


@dataclass(frozen=True, slots=True)
class SqlReferences:
    """What a text of SQL names, each table and column once, in order of appearance."""

    tables: Sequence[TableReference] = ()
    columns: Sequence[ColumnReference] = ()
    unread: Sequence[Unread] = ()

    def named(self, file: str | None, resolve: Resolve) -> tuple[FoundNames, FoundNames]:
        """Tables and columns with all their spellings, each with what could not be read."""
        tables = [Named(resolve(each.parts), file, each.line) for each in self.tables]
        columns = []
        for each in self.columns:
            of = resolve(each.table) if each.table is not None else ()
            columns.append(Named((*(f"{table}.{each.name}" for table in of), each.name), file, each.line))
        return FoundNames(tables, self.unread), FoundNames(columns, self.unread)


def suffixes(parts: Sequence[str]) -> tuple[str, ...]:
    """The spellings of a name that is not known any better: `a.b.c`, `b.c`, `c`."""
    return tuple(".".join(parts[start:]) for start in range(len(parts)))
