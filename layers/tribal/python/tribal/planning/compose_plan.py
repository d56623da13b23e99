"""Compose a plan from catalog readings: domains, work units, priorities and slices. Uses only the store."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tribal.errors import DatabaseUnreachable, PlanError, TribalError, doing
from tribal.identity.hashing import object_hash
from tribal.identity.table_names import TableIdentity, domain_name
from tribal.naming import split_identifier
from tribal.planning.catalog.inferred_keys import load_inferred_keys
from tribal.planning.catalog.lineage import load_lineage
from tribal.planning.catalog.read_catalog import internal_error, latest_readings, load_statistics
from tribal.planning.domains.domain_names import OtherDomains
from tribal.planning.domains.earlier_domains import EarlierDomains, domains_of_other_databases, tables_by_domain
from tribal.planning.domains.grouping import DOMAIN_RULES, Evidence, Grouping, Key, group_tables
from tribal.planning.units.edits import undone_edits
from tribal.planning.units.plan_files import plan_hash
from tribal.planning.units.slices import DatabaseTables, inferred_keys_hash, metadata_hash, neighbours_of, write_slice
from tribal.planning.units.work_units import Chunk, concurrency_limit, cut_domain, unit_ids
from tribal.ports import Application, ObjectStore, PlanOptions
from tribal.store import Write, background_writes, iterate_snapshot
from tribal_contracts import (
    AgentError,
    CatalogReading,
    CatalogStatistics,
    CatalogTable,
    Complexity,
    DatabaseAnalysis,
    DatabaseEntry,
    DocumentationPlan,
    DomainMove,
    PlanSummary,
    SliceNeighbour,
    TablePriority,
    TableSpec,
    WorkUnit,
)

MINUTES_PER_TABLE = 0.001
"""About the time of the rules describer and one sample; measured on one core."""

CORE_INCOMING_KEYS = 3
_SYSTEM_WORDS = frozenset(
    "audit log logs history hist tmp temp bak backup old stg staging migration migrations archive evt event".split()
)


@dataclass(frozen=True, slots=True)
class ComposedPlan:
    """A plan that has not been published yet."""

    plan: DocumentationPlan
    plan_hash: str
    regrouped: int = 0
    """Tables that moved because an older version of the rules had grouped them and no one had pinned them."""


HasWork = Callable[[WorkUnit, TableSpec], bool]


@doing("planning")
def compose_plan(
    readings: Sequence[CatalogReading],
    app: Application,
    *,
    previous: DocumentationPlan | None,
    has_work: HasWork,
) -> ComposedPlan:
    """Plan the documentation of every reading and write the slices; the caller publishes the plan.

    Tables grouped by an older version of the rules are regrouped once, unless someone pinned or moved them.

    Raises:
        PlanError: when there is nothing to document (`PLAN_EMPTY`).
        DatabaseUnreachable: when there is nothing to document because no database answered.
    """
    return _compose(readings, app, previous=previous, has_work=has_work, is_reviewed=False)


def _compose(
    readings: Sequence[CatalogReading],
    app: Application,
    *,
    previous: DocumentationPlan | None,
    has_work: HasWork,
    is_reviewed: bool,
) -> ComposedPlan:
    store, clock, options = app.store(), app.clock, app.options().planning
    by_name = {entry.name: entry for entry in app.options().databases}
    lasts = [EarlierDomains.of(reading.database, previous, store, options, is_reviewed) for reading in readings]
    domains_by_database = {last.database: tables_by_domain({**last.kept, **last.by_hand}) for last in lasts}
    parts = []
    for reading, last in zip(readings, lasts, strict=True):
        other_domains = domains_of_other_databases(domains_by_database, reading.database)
        part = _planned_database(reading, by_name[reading.database], last, other_domains, app)
        domains_by_database[reading.database] = tables_by_domain(part.domains)
        parts.append(part)
    chunks = [chunk for part in parts for chunk in part.chunks]
    if not chunks:
        _refuse_empty(readings, [part.failure for part in parts if part.failure is not None])
    ids = unit_ids(chunks)
    units: list[WorkUnit] = []
    with background_writes() as write:
        for number, part in enumerate(parts):
            try:
                units += part.units(ids, store, write)
            except TribalError:
                raise
            except Exception as error:  # noqa: BLE001 - one database must not lose the others
                parts[number] = part.failed(internal_error("planning", part.analysis.name, error, clock))
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
            reachable_databases=sum(part.analysis.status == "reachable" for part in parts),
            total_tables=total,
            total_work_units=len(units),
            domain_count=len({unit.domain for unit in units}),
            total_estimated_minutes=_minutes(total),
            recommended_parallelism=min(
                concurrency_limit(options.units_at_once, [by_name[unit.database] for unit in units], app.run.server_of),
                len(units),
            ),
        ),
        errors=[
            *(error for reading in readings for error in reading.errors),
            *(part.failure for part in parts if part.failure is not None),
            *(
                ()
                if previous is None or options.replan
                else undone_edits(previous, _composed(parts), clock.published())
            ),
        ],
        moves=moves or None,
    )
    regrouped = sum(len(part.moves) for part, last in zip(parts, lasts, strict=True) if last.is_regrouped)
    return ComposedPlan(plan, plan_hash(plan), regrouped)


def recompose_plan(edited: DocumentationPlan, app: Application, *, has_work: HasWork) -> ComposedPlan:
    """Rewrite the units, hashes and slices of a plan whose domains were edited, using the latest readings.

    An edited plan counts as reviewed: all its domains are kept from then on.

    Raises:
        PlanError: when no reading is left (`PLAN_EMPTY`).
    """
    planned = {analysis.name for analysis in edited.databases}
    entries = [entry for entry in app.options().databases if entry.name in planned]
    readings = latest_readings(entries, app.store())
    return _compose(readings, app, previous=edited, has_work=has_work, is_reviewed=True)


@dataclass(frozen=True, slots=True)
class _DatabasePart:
    analysis: DatabaseAnalysis
    chunks: tuple[Chunk, ...] = ()
    moves: tuple[DomainMove, ...] = ()
    database: DatabaseTables | None = None
    statistics: CatalogStatistics | None = None
    domains: Mapping[Key, str] = field(default_factory=dict)
    failure: AgentError | None = None
    """Why the database could not be planned although it was read."""

    def failed(self, failure: AgentError) -> _DatabasePart:
        """Treat the database as one that did not respond."""
        update = {"status": "unreachable", "connection_error": failure, "domains": {}}
        return _DatabasePart(self.analysis.model_copy(update=update), failure=failure)

    def units(self, ids: Mapping[Chunk, str], store: ObjectStore, write: Write) -> list[WorkUnit]:
        if self.database is None:
            return []
        places = {name: chunk for chunk in self.chunks for name in chunk.tables}
        neighbours = neighbours_of(self.database, places)
        units = []
        for chunk in self.chunks:
            specs = [_table_spec(name, chunk, self.database, self.statistics, neighbours) for name in chunk.tables]
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
                    content_hash=object_hash(sorted(_hashes(spec) for spec in specs)),
                    slice_file=write_slice(chunk, self.database, neighbours, store, write),
                )
            )
        return units


def _planned_database(
    reading: CatalogReading, entry: DatabaseEntry, last: EarlierDomains, other_domains: OtherDomains, app: Application
) -> _DatabasePart:
    """Plan one database; if that fails unexpectedly, treat it as one that did not respond."""
    store, options = app.store(), app.options().planning
    try:
        return _plan_database(reading, entry, last, other_domains, store, options)
    except TribalError:
        raise
    except Exception as error:  # noqa: BLE001 - one database must not lose the others
        failure = internal_error("planning", reading.database, error, app.clock)
    failed = reading.model_copy(update={"status": "unreachable", "errors": [failure, *reading.errors]})
    part = _plan_database(failed, entry, last, other_domains, store, options)
    return replace(part, failure=failure)


def _plan_database(
    reading: CatalogReading,
    entry: DatabaseEntry,
    last: EarlierDomains,
    other_domains: OtherDomains,
    store: ObjectStore,
    options: PlanOptions,
) -> _DatabasePart:
    chosen = {domain_name(name): name for name in (*entry.vocabulary, *entry.domains)}
    if reading.status == "unreachable" or reading.snapshot_file is None:
        analysis = _analysis(reading, {}, chosen, last.rules)
        return _DatabasePart(
            _with_names(analysis, chosen, last.named),
            domains={**last.kept, **last.by_hand},
        )
    snapshot, lines = iterate_snapshot(store, reading)
    tables = list(lines)
    evidence = Evidence(entry.vocabulary, other_domains)
    grouping = group_tables(
        tables,
        database=reading.database,
        pins=entry.domains,
        previous=last.kept,
        by_hand=last.by_hand,
        evidence=evidence,
    )
    members: dict[str, list[str]] = defaultdict(list)
    for key, domain in grouping.domains.items():
        members[domain].append(str(TableIdentity(reading.database, *key)))
    chunks = [
        chunk
        for domain, names in sorted(members.items())
        for chunk in cut_domain(reading.database, domain, names, size=options.tables_per_unit, previous=last.numbers)
    ]
    statistics, inferred = load_statistics(reading.database, store), load_inferred_keys(reading.database, store)
    analysis = _analysis(reading, members, grouping.titles, DOMAIN_RULES)
    return _DatabasePart(
        _with_names(analysis, chosen.keys() & members.keys(), last.named & members.keys()),
        tuple(chunks),
        _moves(reading.database, grouping, last.all),
        DatabaseTables.of(
            snapshot, tables, inferred.keys if inferred else (), load_lineage(reading.database, store), statistics
        ),
        statistics,
        grouping.domains,
    )


def _composed(parts: Sequence[_DatabasePart]) -> dict[str, dict[str, str]]:
    """The domain of each table, by database that was read."""
    return {
        part.analysis.name: {name: domain for domain, names in part.analysis.domains.items() for name in names}
        for part in parts
        if part.analysis.status == "reachable"
    }


def _analysis(
    reading: CatalogReading, members: Mapping[str, Sequence[str]], titles: Mapping[str, str], rules: int | None
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
        domain_rules=rules,
        unreadable_schemas=reading.unreadable_schemas or None,
        gone_tables=reading.gone_tables or None,
        excluded_tables=reading.excluded_tables or None,
        costs=reading.costs,
    )


def _with_names(analysis: DatabaseAnalysis, chosen: Iterable[str], by_hand: Iterable[str]) -> DatabaseAnalysis:
    """Add the domains named in the configuration and those named by a person in the plan."""
    names = {"chosen_domains": sorted(chosen) or None, "domains_named_by_hand": sorted(by_hand) or None}
    return analysis.model_copy(update=names)


def _moves(database: str, grouping: Grouping, earlier: Mapping[Key, str]) -> tuple[DomainMove, ...]:
    return tuple(
        DomainMove(table=str(TableIdentity(database, *key)), from_domain=earlier[key], to_domain=domain)
        for key, domain in grouping.domains.items()
        if key in earlier and earlier[key] != domain
    )


def _table_spec(
    name: str,
    chunk: Chunk,
    database: DatabaseTables,
    statistics: CatalogStatistics | None,
    neighbours: Mapping[str, SliceNeighbour],
) -> TableSpec:
    table = database.tables[name]
    incoming = len(database.incoming.get(name, ()))
    size = statistics.tables.get(name) if statistics else None
    return TableSpec(
        fully_qualified_name=name,
        schema_name=table.schema_name,
        table_name=table.table_name,
        domain=chunk.domain,
        priority=_priority(table, incoming),
        column_count=len(table.columns),
        row_count_approx=size.row_count if size else -1,
        row_count_at=(size.read_at or statistics.read_at) if size and statistics and size.row_count >= 0 else None,
        incoming_fk_count=incoming,
        outgoing_fk_count=len(table.foreign_keys),
        metadata_hash=metadata_hash(name, database, neighbours),
        inferred_keys_hash=inferred_keys_hash(name, database, neighbours),
        lineage_hash=database.readers.hash_of(name),
        existing_comment=table.comment,
        copy_of=database.copies.get(name),
        file_name=database.file_names.get(name),
    )


def _hashes(spec: TableSpec) -> list[str]:
    found = (spec.fully_qualified_name, spec.metadata_hash, spec.inferred_keys_hash, spec.lineage_hash)
    return [each for each in found if each is not None]


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


def _refuse_empty(readings: Sequence[CatalogReading], failures: Sequence[AgentError]) -> None:
    unreachable = Counter(reading.status for reading in readings)["unreachable"]
    errors = [*(error for reading in readings for error in reading.errors), *failures]
    messages = "; ".join(error.message for error in errors)
    if unreachable and unreachable == len(readings):
        raise DatabaseUnreachable(messages)
    names = ", ".join(repr(reading.database) for reading in readings)
    raise PlanError(
        f"there is nothing to document in {names}: no table is readable and selected"
        + (f" ({messages})" if messages else "")
        + "; run `tribal check` to see which tables are readable, and see include and exclude in databases.yaml",
        code="PLAN_EMPTY",
    )
