"""What the model would be asked about a table, and what it would cost for the next run of a plan."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from tribal.documenting.finish.summaries import listed_description
from tribal.documenting.units.assemble import apply_annotation
from tribal.documenting.units.contexts import unsampled_contexts
from tribal.documenting.units.lookups import Lookups
from tribal.documenting.units.neighbours import published_domain
from tribal.documenting.units.sampling import Samples, add_lookups, can_be_sampled, lookups_of, take_samples
from tribal.errors import ConfigurationError, DatabaseError, StoreError
from tribal.identity import locations
from tribal.masking import redact_text
from tribal.ports import (
    Application,
    CatalogReader,
    Clock,
    Describer,
    DocumentingOptions,
    DomainContext,
    ModelRequest,
    ObjectStore,
    RunContext,
    TableContext,
)
from tribal.store import require_record
from tribal.store.annotations import read_annotations, read_overview_annotations
from tribal.store.snapshots import schema_comments
from tribal_contracts import CatalogSlice, CatalogTable, DocumentationPlan, ModelQuote, RunOutline, WorkUnit

READ_AT_ONCE = 16
"""Units to quote at once, since S3 takes 20 ms or more per file."""


@dataclass(frozen=True, slots=True)
class _QuotedUnit:
    """The cost of a unit's tables, and how the domain will list those that have work."""

    quote: ModelQuote = field(default_factory=ModelQuote)
    listed: Mapping[str, str | None] = field(default_factory=dict)
    """By table; `None` if the model is asked first."""


@dataclass(frozen=True, slots=True)
class _PlannedDomain:
    """A domain of a plan."""

    units: Sequence[WorkUnit]
    schema_comments: Sequence[str]

    @property
    def tables(self) -> list[str]:
        """Names of its tables."""
        return [spec.fully_qualified_name for unit in self.units for spec in unit.tables]


def quoted_plan(plan: DocumentationPlan, run: RunContext) -> DocumentationPlan:
    """Add the model's cost to each unit of a plan; a domain's own call is quoted with its first unit.

    Covers every call of the next run except repairs. With `new_prose`, all tables are quoted, even those without work
    in the plan.
    """
    asked = {entry.name for entry in run.options.databases if run.options.described_by_model(entry)}
    units = [unit for unit in plan.work_units if unit.database in asked]
    if not units:
        return plan
    found = run.pool.run(lambda unit: _quoted_unit(unit, run), units, READ_AT_ONCE)
    quoted = {unit.id: of_unit for unit, of_unit in found}
    quotes = {unit_id: of_unit.quote for unit_id, of_unit in quoted.items()}
    listed = {name: text for of_unit in quoted.values() for name, text in of_unit.listed.items()}
    domains = _domains(plan, units, run)
    for domain, quote in run.pool.run(lambda domain: _quoted_domain(domain, listed, run), domains, READ_AT_ONCE):
        quotes[domain.units[0].id] += quote or ModelQuote()
    marked = [
        unit.model_copy(update={"quote": quote if (quote := quotes.get(unit.id)) and quote.calls else None})
        for unit in plan.work_units
    ]
    return plan.model_copy(update={"work_units": marked})


def asks_model(outline: RunOutline, chosen: Collection[str], run: RunContext) -> bool:
    """Whether documenting the chosen units would ask the model about a table now, whatever their plan quoted.

    Questions about domains do not count: what they show is known only when the tables are described.
    """
    asked = {entry.name for entry in run.options.databases if run.options.described_by_model(entry)}
    files = (
        locations.run_unit_file(outline.run_id, unit.id)
        for unit in outline.units
        if unit.id in chosen
        and unit.database in asked
        and (unit.tables_to_document != 0 or run.options.documenting.force)
    )
    return any(_quoted_unit(require_record(run.store, file, WorkUnit), run).quote.calls for file in files)


def _domains(plan: DocumentationPlan, units: Sequence[WorkUnit], run: RunContext) -> list[_PlannedDomain]:
    places = ((unit.database, spec.schema_name, unit.domain) for unit in plan.work_units for spec in unit.tables)
    comments = schema_comments(plan.databases, run.store, places)

    def place(unit: WorkUnit) -> tuple[str, str]:
        return unit.database, unit.domain

    domains = []
    for (database, _), group in groupby(sorted(units, key=place), key=place):
        own = list(group)
        schemas = sorted({spec.schema_name for unit in own for spec in unit.tables})
        own_comments = [comments[database, name] for name in schemas if (database, name) in comments]
        domains.append(_PlannedDomain(own, own_comments))
    return domains


