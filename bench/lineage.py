"""Does the lineage of views name what PostgreSQL itself records that they read?

`python -m bench.lineage`; needs `TRIBAL_BENCH_DATA`. Every single schema is loaded and read by the product, and the
lineage of each view is compared with `pg_depend`: the tables, and the columns, which `information_schema.
view_column_usage` shows too. Every difference is written to a file, and so is the lineage of views with common table
expressions, set operations and window functions, to be read by a person.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing

from bench.harness import Bench, Row, Table, run, write_report
from bench.question_sets import SAME_AS_ANOTHER, loadable, schema_files
from tests.plugins.postgres import connected
from tribal.adapters.postgres.catalog import PostgresCatalog
from tribal.settings.dsn import parse_dsn
from tribal.sql.column_lineage import read_lineage
from tribal.sql.references import ColumnName, QueryLineage, TableName
from tribal_contracts import CatalogTable
from tribal_demo.server.postgres import EmbeddedServer

_RECORDED = """
    SELECT DISTINCT n.nspname::text, v.relname::text, rn.nspname::text, r.relname::text, a.attname::text
    FROM pg_rewrite w
    JOIN pg_class v ON v.oid = w.ev_class
    JOIN pg_namespace n ON n.oid = v.relnamespace
    JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid
        AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> w.ev_class
    JOIN pg_class r ON r.oid = d.refobjid
    JOIN pg_namespace rn ON rn.oid = r.relnamespace
    LEFT JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum = d.refobjsubid AND d.refobjsubid > 0
    WHERE v.relkind IN ('v', 'm')
"""
_WORTH_READING = re.compile(r"\bWITH\b|\bUNION\b|\bINTERSECT\b|\bEXCEPT\b|\bOVER\b|\bLATERAL\b|\bGROUPING\b")


def tables(bench: Bench) -> Iterator[Table]:
    """Compare the views of every schema, then list the differences."""
    differences: list[str] = []
    to_read: list[str] = []
    rows = []
    for name, file in schema_files(bench.data).items():
        if name != SAME_AS_ANOTHER:
            bench.server.ensure_database(name, loadable(file))
            rows.append(_compared(bench.server, name, differences, to_read))
    rows = [row for row in rows if row["views"]]
    keys = ("views", "tables equal", "columns equal", "unread")
    rows.append({"schema": "all", **{key: sum(int(row[key] or 0) for row in rows) for key in keys}})
    remarks = [write_report("lineage-differences", differences), write_report("lineage", to_read)]
    yield Table("views whose lineage equals pg_depend", rows, remarks)


def _compared(server: EmbeddedServer, database: str, differences: list[str], to_read: list[str]) -> Row:
    with closing(PostgresCatalog(parse_dsn(server.dsn(database), {}))) as catalog:
        read = {(table.schema_name, table.table_name): table for table in catalog.read().tables}
    columns = {name: [column.name for column in table.columns] for name, table in read.items()}
    recorded = _recorded(server, database, columns)
    counts = {"views": 0, "tables equal": 0, "columns equal": 0, "unread": 0}
    slowest = 0.0
    for name, table in read.items():
        if table.view_definition is None:
            continue
        started = time.process_time()
        found = read_lineage(table.view_definition, "postgres", columns, columns[name])
        slowest = max(slowest, time.process_time() - started)
        expected_tables, expected = recorded.get(name, (set(), set()))
        seen = {edge.column for edge in found.edges}
        counts["views"] += 1
        counts["tables equal"] += set(found.tables) == expected_tables
        counts["columns equal"] += seen == expected
        counts["unread"] += found.problem is not None
        label = f"{database}: {'.'.join(name)}"
        if seen != expected or set(found.tables) != expected_tables or found.problem:
            differences.append(f"{label}: {found.problem or ''} more {seen - expected}, fewer {expected - seen}")
        if _WORTH_READING.search(table.view_definition):
            to_read += _page(label, table, found)
    return {"schema": database, **counts, "slowest ms": round(slowest * 1_000)}


def _recorded(
    server: EmbeddedServer, database: str, columns: Mapping[TableName, Sequence[str]]
) -> dict[TableName, tuple[set[TableName], set[ColumnName]]]:
    found: dict[TableName, tuple[set[TableName], set[ColumnName]]] = {}
    with connected(server.dsn(database)) as connection:
        for schema, view, read_schema, read_table, column in connection.run(_RECORDED):
            if (read_schema, read_table) in columns:
                names, read = found.setdefault((schema, view), (set(), set()))
                names.add((read_schema, read_table))
                if column is not None:
                    read.add((read_schema, read_table, column))
    return found


def _page(label: str, table: CatalogTable, found: QueryLineage) -> list[str]:
    edges = [f"- {edge.output or '(rows)'} <- {'.'.join(edge.column)} {edge.via}" for edge in found.edges]
    return [f"## {label}", "", "```sql", table.view_definition or "", "```", "", *edges, ""]


if __name__ == "__main__":
    sys.exit(run("lineage", tables))
