"""Compose a plan from catalog readings: domains, work units, priorities, slices. Touches nothing but the store."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tribal.catalog.hashing import object_hash
from tribal.catalog.identity import TableIdentity
from tribal.errors import DatabaseUnreachable, PlanError, doing
from tribal.naming import split_identifier
from tribal.planning.catalog.read_catalog import documented_tables, latest_readings, load_statistics
from tribal.planning.concurrency import at_once
from tribal.planning.domains.grouping import Evidence, Grouping, Key, group_tables
from tribal.planning.units.edits import undone_edits
from tribal.planning.units.plan_files import plan_hash
from tribal.planning.units.slices import DatabaseTables, metadata_hash, neighbours_of, write_slice
from tribal.planning.units.work_units import Chunk, cut_domain, unit_ids
from tribal.ports import Application, Clock, Embedder, ObjectStore, PlanOptions
from tribal.store import iterate_snapshot
from tribal_contracts import (
    AgentError,
    CatalogReading,
    CatalogTable,
    Complexity,
    DatabaseAnalysis,
    DatabaseEntry,
    DocumentationPlan,
    DomainMove,
    PlanSummary,
    TablePriority,
    TableSpec,
    WorkUnit,
    agent_error,
)

MINUTES_PER_TABLE = 0.001
"""Roughly the time of the rules describer and one sample; measured on one core."""

CORE_INCOMING_KEYS = 3
_SYSTEM_WORDS = frozenset(
    "audit log logs history hist tmp temp bak backup old stg staging migration migrations archive evt event".split()
)


@dataclass(frozen=True, slots=True)
class ComposedPlan:
    """A plan that has not been published yet."""

    plan: DocumentationPlan
    plan_hash: str


HasWork = Callable[[WorkUnit, TableSpec], bool]


@doing("planning")
def compose_plan(
    readings: Sequence[CatalogReading],
    app: Application,
    *,
    previous: DocumentationPlan | None,
    has_work: HasWork,
    embedder: Embedder | None = None,
) -> ComposedPlan:
    """Plan the documentation of every reading and write the slices; publishing is left to the caller.

    Without an embedder, or if it fails, tables whose schemas do not tell their domains are grouped by keys alone, and
    the plan reports it (`PLAN_DOMAIN_INFERENCE_FAILED`).

    Raises:
        PlanError: when there is nothing to document (`PLAN_EMPTY`).
        DatabaseUnreachable: when there is nothing to document because no database answered.
    """
    store, clock, options = app.store(), app.clock, app.options().planning
    by_name = {entry.name: entry for entry in app.options().databases}
    parts = [
        _plan_database(reading, by_name[reading.database], previous, store, options, embedder) for reading in readings
    ]
    chunks = [chunk for part in parts for chunk in part.chunks]
    if not chunks:
        _refuse_empty(readings)
    ids = unit_ids(chunks)
    units = [unit for part in parts for unit in part.units(ids, store)]
    units.sort(key=lambda unit: (min(spec.priority for spec in unit.tables), -_weight(unit), unit.id))
    units = [_mark(unit.model_copy(update={"priority_order": n}), has_work) for n, unit in enumerate(units, start=1)]
    moves = sorted((move for part in parts for move in part.moves), key=lambda move: move.table)
    total = sum(len(unit.tables) for unit in units)
    plan = DocumentationPlan(
        schema_version="1.0",
        generated_at=clock.published(),
        config_hash=options.config_hash,
        complexity=_complexity(total),
        databases=[part.analysis for part in parts],
        work_units=units,
        summary=PlanSummary(
            total_databases=len(readings),
            reachable_databases=sum(reading.status == "reachable" for reading in readings),
            total_tables=total,
            total_work_units=len(units),
            domain_count=len({unit.domain for unit in units}),
            total_estimated_minutes=_minutes(total),
            recommended_parallelism=min(
                at_once(options.units_at_once, [by_name[unit.database] for unit in units], app.server_of), len(units)
            ),
        ),
        errors=[
            *(error for reading in readings for error in reading.errors),
            *_inference_errors(parts, clock),
            *(
                ()
                if previous is None or options.replan
                else undone_edits(previous, _composed(parts), clock.published())
            ),
        ],
        moves=moves or None,
    )
    return ComposedPlan(plan, plan_hash(plan))


def recut(edited: DocumentationPlan, app: Application, *, has_work: HasWork) -> ComposedPlan:
    """Rewrite the units, hashes and slices of a plan whose domains were edited by hand, using the latest readings.

    Raises:
        PlanError: when no reading is left to cut from (`PLAN_EMPTY`).
    """
    planned = {analysis.name for analysis in edited.databases}
    entries = [entry for entry in app.options().databases if entry.name in planned]
    return compose_plan(latest_readings(entries, app.store()), app, previous=edited, has_work=has_work)


@dataclass(frozen=True, slots=True)
class _DatabasePart:
    analysis: DatabaseAnalysis
    chunks: tuple[Chunk, ...] = ()
    moves: tuple[DomainMove, ...] = ()
    database: DatabaseTables | None = None
    row_counts: Mapping[str, int] | None = None
    without_words: str | None = None

    def units(self, ids: Mapping[Chunk, str], store: ObjectStore) -> list[WorkUnit]:
        if self.database is None:
            return []
        places = {name: chunk for chunk in self.chunks for name in chunk.tables}
        neighbours = neighbours_of(self.database, places)
        units = []
        for chunk in self.chunks:
            specs = [
                _table_spec(
                    name, chunk, self.database, self.row_counts or {}, metadata_hash(name, self.database, neighbours)
                )
                for name in chunk.tables
            ]
            specs.sort(key=lambda spec: (spec.priority, -spec.incoming_fk_count, spec.fully_qualified_name))
            units.append(
                WorkUnit(
                    id=ids[chunk],
                    database=chunk.database,
                    domain=chunk.domain,
                    tables=specs,
                    estimated_time_minutes=_minutes(len(specs)),
                    output_directory=chunk.output_directory,
                    priority_order=0,
                    depends_on=[],
                    content_hash=object_hash(sorted([s.fully_qualified_name, s.metadata_hash] for s in specs)),
                    slice_file=write_slice(chunk, self.database, neighbours, store),
                )
            )
        return units


def _plan_database(
    reading: CatalogReading,
    entry: DatabaseEntry,
    previous: DocumentationPlan | None,
    store: ObjectStore,
    options: PlanOptions,
    embedder: Embedder | None,
) -> _DatabasePart:
    if reading.status == "unreachable" or reading.snapshot_file is None:
        return _DatabasePart(_analysis(reading, {}, {}))
    snapshot, lines = iterate_snapshot(store, reading)
    tables = list(lines)
    earlier = {} if options.replan else _earlier_domains(reading.database, previous, store)
    comments = {schema.name: schema.comment for schema in snapshot.schemas if schema.comment}
    evidence = Evidence(embedder, entry.vocabulary, comments)
    grouping = group_tables(tables, pins=entry.domains, previous=earlier, evidence=evidence)
    members: dict[str, list[str]] = defaultdict(list)
    for key, domain in grouping.domains.items():
        members[domain].append(str(TableIdentity(reading.database, *key)))
    numbers = _earlier_numbers(reading.database, previous)
    chunks = [
        chunk
        for domain, names in sorted(members.items())
        for chunk in cut_domain(reading.database, domain, names, size=options.tables_per_unit, previous=numbers)
    ]
    statistics = load_statistics(reading.database, store)
    rows = {name: table.row_count for name, table in statistics.tables.items()} if statistics else {}
    return _DatabasePart(
        _analysis(reading, members, grouping.titles),
        tuple(chunks),
        _moves(reading.database, grouping, _earlier_domains(reading.database, previous, store)),
        DatabaseTables.of(snapshot, tables),
        rows,
        grouping.without_words,
    )


def _composed(parts: Sequence[_DatabasePart]) -> dict[str, dict[str, str]]:
    """The domain of each table, by database; only databases that were read."""
    return {
        part.analysis.name: {name: domain for domain, names in part.analysis.domains.items() for name in names}
        for part in parts
        if part.analysis.status == "reachable"
    }


def _inference_errors(parts: Sequence[_DatabasePart], clock: Clock) -> list[AgentError]:
    return [
        agent_error(
            "PLAN_DOMAIN_INFERENCE_FAILED",
            f"{part.analysis.name}: new tables were given domains by schemas and keys alone: {part.without_words}",
            timestamp=clock.published(),
            context={"database": part.analysis.name},
        )
        for part in parts
        if part.without_words
    ]


def _analysis(
    reading: CatalogReading, members: Mapping[str, Sequence[str]], titles: Mapping[str, str]
) -> DatabaseAnalysis:
    reachable = reading.status == "reachable"
    return DatabaseAnalysis(
        name=reading.database,
        type=reading.type,
        status=reading.status,
        connection_error=None if reachable else next(iter(reading.errors), None),
        table_count=reading.table_count,
        schema_count=reading.schema_count,
        estimated_time_minutes=_minutes(reading.table_count),
        domains={domain: sorted(names) for domain, names in sorted(members.items())},
        schema_hash=reading.schema_hash,
        domain_titles=dict(sorted(titles.items())) or None,
        unreadable_schemas=reading.unreadable_schemas or None,
        gone_tables=reading.gone_tables or None,
        excluded_tables=reading.excluded_tables or None,
    )


def _earlier_domains(database: str, previous: DocumentationPlan | None, store: ObjectStore) -> dict[Key, str]:
    """Each table's domain in the last plan or, for a database that is not in it, in the manifest."""
    analysis = next((a for a in previous.databases if a.name == database and a.domains), None) if previous else None
    if analysis is None:
        return documented_tables(database, store)
    earlier: dict[Key, str] = {}
    for domain, names in analysis.domains.items():
        for name in names:
            identity = _identity(name)
            earlier[identity.schema, identity.table] = domain
    return earlier