def _quoted_unit(unit: WorkUnit, run: RunContext) -> _QuotedUnit:
    """The quote of a unit; empty if its annotations or slice cannot be read, which documenting will report."""
    rewrite = run.options.new_prose
    if not (unit.has_work or rewrite):
        return _QuotedUnit()
    describer = run.describers.of(unit.database)
    quote, listed = ModelQuote(), dict[str, str | None]()
    try:
        annotations = read_annotations(run.store, unit.database)
        for spec, context in unsampled_contexts(unit, run.store):
            if spec.has_work is False and not rewrite:
                continue
            of_table = describer.quote(context)
            if of_table is not None:
                quote += of_table
                listed[spec.fully_qualified_name] = None
                continue
            annotation = annotations.get((spec.schema_name, spec.table_name))
            described = apply_annotation(describer.describe_table(context), annotation, context.table)
            listed[spec.fully_qualified_name] = listed_description(described.table)
    except (ConfigurationError, StoreError):
        return _QuotedUnit()
    return _QuotedUnit(quote, listed)


def _quoted_domain(domain: _PlannedDomain, listed: Mapping[str, str | None], run: RunContext) -> ModelQuote | None:
    """The quote of a domain's own call, which shows the listed texts of its tables."""
    first = domain.units[0]
    try:
        words = read_overview_annotations(run.store, first.database).domains.get(first.domain)
    except (ConfigurationError, StoreError):
        return None
    if words and words.description:
        return None
    before = published_domain(first.database, first.domain, run.store)
    tables = [(table.name, table.description) for table in before.tables] if before else []
    now = [(name, listed.get(name, text)) for name, text in tables]
    known = [(name, text) for name, text in now if text is not None]
    changed = sorted(domain.tables) != sorted(name for name, _ in known)
    context = DomainContext(
        database=first.database,
        domain=first.domain,
        title=first.domain,
        tables=[(name, "") for name in domain.tables] if changed else known,
        schema_comments=domain.schema_comments,
    )
    return run.describers.of(first.database).quote_domain(context, changed=changed)


@dataclass(frozen=True, slots=True)
class TablePreview:
    """The questions that a run would ask about a table."""

    requests: Sequence[ModelRequest]
    kept: bool
    """Whether the answers are cached, so that a run asks nothing."""
    not_sampled: str
    """Why samples that a run would show are missing; empty if none are."""


def preview_table(
    name: str,
    unit: WorkUnit,
    describer: Describer,
    reader: CatalogReader | None,
    options: DocumentingOptions,
    app: Application,
) -> TablePreview | None:
    """What a run would ask about a table; `None` if the unit's slice does not have it.

    Args:
        reader: takes the samples; `None` for no samples.

    Raises:
        ConfigurationError: when the database's annotations cannot be used.
        StoreError: when the unit has no slice, or it cannot be read.
    """
    found = {spec.fully_qualified_name: context for spec, context in unsampled_contexts(unit, app.store())}
    context = found.get(name)
    if context is None:
        return None
    lookups = lookups_of(_lookup_tables(unit, app.store()), reader, views=options.sample_views)
    samples, reason = _samples(context, name, (reader, lookups), options, app.clock)
    context = replace(context, samples=samples.by_column, lookups=samples.lookups)
    requests = describer.requests(context)
    return TablePreview(requests, bool(requests) and describer.quote(context) is None, reason)


def _lookup_tables(unit: WorkUnit, store: ObjectStore) -> Sequence[CatalogTable]:
    if unit.slice_file is None:
        return ()
    return require_record(store, unit.slice_file, CatalogSlice, locations.slice_hash(unit.slice_file)).lookup_tables


def _samples(
    context: TableContext,
    name: str,
    source: tuple[CatalogReader | None, Lookups | None],
    options: DocumentingOptions,
    clock: Clock,
) -> tuple[Samples, str]:
    """The samples of a table, and why they are missing although a run would take them."""
    reader, lookups = source
    if reader is None or lookups is None or not can_be_sampled(context.table, views=options.sample_views):
        return Samples(), ""
    try:
        samples = take_samples(reader, context.table, options.rows_to_sample, name, clock)
        samples = add_lookups(samples, lookups, context.table, name, clock)
    except DatabaseError as error:
        return Samples(), redact_text(error.message)
    return samples, samples.warning.message if samples.warning else ""
