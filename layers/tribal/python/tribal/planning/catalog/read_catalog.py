"""Read a database's structure into an immutable snapshot; the only module of the package that queries a catalog."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from tribal.errors import DatabaseError, ManifestError, TribalError, describe_unexpected, doing
from tribal.identity import locations
from tribal.identity.hashing import object_hash
from tribal.identity.table_names import TableIdentity
from tribal.masking import MASKING_VERSION, redact_text
from tribal.planning.catalog.contents import StableContents, redact_contents, stabilize
from tribal.planning.catalog.inferred_keys import ReadTables, infer_likely_keys, write_inferred_keys
from tribal.planning.catalog.lineage import read_lineage_of, write_lineage
from tribal.planning.catalog.selection import is_selected, unmatched_patterns
from tribal.ports import (
    DOCUMENT_VERSION,
    Application,
    BrokenTexts,
    CatalogContents,
    CatalogReader,
    Clock,
    ObjectStore,
    StopToken,
    UnreadPart,
)
from tribal.rendering import RENDERER_VERSION
from tribal.store import (
    UNREADABLE,
    content_hash,
    documented_before,
    iterate_snapshot,
    put_record,
    put_record_if_changed,
    read_record,
    report_damage,
    write_names,
)
from tribal_contracts import (
    AgentError,
    CatalogReading,
    CatalogSnapshot,
    CatalogStatistics,
    CatalogTable,
    DatabaseEntry,
    agent_error,
)

UNKNOWN_HASH = "0" * 64
_VERSION = f"{DOCUMENT_VERSION}.{RENDERER_VERSION}.{MASKING_VERSION}"
_TEXTS_SHOWN = 5


@doing("planning")
def read_catalog(entry: DatabaseEntry, app: Application, run_id: str, stop: StopToken | None = None) -> CatalogReading:
    """Write the database's snapshot, statistics and likely keys, and return the reading.

    The result includes failures, also unexpected ones. Unchanged files are not rewritten. The reading is stored with
    the run and, if the database was reached, as the latest one.
    """
    store = app.store()
    try:
        reading = _read(entry, app, stop or StopToken())
    except DatabaseError as error:
        reading = _unreachable(entry, error.to_agent_error(app.clock.published(), "planning"), store)
    except TribalError:
        raise
    except Exception as error:  # noqa: BLE001 - one database must not lose the others
        reading = _unreachable(entry, internal_error("reading", entry.name, error, app.clock), store)
    put_record(store, locations.run_reading_file(run_id, entry.name), reading)
    return reading


def _read(entry: DatabaseEntry, app: Application, stop: StopToken) -> CatalogReading:
    store = app.store()
    reader = app.run.open_reader(entry)
    try:
        found = _CatalogRead.of(entry, _stable_contents(entry.name, reader.read(), store))
        gone, excluded = _missing_tables(entry, found, reader, store)
        failure = _infer_keys(entry, found, reader, app, stop)
        unread = _read_lineage(entry, found, app)
    finally:
        reader.close()
    reading = _write_found(entry, found, gone, excluded, app)
    if app.options().described_by_model(entry):
        write_names(store, entry.name, found.tables)
    # Without errors, whose timestamps would make every reading differ.
    latest = reading.model_copy(update={"errors": []})
    put_record_if_changed(store, locations.latest_reading_file(entry.name), latest)
    failures = [each for each in (failure, unread) if each is not None]
    return reading.model_copy(update={"errors": [*reading.errors, *failures]}) if failures else reading


def _infer_keys(
    entry: DatabaseEntry, found: _CatalogRead, reader: CatalogReader, app: Application, stop: StopToken
) -> AgentError | None:
    """Write the likely keys; if inferring them fails unexpectedly, keep the earlier ones and return the failure."""
    read = ReadTables.of(entry.name, found.tables, found.hashes, found.contents.statistics)
    try:
        likely = infer_likely_keys(entry, read, reader, app, stop)
    except TribalError:
        raise
    except Exception as error:  # noqa: BLE001 - the structure of the database must not be lost with its likely keys
        return internal_error("inferring keys of", entry.name, error, app.clock)
    write_inferred_keys(likely, app.store())
    return None


def _read_lineage(entry: DatabaseEntry, found: _CatalogRead, app: Application) -> AgentError | None:
    """Write what views read; if that fails unexpectedly, keep what an earlier run read and return the failure."""
    tables = {
        str(TableIdentity(entry.name, *name)): table for name, table in zip(found.names(), found.tables, strict=True)
    }
    try:
        write_lineage(read_lineage_of(entry.name, entry.type, tables, app.store(), app.clock), app.store())
    except TribalError:
        raise
    except Exception as error:  # noqa: BLE001 - the structure of the database must not be lost with its lineage
        return internal_error("reading the views of", entry.name, error, app.clock)
    return None


def internal_error(doing: str, database: str, error: Exception, clock: Clock) -> AgentError:
    """An unexpected failure while planning a database; `doing` is a phrase such as "reading"."""
    return agent_error(
        "PLAN_INTERNAL",
        f"{doing} {database!r} failed unexpectedly; results of earlier runs are kept. This is a bug in Tribal "
        f"Knowledge, please report it: {redact_text(describe_unexpected(error))}",
        timestamp=clock.published(),
        context={"database": database, "error": type(error).__name__},
    )


def latest_readings(entries: Sequence[DatabaseEntry], store: ObjectStore) -> list[CatalogReading]:
    """The latest reading of each entry whose database was ever reached."""
    return [reading for entry in entries if (reading := _latest(entry.name, store)) is not None]


@dataclass(frozen=True, slots=True)
class _CatalogRead:
    stable: StableContents
    contents: CatalogContents
    tables: tuple[CatalogTable, ...]
    """The tables that the configuration selects."""
    hashes: tuple[str, ...]
    """The hash of each table's structure."""
    schema_hash: str

    @classmethod
    def of(cls, entry: DatabaseEntry, stable: StableContents) -> _CatalogRead:
        contents = redact_contents(stable.contents, entry.type)
        tables = tuple(t for t in contents.tables if is_selected(entry, t.schema_name, t.table_name))
        used = {table.schema_name for table in tables}
        schemas = [schema.model_dump(mode="json") for schema in contents.schemas if schema.name in used]
        structure = [object_hash(table.model_dump(mode="json")) for table in tables]
        return cls(
            stable, contents, tables, tuple(structure), object_hash([contents.server_database, schemas, structure])
        )

    def names(self) -> list[tuple[str, str]]:
        return [(table.schema_name, table.table_name) for table in self.tables]


