"""Whether a table's documentation is up to date."""

from __future__ import annotations

from datetime import datetime

from tribal.documenting.files import is_intact
from tribal.errors import ConfigurationError
from tribal.identity import locations
from tribal.identity.hashing import object_hash
from tribal.masking import MASKING_VERSION
from tribal.ports import DOCUMENT_VERSION, Clock, Describer, DocumentingOptions, ObjectStore
from tribal.rendering import RENDERER_VERSION
from tribal.store import read_record
from tribal.store.annotations import TableAnnotations, read_annotations
from tribal_contracts import TableResult, TableSpec, UnitResult, WorkUnit

WAITING = frozenset(("DOC_BUDGET_EXHAUSTED", "DOC_LLM_FAILED"))
"""Codes of tables that rules describe until a model answers; the next run asks it again."""
SERVER_UNAVAILABLE = "DOC_SERVER_UNAVAILABLE"
TRANSIENT = frozenset(("DOC_SAMPLING_TIMEOUT", SERVER_UNAVAILABLE))
"""Codes of temporary sampling failures, such as a lock; the next run tries again."""


def input_hash(
    unit: WorkUnit,
    spec: TableSpec,
    annotations: TableAnnotations,
    *,
    describer: Describer,
    rows_to_sample: int,
    sample_views: bool,
) -> str:
    """Hash of all inputs of a table's documentation except row counts and sample values."""
    place = (spec.schema_name, spec.table_name)
    annotation = annotations.get(place)
    return object_hash(
        [
            spec.metadata_hash,
            spec.inferred_keys_hash,
            spec.lineage_hash,
            unit.domain,
            locations.table_stem(unit.output_directory, spec.schema_name, spec.table_name, spec.file_name),
            annotation.model_dump(mode="json") if annotation else None,
            annotations.owner_of(place, unit.domain),
            describer.version,
            DOCUMENT_VERSION,
            RENDERER_VERSION,
            MASKING_VERSION,
            rows_to_sample,
            sample_views,
        ]
    )


def is_unchanged(earlier: TableResult | None, wanted: str, store: ObjectStore) -> bool:
    """Whether an earlier result was made from the same inputs and its files are intact."""
    return (
        earlier is not None
        and earlier.status == "documented"
        and earlier.input_hash == wanted
        and all(is_intact(store, file) for file in earlier.files)
    )


def waits_for_model(earlier: TableResult) -> bool:
    """Whether a table is described by rules until its model answers."""
    return earlier.error is not None and earlier.error.code in WAITING


def needs_refresh(earlier: TableResult, clock: Clock, options: DocumentingOptions) -> bool:
    """Whether to document a table again although its inputs are unchanged: for counts, samples or its model."""
    if not options.refresh:
        return False
    passing = earlier.error is not None and earlier.error.code in TRANSIENT and options.rows_to_sample > 0
    return passing or waits_for_model(earlier) or _is_too_old(earlier, clock, options)


def _is_too_old(earlier: TableResult, clock: Clock, options: DocumentingOptions) -> bool:
    if options.max_age is None or earlier.indexable is None:
        return False
    age = datetime.fromisoformat(clock.published()) - datetime.fromisoformat(earlier.indexable.modified_at)
    return age > options.max_age


class WorkInspector:
    """Finds tables that need documenting; caches the last unit's result and every database's annotations."""

    def __init__(self, *, store: ObjectStore, describer: Describer, clock: Clock, options: DocumentingOptions) -> None:
        self._store = store
        self._describer = describer
        self._clock = clock
        self._options = options
        self._annotations: dict[str, TableAnnotations | None] = {}
        self._unit_id = ""
        self._results: dict[str, TableResult] = {}

    def is_current(self, unit: WorkUnit, spec: TableSpec) -> bool:
        """Whether a table's documentation is up to date."""
        annotations = self._annotations_of(unit.database)
        if annotations is None or self._options.force:
            return False
        if unit.id != self._unit_id:
            result = read_record(self._store, locations.unit_result_file(unit.id), UnitResult)
            self._unit_id = unit.id
            self._results = {table.name: table for table in result.tables} if result else {}
        earlier = self._results.get(spec.fully_qualified_name)
        wanted = input_hash(
            unit,
            spec,
            annotations,
            describer=self._describer,
            rows_to_sample=self._options.rows_to_sample,
            sample_views=self._options.sample_views,
        )
        unchanged = is_unchanged(earlier, wanted, self._store)
        return unchanged and earlier is not None and not needs_refresh(earlier, self._clock, self._options)

    def _annotations_of(self, database: str) -> TableAnnotations | None:
        if database not in self._annotations:
            try:
                self._annotations[database] = read_annotations(self._store, database)
            except ConfigurationError:
                # Documenting will report the error with its line; planning continues.
                self._annotations[database] = None
        return self._annotations[database]
