"""The joins that a table's page shows."""

from __future__ import annotations

from tribal.identity.table_names import TableIdentity
from tribal.joins.statements import Join, SqlTable, join_sql
from tribal_contracts import DocumentedRelation, TableDocument

PAGE_JOINS = 10
"""The most joins on a page; the table of relationships lists all of them."""


def page_join(document: TableDocument, relation: DocumentedRelation) -> str:
    """The SQL that joins a table to another one."""
    other = TableIdentity.parse(relation.name)
    server = document.server_database or document.database
    pairs = tuple(zip(relation.via_columns, relation.other_columns, strict=False))
    certain = relation.relationship == "references" and relation.nullable is False
    start = SqlTable(document.schema_, document.table, server)
    return join_sql(start, [Join(SqlTable(other.schema, other.table, server), pairs, certain)], document.database_type)
