"""What a describer gets to know about a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tribal.documenting.units.neighbours import published_descriptions
from tribal.documenting.units.sampling import Samples
from tribal.identity import locations
from tribal.identity.table_names import TableIdentity
from tribal.masking import redact_table
from tribal.ports import HumanDescription, ObjectStore, TableContext
from tribal.store import require_record
from tribal.store.annotations import read_annotations
from tribal_contracts import CatalogSlice, CatalogTable, TableAnnotation, TableSpec, WorkUnit


def table_context(
    unit: WorkUnit,
    part: CatalogSlice,
    table: CatalogTable,
    spec: TableSpec,
    samples: Samples,
    annotation: TableAnnotation | None,
) -> TableContext:
    """The context of a redacted table of a unit."""
    own = str(TableIdentity(unit.database, table.schema_name, table.table_name))
    return TableContext(
        database=unit.database,
        database_type=part.type,
        domain=unit.domain,
        table=table,
        row_count=spec.row_count_approx,
        incoming=tuple(key for key in part.incoming if key.table == own),
        neighbours=part.neighbours,
        samples=samples.by_column,
        lookups=samples.lookups,
        human=_human_description(annotation),
        inferred_keys=tuple(key for key in part.inferred_keys if own in (key.from_table, key.to_table)),
        reads=next((view for view in part.lineage if view.view == own), None),
        viewed=part.value_meanings.get(own, {}),
        read_by=tuple(part.read_by.get(own, ())),
    )


def unsampled_contexts(unit: WorkUnit, store: ObjectStore) -> Iterator[tuple[TableSpec, TableContext]]:
    """The contexts of a unit's tables from its slice and the annotations, without samples.

    Raises:
        ConfigurationError: when the database's annotations cannot be used.
        ObjectNotFound: when the unit has no slice.
    """
    if unit.slice_file is None:
        return
    part = require_record(store, unit.slice_file, CatalogSlice, locations.slice_hash(unit.slice_file))
    published = published_descriptions(part, store)
    annotations = read_annotations(store, unit.database)
    tables = {(table.schema_name, table.table_name): table for table in part.tables}
    for spec in unit.tables:
        place = (spec.schema_name, spec.table_name)
        if place in tables:
            table = redact_table(tables[place], part.type)
            context = table_context(unit, part, table, spec, Samples(), annotations.get(place))
            yield spec, replace(context, published=published)


def _human_description(annotation: TableAnnotation | None) -> HumanDescription:
    if annotation is None:
        return HumanDescription()
    written = {name: text.strip() for name, text in annotation.columns.items() if text.strip()}
    return HumanDescription((annotation.description or "").strip(), written)
