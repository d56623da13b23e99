"""The tables and columns that files of SQL name, in the parts in which they name them.

A process that only reads files does not know the documented tables: their spellings are added by `named`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tribal.capabilities.knowledge.policies.evidence import FoundNames, Named, Unread
from tribal.capabilities.knowledge.policies.limits import OverLimit, first_of_each
from tribal.sql.references import ColumnReference, TableReference

if TYPE_CHECKING:
    from tribal_contracts.knowledge import Target

SQL_TARGETS: frozenset[Target] = frozenset({"table", "column"})

Resolve = Callable[[Sequence[str]], tuple[str, ...]]
"""Of the parts of a name, as they are written, every spelling of the table, the longest first."""


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


def sql_references(text: str, dialect: str, file: str | None = None) -> SqlReferences:
    """The tables and columns that statements name, and what could not be read.

    Args:
        text: statements, separated by semicolons.
        dialect: as sqlglot names it.
        file: in which they are.
    """
    # Loads sqlglot.
    from tribal.sql.statements import references_in

    found = references_in(text, dialect)
    unread = [Unread(file, SQL_TARGETS, each.reason, each.line, each.is_over_limit) for each in found.unread]
    try:
        return SqlReferences(
            first_of_each(found.tables, lambda each: each.parts),
            first_of_each(found.columns, lambda each: (each.table, each.name)),
            unread,
        )
    except OverLimit as error:
        return SqlReferences(unread=[*unread, Unread(file, SQL_TARGETS, str(error), None, is_over_limit=True)])


def suffixes(parts: Sequence[str]) -> tuple[str, ...]:
    """The spellings of a name that is not known any better: `a.b.c`, `b.c`, `c`."""
    return tuple(".".join(parts[start:]) for start in range(len(parts)))
