"""The tables of a schema as documenting gets them: planned by the users' command, and read from the slices."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

from bench.measure import CommandFailedError
from servers.postgres import EmbeddedServer
from tribal.identity.table_names import TableIdentity
from tribal.ports import TableContext
from tribal_contracts import CatalogSlice, DocumentationPlan


def planned_tables(server: EmbeddedServer, name: str, schema: Path, scratch: Path, tribal: Path) -> list[TableContext]:
    """The tables of a schema, without samples.

    Raises:
        CommandFailedError: when `tribal plan` fails.
    """
    database, project = f"slices_{name}", scratch / f"slices-{name}"
    server.ensure_database(database, schema)
    project.mkdir()
    command = [str(tribal), "plan", server.dsn(database), "--project", str(project), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CommandFailedError(f"tribal plan of {database} ended with {done.returncode}:\n{done.stderr}")
    plan = DocumentationPlan.from_json(done.stdout.encode())
    found = [context for unit in plan.work_units for context in _tables(project / str(unit.slice_file), unit.domain)]
    return sorted(found, key=lambda context: (context.table.schema_name, context.table.table_name))


def _tables(file: Path, domain: str) -> Iterator[TableContext]:
    part = CatalogSlice.from_json(file.read_bytes())
    for table in part.tables:
        own = str(TableIdentity(part.database, table.schema_name, table.table_name))
        yield TableContext(
            database=part.database,
            database_type=part.type,
            domain=domain,
            table=table,
            row_count=-1,
            incoming=tuple(key for key in part.incoming if key.table == own),
            neighbours=part.neighbours,
            samples={},
            inferred_keys=tuple(key for key in part.inferred_keys if own in (key.from_table, key.to_table)),
        )
