"""The documented tables that policies check, and how names in SQL resolve to them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from tribal.capabilities.knowledge.policies.collecting import DocumentedNames
from tribal.capabilities.knowledge.policies.evidence import NameUse
from tribal.capabilities.knowledge.policies.patterns import path_glob
from tribal.joins.outline import TableOutline
from tribal.ports.index.reader import IndexedTable, IndexFilter

if TYPE_CHECKING:
    from tribal.identity.scope import Scope
    from tribal.ports.index.reader import IndexReader
    from tribal_contracts import DatabaseType

_AT_ONCE = 500
_DIALECTS: tuple[DatabaseType, ...] = ("postgres", "snowflake")


@dataclass(frozen=True)
class DocumentedTables:
    """The tables that a caller may see.

    Every method raises `IndexNotReady`.

    Args:
        index: where they are.
        scope: what the caller may see.
        databases: the kinds of databases that the project configures, if that is known.
    """

    index: IndexReader
    scope: Scope
    databases: Sequence[DatabaseType] = ()
    warnings: list[str] = field(default_factory=list, init=False)
    """Warnings about the requested tables."""

    def names(self, globs: Sequence[str]) -> DocumentedNames:
        """The tables that globs of `database.schema.table` match, their columns, and how to resolve names in SQL."""
        named = self._named(globs)
        tables = [NameUse(_spellings(each)) for each in named]
        columns: list[NameUse] = []
        for start in range(0, len(named), _AT_ONCE):
            some = named[start : start + _AT_ONCE]
            outlines = self.index.documents([each.record_id for each in some], TableOutline)
            for table in some:
                outline = outlines.get(table.record_id)
                for column in outline.columns if outline else ():
                    owners = _spellings(table)
                    columns.append(NameUse((*(f"{owner}.{column.name}" for owner in owners), column.name)))
        return DocumentedNames(tables=tables, columns=columns, dialects=self._dialects(), resolve=self.resolve)

    def resolve(self, parts: Sequence[str]) -> tuple[str, ...]:
        """The spellings of a table named in SQL: those of the documented table, if only one has that name."""
        plain = tuple(".".join(parts[start:]) for start in range(len(parts)))
        found = self._by_ending.get(".".join(parts).casefold(), ())
        return _spellings(found[0]) if len(found) == 1 else plain

    @cached_property
    def _tables(self) -> list[IndexedTable]:
        return self.index.tables(IndexFilter(self.scope))

    @cached_property
    def _by_ending(self) -> dict[str, list[IndexedTable]]:
        found: dict[str, list[IndexedTable]] = {}
        for table in self._tables:
            for spelling in _spellings(table):
                found.setdefault(spelling.casefold(), []).append(table)
        return found

    def _named(self, globs: Sequence[str]) -> list[IndexedTable]:
        found: dict[int, IndexedTable] = {}
        for each in globs:
            is_meant = path_glob(each)
            meant = [table for table in self._tables if is_meant(_spellings(table)[0])]
            if not meant:
                self.warnings.append(f"no documented table matches {each!r}")
            found |= {table.record_id: table for table in meant}
        return list(found.values())

    def _dialects(self) -> tuple[DatabaseType, ...]:
        """The dialects of the configured databases, else of the documented ones, else both."""
        documented = {table.database_type for table in self._tables}
        return sql_dialects(self.databases or documented)


def sql_dialects(databases: Collection[DatabaseType]) -> tuple[DatabaseType, ...]:
    """The dialects to read SQL in, for databases of these kinds; both without any."""
    return tuple(each for each in _DIALECTS if not databases or each in databases)


def _spellings(table: IndexedTable) -> tuple[str, ...]:
    return (
        f"{table.database}.{table.schema}.{table.table}",
        f"{table.schema}.{table.table}",
        table.table,
    )