def _stable_contents(database: str, contents: CatalogContents, store: ObjectStore) -> StableContents:
    last = _latest(database, store) if contents.locked or contents.changed else None
    if last is None or last.snapshot_file is None:
        return stabilize(contents, ())
    try:
        _, earlier = iterate_snapshot(store, last)
        return stabilize(contents, earlier)
    except UNREADABLE:
        return stabilize(contents, ())


def _write_found(
    entry: DatabaseEntry,
    found: _CatalogRead,
    gone: list[str],
    excluded: list[str],
    app: Application,
) -> CatalogReading:
    store, clock = app.store(), app.clock
    contents, tables = found.contents, found.tables
    used = {table.schema_name for table in tables}
    header = CatalogSnapshot(
        schema_version="1.0",
        database=entry.name,
        type=entry.type,
        server_database=contents.server_database,
        schema_hash=found.schema_hash,
        schemas=[schema for schema in contents.schemas if schema.name in used],
        table_count=len(tables),
    )
    snapshot_file = locations.snapshot_file(entry.name, found.schema_hash)
    snapshot_hash = _write_snapshot(snapshot_file, header, tables, store)
    _refresh_statistics(entry.name, found, store, clock, app.options().statistics_max_age)
    return CatalogReading(
        schema_version="1.0",
        database=entry.name,
        type=entry.type,
        status="reachable",
        server_version=contents.server_version,
        schema_hash=found.schema_hash,
        snapshot_file=snapshot_file,
        snapshot_hash=snapshot_hash,
        table_count=len(tables),
        schema_count=len(used),
        unreadable_schemas=list(contents.unreadable_schemas),
        gone_tables=gone,
        excluded_tables=excluded,
        errors=[
            *_unreadable_errors(entry.name, contents.unreadable_schemas, clock),
            *_unread_errors(entry.name, contents.unread, clock),
            *found.stable.errors(entry.name, partial(is_selected, entry), clock),
            *_broken_errors(entry, contents.broken, clock),
            *_text_errors(entry.name, contents.unreadable_texts, clock),
            *_filter_warnings(entry, contents, app),
        ],
        costs=list(contents.costs) or None,
        made_with=_VERSION,
        routines=[str(TableIdentity(entry.name, *each)) for each in contents.routines if each[0] in used] or None,
    )


