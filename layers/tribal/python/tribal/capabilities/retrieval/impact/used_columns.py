"""Which columns the SQL of a definition uses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tribal.capabilities.retrieval.checking.indexed_tables import indexed_tables
from tribal.capabilities.retrieval.toolbox import OpenIndex, Toolbox
from tribal.identity.table_names import TableIdentity, parse_name
from tribal.sql.scanner import TokenType, scan
from tribal_contracts import DatabaseType, DefinedMetric, DefinedTerm, VerifiedQuery

if TYPE_CHECKING:
    from tribal.sql.checking.findings import Checked
    from tribal.sql.checking.known import KnownTables

Definition = DefinedMetric | DefinedTerm | VerifiedQuery


@dataclass(frozen=True, slots=True)
class Used:
    """What SQL uses.

    Args:
        columns: each behind the qualified name of its table.
        words: folded names in SQL that could not be checked in full, any of which may be a column; `None` for all.
        tables: qualified names of tables of which every column counts.
    """

    columns: frozenset[tuple[str, str]] = frozenset()
    words: frozenset[str] | None = frozenset()
    tables: frozenset[str] = frozenset()

    def has(self, table: str, column: str) -> bool:
        """Whether a column of a table that the SQL uses is, or may be, used."""
        named = (table, column) in self.columns or table in self.tables
        return named or self.words is None or column.casefold() in self.words


@dataclass(slots=True)
class UsedColumns:
    """Reads the SQL of definitions, each once; call it within `reading()`."""

    opened: OpenIndex
    toolbox: Toolbox
    _used: dict[tuple[str, int, str], Used] = field(default_factory=dict)

    def uses(self, item: Definition, table: str, column: str) -> bool:
        """Whether a definition of this table uses this column of it."""
        key = (item.file, item.line, type(item).__name__)
        if key not in self._used:
            self._used[key] = _of_term(item) if isinstance(item, DefinedTerm) else self._of_sql(item)
        return self._used[key].has(table, column)

    def _of_sql(self, item: DefinedMetric | VerifiedQuery) -> Used:
        texts = [item.sql] if isinstance(item, VerifiedQuery) else _texts(item)
        inside = [each for each in self.opened.tables if each.database == item.database]
        if not inside or item.database is None:
            return Used(words=_words(texts, "postgres"))
        known = indexed_tables(item.database, self.opened, self.toolbox)
        checked = [*_checked(item, texts, known)]
        is_sure = all(each.is_valid and not each.not_checked for each in checked)
        columns = frozenset(column for each in checked for column in each.columns)
        return Used(columns, frozenset() if is_sure else _words(texts, known.dialect))


def _checked(item: DefinedMetric | VerifiedQuery, texts: Iterable[str], known: KnownTables) -> Iterable[Checked]:
    # The parser takes 0.3 s to load, so it is loaded only where there is SQL.
    from tribal.sql.checking.check import check, check_expression

    if isinstance(item, VerifiedQuery):
        return [check(item.sql, known)]
    tables = [TableIdentity.parse(name) for name in item.tables]
    places = [(each.schema, each.table) for each in tables]
    return [check_expression(text, places, known) for text in texts]


def _texts(metric: DefinedMetric) -> list[str]:
    return [metric.expression, *metric.filters, *([metric.time_column] if metric.time_column else [])]


def _of_term(term: DefinedTerm) -> Used:
    """Return the columns that a term names, and its tables of which it names no column."""
    split = [parse_name(name) for name in term.columns]
    columns = frozenset((str(TableIdentity(*parts[:3])), parts[3]) for parts in split)
    return Used(columns, tables=frozenset(term.tables) - {table for table, _ in columns})


def _words(texts: Iterable[str], dialect: DatabaseType) -> frozenset[str] | None:
    tokens = [token for text in texts for token in scan(text.replace("(*)", "()"), dialect)]
    if any(token.text == "*" for token in tokens):
        return None
    return frozenset(token.text.strip('"').casefold() for token in tokens if token.type is TokenType.NAME)
