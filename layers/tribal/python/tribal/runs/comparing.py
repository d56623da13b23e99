"""Compare the databases with the last run, and predict which documents would change. Writes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tribal.errors import ObjectDamaged, ObjectNotFound, PlanError, StoreError
from tribal.identity import locations
from tribal.identity.changes import Change, TableChange, TableFate, compare_tables
from tribal.identity.hashing import bytes_hash
from tribal.identity.repeated_keys import without_repeated_keys
from tribal.identity.table_names import TableIdentity
from tribal.masking import redact_table, redact_text
from tribal.planning import compose_plan, latest_readings, load_plan, read_catalog
from tribal.ports import Application, ObjectInfo, ObjectStore, Provider, StopToken, StoredObject
from tribal.rendering.words import shorten
from tribal.runs.pipeline import work_marker
from tribal.store import iterate_snapshot, read_record
from tribal_contracts import CatalogReading, CatalogTable, DocumentationPlan

VALUE_CHARS = 500
"""Characters shown of a value."""
FULL_VALUE_CHARS = 1_000_000
"""Characters shown of a value with `--full`."""
_LEAD = 100
"""Characters shown before the first difference."""


def show_change(change: Change, limit: int) -> Change:
    """The change with values redacted and truncated, visibly, to about `limit` characters.

    Two long values with the same beginning are shown from shortly before their first difference, so that truncation
    never hides the change.
    """
    before, after = change.before, change.after
    start = 0
    if before is not None and after is not None:
        pairs = enumerate(zip(before, after, strict=False))
        alike = next((place for place, (one, other) in pairs if one != other), min(len(before), len(after)))
        if alike > limit - _LEAD:
            start = alike - _LEAD
    return replace(change, before=_shown(before, start, limit), after=_shown(after, start, limit))


def _shown(value: str | None, start: int, limit: int) -> str | None:
    if value is None:
        return None
    # Text far beyond the limit need not be searched for secrets.
    text = redact_text(value[start : start + 4 * limit])
    if start == 0 and len(text) <= limit:
        return text
    part = shorten(text, limit)
    more = "" if limit >= FULL_VALUE_CHARS else "; --full shows all"
    place = f"from character {start + 1:,}" if start else f"the first {limit:,}"
    return f"{'…' * bool(start)}{part} ({place} of {len(value):,} characters{more})"


_RUN = "comparison"


@dataclass(frozen=True, slots=True)
class DatabaseChanges:
    """The changes in one database; `problem` says why it could not be compared."""

    database: str
    tables: tuple[TableChange, ...] = ()
    problem: str | None = None
    versions_differ: bool = False
    """Whether another version of this program read the earlier state; a change may be what only one of them reads."""


@dataclass(frozen=True, slots=True)
class DocumentChanges:
    """Fully qualified names of the tables whose documents the next run would write or remove."""

    to_write: tuple[str, ...]
    to_remove: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """All changes; `documents` is `None` when two recorded runs were compared."""

    databases: tuple[DatabaseChanges, ...]
    documents: DocumentChanges | None = None

    @property
    def changed(self) -> bool:
        """Whether anything is different."""
        documents = self.documents
        return any(database.tables for database in self.databases) or bool(
            documents and (documents.to_write or documents.to_remove)
        )

    @property
    def complete(self) -> bool:
        """Whether every database could be compared."""
        return all(database.problem is None for database in self.databases)


def compare_with_databases(app: Application, *, value_chars: int = VALUE_CHARS) -> Comparison:
    """Compare each database's current state with the last run, and compose the next plan without writing it.

    Raises:
        PlanError: when no run has read any of the databases yet.
        DatabaseUnreachable: when no database responded.
    """
    entries = app.options().databases
    before = {reading.database: reading for reading in latest_readings(entries, app.store())}
    if not before:
        names = ", ".join(repr(entry.name) for entry in entries)
        raise PlanError(f"no run has read {names} yet; start with `tribal run`", code="DOC_PLAN_NOT_FOUND")
    overlay = OverlayStore(app.store())
    app = replace(app, store=Provider.of(overlay))
    after = [read_catalog(entry, app, _RUN) for entry in entries]
    databases = [
        _compared(reading.database, before.get(reading.database), reading, overlay, value_chars) for reading in after
    ]
    plan = _next_plan(after, app)
    return Comparison(tuple(databases), _documents(plan, after))


def compare_runs(first: str, second: str | None, *, store: ObjectStore, value_chars: int = VALUE_CHARS) -> Comparison:
    """Compare what two recorded runs read; without a second run, compare the first with the last reading.

    Raises:
        PlanError: when a run is not recorded, or read no database.
    """
    before = _recorded(first, store)
    after = _recorded(second, store) if second else {}
    names = sorted(before.keys() | after.keys())
    if second is None:
        after = {name: reading for name in names if (reading := _last_read(name, store)) is not None}
    return Comparison(tuple(_compared(name, before.get(name), after.get(name), store, value_chars) for name in names))


def _last_read(database: str, store: ObjectStore) -> CatalogReading | None:
    return read_record(store, locations.latest_reading_file(database), CatalogReading)


def _recorded(run_id: str, store: ObjectStore) -> dict[str, CatalogReading]:
    prefix = f"{locations.RUNS}{run_id}/catalog/"
    keys = [key for key in store.keys(prefix) if key.endswith(".json")] if run_id else []
    if not keys:
        known = sorted({key.split("/")[2] for key in store.keys(locations.RUNS) if "/catalog/" in key})
        there = f"the latest are {', '.join(known[-5:])}" if known else "no run has been recorded yet"
        raise PlanError(
            f"{store.location} has no run {run_id!r} that read a database; {there}",
            code="DOC_PLAN_NOT_FOUND",
        )
    readings = {key: read_record(store, key, CatalogReading) for key in keys}
    damaged = next((key for key, reading in readings.items() if reading is None), None)
    if damaged is not None:
        raise PlanError(
            f"{damaged} in {store.location} is damaged, so run {run_id!r} cannot be compared; choose another run",
            code="DOC_PLAN_INVALID",
        )
    return {reading.database: reading for reading in readings.values() if reading is not None}


def _compared(
    database: str,
    before: CatalogReading | None,
    after: CatalogReading | None,
    store: ObjectStore,
    value_chars: int,
) -> DatabaseChanges:
    for reading, when in ((before, "before"), (after, "now")):
        if reading is None or reading.snapshot_file is None:
            problem = reading.errors[0].message if reading and reading.errors else f"it was not read {when}"
            return DatabaseChanges(database, problem=problem)
    assert before is not None
    assert after is not None
    if before.schema_hash == after.schema_hash:
        return DatabaseChanges(database)
    try:
        found = compare_tables(_tables(before, store), _tables(after, store))
    except (ObjectDamaged, ObjectNotFound) as error:
        return DatabaseChanges(database, problem=error.message)
    return DatabaseChanges(
        database,
        tuple(
            replace(
                change,
                fate=_fate(change, after),
                changes=tuple(show_change(inside, value_chars) for inside in change.changes),
            )
            for change in found
        ),
        versions_differ=before.made_with != after.made_with,
    )


def _tables(reading: CatalogReading, store: ObjectStore) -> Iterator[CatalogTable]:
    # An earlier version may have stored what this one hides or lists once.
    return (redact_table(without_repeated_keys(table), reading.type) for table in iterate_snapshot(store, reading)[1])


def _fate(change: TableChange, after: CatalogReading) -> TableFate:
    """What happened to a table: a missing one may be dropped, hidden from this user, or excluded."""
    if change.fate != "dropped":
        return change.fate
    if str(TableIdentity(after.database, change.schema, change.table)) in after.excluded_tables:
        return "excluded"
    return "unreadable" if change.schema in after.unreadable_schemas else "dropped"


def _next_plan(readings: Sequence[CatalogReading], app: Application) -> DocumentationPlan | None:
    """The plan that the next run would create; `None` if there is nothing to document."""
    try:
        previous: DocumentationPlan | None = load_plan(app.store())
    except PlanError:
        previous = None
    # Age alone does not change a document.
    has_work = work_marker(app, replace(app.options().documenting, refresh=False), app.run.describers("", StopToken()))
    try:
        return compose_plan(readings, app, previous=previous, has_work=has_work).plan
    except PlanError as error:
        if error.code != "PLAN_EMPTY":
            raise
        return None


def _documents(plan: DocumentationPlan | None, readings: Sequence[CatalogReading]) -> DocumentChanges:
    units = plan.work_units if plan else []
    to_write = (spec.fully_qualified_name for unit in units for spec in unit.tables if spec.has_work)
    to_remove = (name for reading in readings for name in (*reading.gone_tables, *reading.excluded_tables))
    return DocumentChanges(tuple(sorted(to_write)), tuple(sorted(set(to_remove))))


class OverlayStore:
    """Reads through to a real store and keeps writes in memory; nothing reaches the real store.

    Slices are discarded at once, since planning only writes them and never reads them.
    """

    def __init__(self, real: ObjectStore) -> None:
        self._real = real
        self._written: dict[str, bytes] = {}

    @property
    def location(self) -> str:
        """The location of the real store."""
        return self._real.location

    def get(self, key: str) -> StoredObject:
        """The object written here, or the one in the real store."""
        data = self._written.get(key)
        return self._real.get(key) if data is None else StoredObject(data, bytes_hash(data))

    def lines(self, key: str) -> Iterator[bytes]:
        """The object's lines."""
        data = self._written.get(key)
        return self._real.lines(key) if data is None else iter(data.removesuffix(b"\n").split(b"\n"))

    def put(self, key: str, data: bytes, *, if_match: str | None = None, if_absent: bool = False) -> str:
        """Keep an object in memory; conditional puts are not supported."""
        if if_match is not None or if_absent:
            raise StoreError("an overlay does not support conditional puts")
        if "/slices/" not in key:
            self._written[key] = data
        return bytes_hash(data)

    def put_lines(self, key: str, lines: Iterable[bytes]) -> str:
        """Keep an object made of lines in memory."""
        return self.put(key, b"".join(line + b"\n" for line in lines))

    def put_file(self, key: str, path: Path, *, if_absent: bool = False) -> str:
        """Keep an object from a file in memory."""
        return self.put(key, path.read_bytes(), if_absent=if_absent)

    def get_file(self, key: str, path: Path) -> str:
        """Copy an object to a file."""
        data = self.get(key).data
        path.write_bytes(data)
        return bytes_hash(data)

    def head(self, key: str) -> ObjectInfo | None:
        """Metadata of an object, written here or in the real store."""
        data = self._written.get(key)
        if data is None:
            return self._real.head(key)
        return ObjectInfo(key, len(data), bytes_hash(data), bytes_hash(data))

    def keys(self, prefix: str = "") -> Iterator[str]:
        """Keys of both stores, in order."""
        own = {key for key in self._written if key.startswith(prefix)}
        yield from sorted(own | set(self._real.keys(prefix)))

    def delete(self, key: str) -> None:
        """Discard what was written here; the real store is unaffected."""
        self._written.pop(key, None)

    def erase(self, key: str) -> None:
        """Discard what was written here; the real store is unaffected."""
        self.delete(key)
