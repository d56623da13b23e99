"""The tables and columns that files of SQL name, in the parts in which they name them.

A process that only reads files does not know the documented tables; `named` adds their spellings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tribal.capabilities.knowledge.policies.evidence import CollectedNames, Gap, NameUse
from tribal.capabilities.knowledge.policies.limits import OverLimit, first_of_each
from tribal.sql.references import ColumnReference, TableReference

if TYPE_CHECKING:
    from tribal_contracts.knowledge import Target

SQL_TARGETS: frozenset[Target] = frozenset({"table", "column"})

Resolve = Callable[[Sequence[str]], tuple[str, ...]]
"""Returns every spelling of a table, longest first, for the parts of its name as written."""


@dataclass(frozen=True, slots=True)
class SqlReferences:
    """The names in an SQL text, each table and column once, in order of appearance."""

    tables: Sequence[TableReference] = ()
    columns: Sequence[ColumnReference] = ()
    unread: Sequence[Gap] = ()

    def named(self, file: str | None, resolve: Resolve) -> tuple[CollectedNames, CollectedNames]:
        """Tables and columns with all their spellings, each with the gaps."""
        tables = [NameUse(resolve(each.parts), file, each.line) for each in self.tables]
        columns = []
        for each in self.columns:
            of = resolve(each.table) if each.table is not None else ()
            columns.append(NameUse((*(f"{table}.{each.name}" for table in of), each.name), file, each.line))
        return CollectedNames(tables, self.unread), CollectedNames(columns, self.unread)


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
    unread = [Gap(file, SQL_TARGETS, each.reason, each.line, each.is_over_limit) for each in found.unread]
    try:
        return SqlReferences(
            first_of_each(found.tables, lambda each: each.parts),
            first_of_each(found.columns, lambda each: (each.table, each.name)),
            unread,
        )
    except OverLimit as error:
        return SqlReferences(unread=[*unread, Gap(file, SQL_TARGETS, str(error), None, is_over_limit=True)])


def suffixes(parts: Sequence[str]) -> tuple[str, ...]:
    """The spellings of an unresolved name: `a.b.c`, `b.c`, `c`."""
    return tuple(".".join(parts[start:]) for start in range(len(parts)))
