"""The expression by which a view computes a column. It parses SQL, so it is imported where there is a view to read."""

from __future__ import annotations

from tribal.sql.parsing import NotParsed, exp, parse_query
from tribal_contracts import DatabaseType


def expression_of(definition: str, column: str, kind: DatabaseType) -> str | None:
    """Return the expression of a column of a view, as SQL; `None` where that is unclear.

    Args:
        definition: the query of the view.
        column: as the view calls it.
        kind: the dialect.
    """
    try:
        query = parse_query(definition, kind)
    except NotParsed:
        return None
    select = query.find(exp.Select)
    for each in select.expressions if select is not None else ():
        if each.alias_or_name == column and isinstance(each, exp.Alias):
            return str(each.this.sql(dialect=kind))
    return None
