"""Publishes definitions at the end of a run, and checks them between runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from tribal.documenting.definitions.build import build_definitions
from tribal.documenting.definitions.documented_tables import DocumentedTables
from tribal.documenting.definitions.query_files import QueryFile
from tribal.documenting.definitions.written import WrittenDefinitions, read_definitions
from tribal.errors import ConfigurationError
from tribal.identity import locations
from tribal.identity.table_names import TableIdentity
from tribal.ports import ObjectStore, RunContext
from tribal.store import put_record_if_changed, read_record, require_manifest
from tribal.yaml_lines import at_line
from tribal_contracts import (
    CatalogReading,
    Definitions,
    IndexableFile,
    LocatedMetric,
    LocatedTerm,
    TableDocument,
    VerifiedQuery,
)


def publish_definitions(tables: Mapping[str, IndexableFile], run: RunContext) -> None:
    """Check all definitions against the tables of a run, and publish them; problems are reported as notes.

    Raises:
        StoreError: when the store cannot be read or written.
    """
    store = run.store
    try:
        metrics, terms = run.options.metrics, run.options.terms
    except ConfigurationError as error:
        run.sink.note(f"metrics and terms of the configuration are left out: {error.message}")
        metrics, terms = (), ()
    known = _documented_tables(tables, store)
    written = read_definitions(store, known.databases, metrics, terms)
    previous = published_definitions(store)
    if written.is_empty and previous is None and not known.routines:
        return
    found = build_definitions(written, known, previous)
    put_record_if_changed(store, locations.DEFINITIONS_FILE, found)
    for message in problems(found):
        run.sink.note(message)


def published_definitions(store: ObjectStore) -> Definitions | None:
    """The definitions that the last run published; `None` if the file is missing or damaged."""
    return read_record(store, locations.DEFINITIONS_FILE, Definitions)


def current_definitions(
    store: ObjectStore, metrics: Iterable[LocatedMetric] = (), terms: Iterable[LocatedTerm] = ()
) -> Definitions:
    """The definitions as they are written now, checked against the published documents.

    Raises:
        ManifestError: when nothing is documented yet.
    """
    known = _published_tables(store)
    written = read_definitions(store, known.databases, metrics, terms)
    return build_definitions(written, known, published_definitions(store))


def check_query_file(file: QueryFile, store: ObjectStore) -> VerifiedQuery:
    """One query, checked against the published documents as if it were new.

    Raises:
        ConfigurationError: when its database is not documented.
        ManifestError: when nothing is documented yet.
    """
    found = build_definitions(WrittenDefinitions(queries=[file]), _published_tables(store), None)
    for unusable in found.unusable:
        raise at_line(unusable.file, unusable.line, unusable.message, code="DOC_QUERY_INVALID")
    return found.queries[0]


def problems(found: Definitions) -> Iterator[str]:
    """A line for each file that cannot be used, and for each definition that no longer fits its tables."""
    for file in found.unusable:
        yield f"{file.file}, line {file.line}: {file.message}"
    for item in (*found.metrics, *found.terms, *found.queries):
        for problem in item.problems:
            yield f"{item.file}, line {problem.line}: {problem.message}"


def _published_tables(store: ObjectStore) -> DocumentedTables:
    tables = {
        str(TableIdentity(file.database, file.schema_, file.table)): file
        for file in require_manifest(store).manifest.indexable_files
        if file.type == "table" and file.schema_ is not None and file.table is not None
    }
    return _documented_tables(tables, store)


def _documented_tables(tables: Mapping[str, IndexableFile], store: ObjectStore) -> DocumentedTables:
    identities = frozenset(map(TableIdentity.parse, tables))
    readings = (
        read_record(store, locations.latest_reading_file(name), CatalogReading)
        for name in sorted({each.database for each in identities})
    )
    routines = tuple(name for each in readings if each is not None for name in each.routines or ())
    return DocumentedTables(identities, partial(_document, tables, store), routines)


def _document(tables: Mapping[str, IndexableFile], store: ObjectStore, table: TableIdentity) -> TableDocument | None:
    file = tables[str(table)]
    return read_record(store, locations.DOCS + file.path, TableDocument, file.content_hash)