def _identity(name: str) -> TableIdentity:
    try:
        return TableIdentity.parse(name)
    except ValueError as error:
        raise PlanError(f"the plan's domains name {name!r}, which is no table: {error}") from error


def _earlier_numbers(database: str, previous: DocumentationPlan | None) -> dict[str, int]:
    """The chunk number of each table in the last plan, taken from the end of its unit's folder."""
    numbers: dict[str, int] = {}
    for unit in previous.work_units if previous else ():
        last = unit.output_directory.rpartition("/")[2]
        if unit.database == database and last.isdecimal() and last != unit.domain:
            numbers |= {spec.fully_qualified_name: int(last) for spec in unit.tables}
    return numbers


def _moves(database: str, grouping: Grouping, earlier: Mapping[Key, str]) -> tuple[DomainMove, ...]:
    return tuple(
        DomainMove(table=str(TableIdentity(database, *key)), from_domain=earlier[key], to_domain=domain)
        for key, domain in grouping.domains.items()
        if key in earlier and earlier[key] != domain
    )


def _table_spec(
    name: str, chunk: Chunk, database: DatabaseTables, row_counts: Mapping[str, int], table_hash: str
) -> TableSpec:
    table = database.tables[name]
    incoming = len(database.incoming.get(name, ()))
    return TableSpec(
        fully_qualified_name=name,
        schema_name=table.schema_name,
        table_name=table.table_name,
        domain=chunk.domain,
        priority=_priority(table, incoming),
        column_count=len(table.columns),
        row_count_approx=row_counts.get(name, -1),
        incoming_fk_count=incoming,
        outgoing_fk_count=len(table.foreign_keys),
        metadata_hash=table_hash,
        existing_comment=table.comment,
    )


