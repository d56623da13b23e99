"""Document one table; failures become data, except those of the store."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tribal.documenting.files import write_document
from tribal.documenting.staleness import SERVER_UNAVAILABLE, TRANSIENT, input_hash, is_unchanged, waits_for_model
from tribal.documenting.units.assemble import Provenance, apply_annotation, assemble_document
from tribal.documenting.units.contexts import table_context
from tribal.documenting.units.sampling import (
    Samples,
    add_lookups,
    has_samples,
    lookups_of,
    may_not_select,
    not_sampled,
    take_samples,
)
from tribal.errors import ConnectionLost, RunError, ServerUnavailable, StoreError, TableGone
from tribal.identity import locations
from tribal.masking import redact_table, redact_text
from tribal.ports import CatalogReader, Clock, Describer, DocumentingOptions, ObjectStore
from tribal.rendering.table_page import table_page
from tribal.store.annotations import TableAnnotations
from tribal_contracts import (
    AgentError,
    CatalogSlice,
    CatalogTable,
    IndexableFile,
    TableResult,
    TableSpec,
    WorkUnit,
    WrittenFile,
    agent_error,
)


@dataclass(frozen=True, slots=True)
class UnitContext:
    """The shared inputs for documenting a unit's tables."""

    unit: WorkUnit
    part: CatalogSlice
    annotations: TableAnnotations
    store: ObjectStore
    reader: CatalogReader | None
    describer: Describer
    clock: Clock
    options: DocumentingOptions
    published: Mapping[str, str] = field(default_factory=dict)
    """The last published descriptions of neighbours, for a model."""
    postpone: bool = False
    """Whether to postpone a table whose server is unavailable, instead of documenting it without samples."""
    sampling: threading.BoundedSemaphore = field(default_factory=lambda: threading.BoundedSemaphore(1))
    """Held while a table is sampled."""

    def owner_of(self, spec: TableSpec) -> str | None:
        """The owner of a table or, without one, of its domain."""
        return self.annotations.owner_of((spec.schema_name, spec.table_name), self.unit.domain)

    def input_hash(self, spec: TableSpec, *, sampled: bool = True) -> str:
        """Hash of a table's current inputs; `sampled` is false if its samples cannot be taken."""
        return input_hash(
            self.unit,
            spec,
            self.annotations,
            describer=self.describer,
            rows_to_sample=self.options.rows_to_sample if sampled else 0,
            sample_views=self.options.sample_views,
        )


