"""Tables that were locked while the catalog was read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tribal.ports import CatalogContents, Clock, SchemaAndTable
from tribal_contracts import AgentError, CatalogTable, agent_error


def keep_earlier(contents: CatalogContents, earlier: Iterable[CatalogTable]) -> CatalogContents:
    """Replace locked tables by their state in an earlier reading, if they are in it.

    A passing lock must not look like a change of structure: the table's documents, and every hash that covers it,
    would be rewritten now and again after the next reading.
    """
    kept = {key: table for table in earlier if (key := (table.schema_name, table.table_name)) in contents.locked}
    tables = tuple(kept.get((table.schema_name, table.table_name), table) for table in contents.tables)
    return replace(contents, tables=tables)


def locked_errors(database: str, tables: Iterable[SchemaAndTable], clock: Clock) -> list[AgentError]:
    """A warning for each locked table."""
    return [
        agent_error(
            "PLAN_TABLE_LOCKED",
            f"table {'.'.join(table)!r} of {database!r} was locked, so that what an earlier run read of it is used "
            "where there is any; plan again when the lock is gone",
            timestamp=clock.published(),
            context={"database": database, "schema": table[0], "table": table[1]},
        )
        for table in tables
    ]
