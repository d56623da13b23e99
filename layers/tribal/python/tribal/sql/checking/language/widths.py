"""How many columns a part of a query must have."""

from __future__ import annotations

from tribal.sql.checking.findings import Notes
from tribal.sql.checking.names import offset_of
from tribal.sql.checking.relations import Column, Relation
from tribal.sql.parsing import exp

COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)


def columns_of_values(node: exp.Values, notes: Notes) -> list[Column]:
    """The columns of a list of rows, which must all have as many."""
    widths = [len(row.expressions) if isinstance(row, exp.Tuple) else 1 for row in node.expressions]
    odd = next((row for row, width in zip(node.expressions, widths, strict=True) if width != widths[0]), None)
    if odd is not None:
        notes.report(offset_of(odd), "parse_error", "the rows of VALUES must all have the same number of columns")
    return [Column(f"column{number}") for number in range(1, (widths[0] if widths else 0) + 1)]


def check_width(query: exp.Expr, result: Relation, notes: Notes) -> None:
    """Report a query in an expression that has more columns, or fewer, than what it is compared with."""
    node, above = query, query.parent
    while isinstance(above, exp.Subquery | exp.Paren | exp.Any | exp.All):
        node, above = above, above.parent
    if above is None or isinstance(above, exp.Exists) or result.is_open:
        return
    other: exp.Expr | None = None
    if isinstance(above, exp.In) and node is not above.this:
        other = above.this
    elif isinstance(above, COMPARISONS):
        other = above.this if node is above.expression else above.expression
    width = _width(other)
    if width is not None and width != len(result.columns):
        columns = "one column" if width == 1 else f"{width} columns"
        notes.report(offset_of(query), "parse_error", f"this query must have {columns}, and has {len(result.columns)}")


def check_rows(node: exp.Expr, notes: Notes) -> None:
    """Report rows that are compared, and have different numbers of values."""
    others = node.expressions if isinstance(node, exp.In) else [node.expression]
    for other in others if isinstance(node.this, exp.Tuple) else ():
        if isinstance(other, exp.Tuple) and len(other.expressions) != len(node.this.expressions):
            notes.report(offset_of(other), "parse_error", "rows that are compared must have the same number of values")


def _width(other: exp.Expr | None) -> int | None:
    """The number of columns of what a query is compared with; 1 where it is a value; `None` if it is not certain."""
    other = other.unnest() if other is not None else None
    if isinstance(other, exp.Tuple):
        return len(other.expressions)
    if isinstance(other, exp.Query | exp.Anonymous):
        return None
    return 1
