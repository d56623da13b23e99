"""The tables and columns that a view shows."""

from __future__ import annotations

from tribal.ports import TableContext
from tribal.sql.references import ViewLineage


def lineage_of(context: TableContext) -> ViewLineage:
    """What the definition of a view says for certain; nothing for a table."""
    query = context.table.view_query or context.table.view_definition
    if not query:
        return ViewLineage()
    # Loads sqlglot.
    from tribal.sql.lineage import view_lineage

    return view_lineage(query, context.database_type)