def _priority(table: CatalogTable, incoming: int) -> TablePriority:
    if not _SYSTEM_WORDS.isdisjoint([*split_identifier(table.schema_name), *split_identifier(table.table_name)]):
        return 3
    return 1 if incoming >= CORE_INCOMING_KEYS else 2


def _weight(unit: WorkUnit) -> int:
    return sum(spec.incoming_fk_count for spec in unit.tables)


def _mark(unit: WorkUnit, has_work: HasWork) -> WorkUnit:
    specs = [spec.model_copy(update={"has_work": has_work(unit, spec)}) for spec in unit.tables]
    return unit.model_copy(update={"tables": specs, "has_work": any(spec.has_work for spec in specs)})


def _minutes(tables: int) -> float:
    return round(max(tables * MINUTES_PER_TABLE, 0.01), 2) if tables else 0.0


def _complexity(tables: int) -> Complexity:
    if tables < 50:
        return "simple"
    return "moderate" if tables <= 200 else "complex"


def _refuse_empty(readings: Sequence[CatalogReading]) -> None:
    unreachable = Counter(reading.status for reading in readings)["unreachable"]
    messages = "; ".join(error.message for reading in readings for error in reading.errors)
    if unreachable and unreachable == len(readings):
        raise DatabaseUnreachable(messages)
    names = ", ".join(repr(reading.database) for reading in readings)
    raise PlanError(
        f"there is nothing to document in {names}: no table is readable and selected"
        + (f" ({messages})" if messages else "")
        + "; `tribal check` says what may be read, include and exclude in databases.yaml what is selected",
        code="PLAN_EMPTY",
    )