def _broken_errors(entry: DatabaseEntry, broken: Iterable[BrokenTexts], clock: Clock) -> list[AgentError]:
    return [
        agent_error(
            "PLAN_DEFINITION_BROKEN",
            f"in {entry.name!r} {each.described()}",
            timestamp=clock.published(),
            context={"database": entry.name, "schema": each.schema, "table": each.table, "sqlstate": each.sqlstate},
        )
        for each in broken
        if is_selected(entry, each.schema, each.table)
    ]


def _filter_warnings(entry: DatabaseEntry, contents: CatalogContents, app: Application) -> list[AgentError]:
    """Patterns that match nothing; an entry for many databases has patterns that fit only some of them."""
    if entry.name not in {configured.name for configured in app.options().configured}:
        return []
    names = {(table.schema_name, table.table_name) for table in contents.tables} | contents.folded
    schemas = (*(schema.name for schema in contents.schemas), *contents.unreadable_schemas)
    return [
        agent_error(
            "PLAN_FILTER_UNMATCHED",
            f"in {entry.name!r} {problem}",
            timestamp=app.clock.published(),
            context={"database": entry.name},
        )
        for problem in unmatched_patterns(entry, names, schemas)
    ]


def _text_errors(database: str, where: Sequence[str], clock: Clock) -> list[AgentError]:
    if not where:
        return []
    shown = "; ".join(where[:_TEXTS_SHOWN]) + ("; and more" if len(where) > _TEXTS_SHOWN else "")
    message = (
        f"{database!r} has text that is invalid in its encoding: {shown}. Invalid bytes are shown as U+FFFD, and "
        "objects with such names are left out; correct the text"
    )
    error = agent_error(
        "PLAN_TEXT_UNREADABLE",
        message,
        timestamp=clock.published(),
        context={"database": database, "places": len(where)},
    )
    return [error]


def _write_snapshot(key: str, header: CatalogSnapshot, tables: Sequence[CatalogTable], store: ObjectStore) -> str:
    """Write a snapshot unless it is there and intact; returns the hash of its bytes."""
    present, last = content_hash(store, key), _latest(header.database, store)
    if present is not None and last is not None and last.snapshot_file == key and last.snapshot_hash == present:
        return present
    digest = hashlib.sha256()
    for item in (header, *tables):
        digest.update(item.to_compact_json() + b"\n")
    if present != digest.hexdigest():
        if present is not None:
            report_damage(store, key)
        # Serialized again instead of kept: a snapshot may not fit in memory.
        store.put_lines(key, (item.to_compact_json() for item in (header, *tables)))
    return digest.hexdigest()


def _unreadable_errors(database: str, schemas: Iterable[str], clock: Clock) -> list[AgentError]:
    return [
        agent_error(
            "PLAN_SCHEMA_UNREADABLE",
            f"schema {schema!r} of {database!r} cannot be read; `tribal check` prints the missing GRANT",
            timestamp=clock.published(),
            context={"database": database, "schema": schema},
        )
        for schema in schemas
    ]