class TableDocumenter:
    """Documents the tables of one unit; thread-safe."""

    def __init__(self, shared: UnitContext) -> None:
        self._shared = shared
        self._tables = {(table.schema_name, table.table_name): table for table in shared.part.tables}
        self._lookups = lookups_of(shared.part.lookup_tables, shared.reader, views=shared.options.sample_views)
        self._lock = threading.Lock()
        self.query_ms = 0
        """Milliseconds spent on samples so far."""

    def document(self, spec: TableSpec, earlier: TableResult | None) -> TableResult:
        """Document one table; a failed result keeps the files of the last success.

        Raises:
            ServerUnavailable: when the table is postponed.
            StoreError: when the files cannot be written.
        """
        try:
            return self._document(spec, earlier)
        except (StoreError, RunError, ServerUnavailable):
            raise
        except TableGone as error:
            failure = self._failure("DOC_TABLE_GONE", error.message, spec)
        except ConnectionLost as error:
            failure = self._failure("DOC_DB_CONNECTION_LOST", error.message, spec)
        except Exception as error:  # noqa: BLE001 - one failing table must not stop the others
            failure = self._failure("DOC_TABLE_EXTRACTION_FAILED", f"{type(error).__name__}: {error}", spec)
        return TableResult(
            name=spec.fully_qualified_name,
            status="failed",
            files=earlier.files if earlier else [],
            indexable=earlier.indexable if earlier else None,
            error=same_or_newer(earlier.error if earlier else None, failure),
        )

    def _failure(self, code: str, message: str, spec: TableSpec) -> AgentError:
        name = spec.fully_qualified_name
        return agent_error(
            code,
            f"{name} was not documented: {redact_text(message)}",
            timestamp=self._shared.clock.published(),
            context={"table": name},
        )

    def _document(self, spec: TableSpec, earlier: TableResult | None) -> TableResult:
        shared = self._shared
        table = self._tables.get((spec.schema_name, spec.table_name))
        if table is None:
            raise LookupError(f"the slice {shared.unit.slice_file!r} does not have the table; run `tribal plan` again")
        # An earlier version, or a person, may have written the slice.
        table = redact_table(table, shared.part.type)
        wants_samples = shared.options.rows_to_sample > 0 and has_samples(table, views=shared.options.sample_views)
        samples = self._samples(table, spec) if wants_samples else Samples()
        if earlier is not None and self._is_better(earlier, samples, spec):
            return earlier.model_copy(update={"error": same_or_newer(earlier.error, samples.warning), "usage": None})
        annotation = shared.annotations.get((spec.schema_name, spec.table_name))
        context = table_context(shared.unit, shared.part, table, spec, samples, annotation)
        context = replace(context, published=shared.published)
        description = apply_annotation(shared.describer.describe_table(context), annotation, context.table)
        now = shared.clock.published()
        stem = locations.table_stem(shared.unit.output_directory, spec.schema_name, spec.table_name, spec.file_name)
        document = assemble_document(
            context,
            spec,
            description,
            samples,
            Provenance(
                server_database=shared.part.server_database,
                page=f"{stem}.md",
                documented_at=now,
                # A table documented without a connection counts as changed once there is a connection.
                input_hash=shared.input_hash(spec, sampled=not wants_samples or self._connected(samples)),
                annotation_line=annotation.line if annotation else None,
                owner=shared.owner_of(spec),
            ),
            shared.part.inferred_keys,
        )
        known = {file.path: file for file in earlier.files} if earlier else {}
        files = [
            self._write(f"{stem}.json", document.to_json(), known, now),
            self._write(f"{stem}.md", table_page(document, f"{stem}.md").encode(), known, now),
        ]
        return TableResult(
            name=spec.fully_qualified_name,
            status="documented",
            input_hash=document.input_hash,
            files=files,
            indexable=_indexable(files[0], shared.unit, spec),
            # A table that waits for its model is retried with samples, so the model's warning wins.
            error=same_or_newer(earlier.error if earlier else None, description.warning or samples.warning),
            usage=description.usage,
            left_to_rules=description.left_to_rules or None,
        )

    def _is_better(self, earlier: TableResult, samples: Samples, spec: TableSpec) -> bool:
        """Whether files of an earlier run with the same inputs are better than new ones without samples.

        Not if they wait for their model: some tables can never be sampled.
        """
        shared = self._shared
        if waits_for_model(earlier):
            return False
        passing = samples.warning is not None and samples.warning.code in TRANSIENT
        return passing and not shared.options.force and is_unchanged(earlier, shared.input_hash(spec), shared.store)

    def _connected(self, samples: Samples) -> bool:
        refused = samples.warning is not None and samples.warning.code == SERVER_UNAVAILABLE
        return self._shared.reader is not None and not refused

    def _samples(self, table: CatalogTable, spec: TableSpec) -> Samples:
        shared = self._shared
        if shared.reader is None or self._lookups is None:
            return Samples()
        if not table.selectable:
            return may_not_select(spec.fully_qualified_name, shared.clock)
        since = shared.clock.real()
        try:
            with shared.sampling:
                name = spec.fully_qualified_name
                samples = take_samples(shared.reader, table, shared.options.rows_to_sample, name, shared.clock)
                return add_lookups(samples, self._lookups, table, name, shared.clock)
        except ServerUnavailable as error:
            if shared.postpone:
                raise
            return not_sampled(error, spec.fully_qualified_name, shared.clock)
        finally:
            elapsed = shared.clock.elapsed_ms(since)
            with self._lock:
                self.query_ms += elapsed

    def _write(self, path: str, data: bytes, known: Mapping[str, WrittenFile], now: str) -> WrittenFile:
        return write_document(self._shared.store, path, data, now=now, earlier=known.get(path))


def _indexable(file: WrittenFile, unit: WorkUnit, spec: TableSpec) -> IndexableFile:
    return IndexableFile(
        path=file.path,
        type="table",
        database=unit.database,
        schema_=spec.schema_name,
        table=spec.table_name,
        domain=unit.domain,
        content_hash=file.content_hash,
        size_bytes=file.size_bytes,
        modified_at=file.modified_at,
        work_unit=unit.id,
    )


def same_or_newer(earlier: AgentError | None, error: AgentError | None) -> AgentError | None:
    """The new error, or the earlier one if they differ only in their time."""
    if earlier is not None and error is not None and earlier.model_copy(update={"timestamp": error.timestamp}) == error:
        return earlier
    return error
