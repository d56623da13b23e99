"""Reports what a user may not read, and the GRANTs that would allow it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from tribal.adapters.postgres.rows import SchemaRow, ServerRow, TableRow
from tribal.ports import AccessReport, MissingGrant
from tribal.sql.dialect import qualified_table, quote_identifier


def usage_grant(schema: str, user: str) -> str:
    """The GRANT that lets a user use a schema."""
    return f"GRANT USAGE ON SCHEMA {quote_identifier(schema, 'postgres')} TO {quote_identifier(user, 'postgres')};"


def select_grant(schema: str, table: str, user: str) -> str:
    """The GRANT that lets a user select from one table."""
    name = qualified_table("", schema, table, "postgres")
    return f"GRANT SELECT ON TABLE {name} TO {quote_identifier(user, 'postgres')};"


def _select_all_grant(schema: str, user: str) -> str:
    whole, who = quote_identifier(schema, "postgres"), quote_identifier(user, "postgres")
    return f"GRANT SELECT ON ALL TABLES IN SCHEMA {whole} TO {who};"


def access_report(server: ServerRow, schemas: Sequence[SchemaRow], tables: Sequence[TableRow]) -> AccessReport:
    """Summarize what may be read; `missing` is ordered by schema and table, a schema's grant before its tables'."""
    members: dict[str, list[TableRow]] = defaultdict(list)
    for table in sorted(tables, key=lambda row: (row.schema, row.name)):
        members[table.schema].append(table)
    usable = {schema.name: schema.usable is not False for schema in schemas}
    for name, rows in members.items():
        usable.setdefault(name, rows[0].usable is not False)
    missing: list[MissingGrant] = []
    for name in sorted(usable):
        missing.extend(_missing(name, usable[name], members[name], server.user))
    return AccessReport(
        server_database=server.database,
        server_version=server.version,
        user=server.user,
        readable_schemas=tuple(name for name in sorted(usable) if usable[name]),
        unreadable_schemas=tuple(name for name in sorted(usable) if not usable[name]),
        tables_total=len(tables),
        tables_selectable=sum(bool(table.usable and table.selectable) for table in tables),
        missing=tuple(missing),
    )


def _missing(schema: str, usable: bool, tables: Sequence[TableRow], user: str) -> list[MissingGrant]:
    found = [] if usable else [MissingGrant(f"schema {schema!r}", usage_grant(schema, user))]
    closed = [table for table in tables if table.selectable is False]
    if len(closed) > 1 and len(closed) == len(tables):
        return [*found, MissingGrant(f"all tables of schema {schema!r}", _select_all_grant(schema, user))]
    return [
        *found,
        *(
            MissingGrant(f"table {table.name!r} of schema {schema!r}", select_grant(schema, table.name, user))
            for table in closed
        ),
    ]
