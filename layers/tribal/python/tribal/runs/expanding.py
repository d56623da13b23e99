"""Find and record the databases of entries with a list or a glob."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tribal.errors import DatabaseError, PlanError
from tribal.identity.expansion import asks_server, chosen, names_several
from tribal.identity.locations import DATABASES_FILE
from tribal.ports import Application, ObjectStore
from tribal.store import put_record_if_changed, read_record
from tribal_contracts import SCHEMA_VERSION, DatabaseEntry, ExpandedDatabases


def find_databases(app: Application, recorded: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """The databases of each entry for several databases, by the entry's name.

    A recorded database that is no longer listed is kept, since it may only be unreachable. If the server does not
    respond, the recorded ones are used.

    Raises:
        DatabaseError: when a server does not respond and nothing is recorded.
        PlanError: when a server has no database that matches (`PLAN_EMPTY`).
    """
    found = {}
    for entry in app.options().configured:
        if names_several(entry):
            found[entry.name] = chosen(entry, {*recorded.get(entry.name, ()), *_listed(entry, app, recorded)})
            if not found[entry.name]:
                raise PlanError(
                    f"the server of {entry.name!r} lists no database that matches {entry.database!r} and that this "
                    "user may connect to; change `database` in databases.yaml, or GRANT CONNECT",
                    code="PLAN_EMPTY",
                )
    return found


def _listed(entry: DatabaseEntry, app: Application, recorded: Mapping[str, Sequence[str]]) -> Sequence[str]:
    if not asks_server(entry):
        return ()
    try:
        reader = app.run.open_reader(entry)
        try:
            return reader.databases()
        finally:
            reader.close()
    except DatabaseError:
        if recorded.get(entry.name):
            return ()
        raise


def recorded_databases(store: ObjectStore) -> dict[str, list[str]]:
    """The databases that the last run found, by entry name."""
    record = read_record(store, DATABASES_FILE, ExpandedDatabases)
    return {} if record is None else record.databases


def record_databases(found: Mapping[str, Sequence[str]], store: ObjectStore) -> None:
    """Record the databases; does nothing if no entry is for several databases."""
    if found:
        databases = {name: list(several) for name, several in sorted(found.items())}
        record = ExpandedDatabases(schema_version=SCHEMA_VERSION, databases=databases)
        put_record_if_changed(store, DATABASES_FILE, record)
