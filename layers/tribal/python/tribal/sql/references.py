"""What SQL names: plain data, which is read and sent to other processes without loading the parser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

MAX_SQL_BYTES = 1 << 20
"""Source: docs/contracts.md, Knowledge."""
MAX_SQL_TOKENS = 60_000
"""Words and signs in a text, some 250 kB, which take about .8 s and 120 MB to parse."""
MAX_VIEW_CHARS = 50_000
"""A longer definition of a view is not parsed. By judgement: few are longer, and it bounds the time to about .2 s."""
MAX_SQL_NAMES = 20_000
"""Different tables, or columns, that a text may name."""

TableName = tuple[str, str]
"""Schema and table."""
ColumnName = tuple[str, str, str]
"""Schema, table and column."""


@dataclass(frozen=True, slots=True)
class TableReference:
    """A table by the parts of its name."""

    parts: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True)
class ColumnReference:
    """A column, and the table that it certainly belongs to."""

    table: tuple[str, ...] | None
    name: str
    line: int


@dataclass(frozen=True, slots=True)
class UnreadStatement:
    """SQL that could not be read.

    Attributes:
        line: where; `None` for the whole text.
    """

    reason: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class StatementReferences:
    """The tables and columns that statements name, each once, in order of appearance, and what could not be read."""

    tables: Sequence[TableReference] = ()
    columns: Sequence[ColumnReference] = ()
    unread: Sequence[UnreadStatement] = ()


@dataclass(frozen=True, slots=True)
class ViewJoin:
    """Two tables, and the pairs of their columns that a view compares, all at once."""

    one: TableName
    other: TableName
    columns: frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class ViewLineage:
    """What is certain about a view.

    Attributes:
        tables: those that it reads, also in subqueries of its columns, in order of appearance; empty for a view that
            combines several queries.
        columns: of these tables, by the column of the view that passes it through unchanged.
        joins: between tables, anywhere in the view.
    """

    tables: Sequence[TableName] = ()
    columns: Mapping[str, ColumnName] = field(default_factory=dict)
    joins: Sequence[ViewJoin] = ()


Via = Literal["direct", "computed", "aggregated", "filter"]
"""How a column gets into another: unchanged, in an expression, in an aggregate over rows, or not at all, where it only
decides which rows there are and in what order."""


@dataclass(frozen=True, slots=True, order=True)
class ColumnEdge:
    """A column that a query reads, and its output that the column gets into."""

    output: str | None
    """`None` where the column only decides which rows there are."""
    column: ColumnName
    via: Via


@dataclass(frozen=True, slots=True)
class ValueLabel:
    """A label that a query shows instead of a value of a column.

    Attributes:
        output: that shows only such labels, if there is one.
    """

    column: ColumnName
    value: str
    text: str
    output: str | None = None


@dataclass(frozen=True, slots=True)
class QueryLineage:
    """What a query reads.

    Attributes:
        tables: all of them, in order of name.
        edges: by column, in order; empty if there is a problem.
        labels: of values; a value of a column has one at most.
        problem: why the query could not be read, without a full stop.
    """

    tables: Sequence[TableName] = ()
    edges: Sequence[ColumnEdge] = ()
    labels: Sequence[ValueLabel] = ()
    problem: str | None = None