def _unread_errors(database: str, parts: Iterable[UnreadPart], clock: Clock) -> list[AgentError]:
    return [
        agent_error(
            "PLAN_SCHEMA_UNREADABLE",
            f"{part.what} of {database!r} could not be read completely: {part.reason}",
            timestamp=clock.published(),
            context={"database": database, "part": part.what},
        )
        for part in parts
    ]


def _refresh_statistics(
    database: str, found: _CatalogRead, store: ObjectStore, clock: Clock, max_age: timedelta
) -> None:
    """Keep a table's statistics until they are older than `max_age`, since row counts always change."""
    key = locations.statistics_file(database)
    fresh = {
        str(TableIdentity(database, table.schema_name, table.table_name)): found.contents.statistics[
            table.schema_name, table.table_name
        ]
        for table in found.tables
    }
    previous = load_statistics(database, store)
    read_at = clock.published()
    if previous is not None:
        age = datetime.fromisoformat(read_at) - datetime.fromisoformat(previous.read_at)
        if timedelta(0) <= age < max_age:
            later = None if read_at == previous.read_at else read_at
            fresh = {
                name: previous.tables.get(name) or statistics.model_copy(update={"read_at": later})
                for name, statistics in fresh.items()
            }
            read_at = previous.read_at
    statistics = CatalogStatistics(schema_version="1.0", database=database, read_at=read_at, tables=fresh)
    put_record_if_changed(store, key, statistics)


def load_statistics(database: str, store: ObjectStore) -> CatalogStatistics | None:
    """The row counts and sizes read last; `None` if they are missing or unreadable."""
    return read_record(store, locations.statistics_file(database), CatalogStatistics)


def _missing_tables(
    entry: DatabaseEntry, found: _CatalogRead, reader: CatalogReader, store: ObjectStore
) -> tuple[list[str], list[str]]:
    """Documented tables missing from the reading: dropped ones, and ones excluded by the configuration."""
    present = set(found.names())
    missing = [key for key in documented_tables(entry.name, store) if key not in present]
    excluded = [key for key in missing if not is_selected(entry, *key)]
    asked = [key for key in missing if is_selected(entry, *key)]
    asked = [key for key in asked if key not in found.contents.unread_tables]
    presence = reader.presence(asked) if asked else {}
    gone = [key for key in asked if presence[key] == "gone" or key in found.contents.folded]
    return _names(entry.name, gone), _names(entry.name, excluded)


def documented_tables(database: str, store: ObjectStore) -> dict[tuple[str, str], str]:
    """The domain of each documented table of a database, by schema and table."""
    try:
        manifest = documented_before(store)
    except ManifestError:
        # Documenting will report the error; planning continues.
        manifest = None
    if manifest is None:
        return {}
    return {
        (file.schema_, file.table): file.domain
        for file in manifest.indexable_files
        if file.type == "table" and file.database == database and file.schema_ and file.table and file.domain
    }


def _names(database: str, keys: Iterable[tuple[str, str]]) -> list[str]:
    return sorted(str(TableIdentity(database, schema, table)) for schema, table in keys)


def _latest(database: str, store: ObjectStore) -> CatalogReading | None:
    return read_record(store, locations.latest_reading_file(database), CatalogReading)


def _unreachable(entry: DatabaseEntry, error: AgentError, store: ObjectStore) -> CatalogReading:
    last = _latest(entry.name, store)
    return CatalogReading(
        schema_version="1.0",
        database=entry.name,
        type=entry.type,
        status="unreachable",
        server_version="",
        schema_hash=last.schema_hash if last else UNKNOWN_HASH,
        table_count=0,
        schema_count=0,
        unreadable_schemas=[],
        gone_tables=[],
        excluded_tables=[],
        errors=[error],
    )
