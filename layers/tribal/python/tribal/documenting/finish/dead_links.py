"""Remove links to tables that could not be documented, such as one dropped after planning."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tribal.documenting.files import write_document
from tribal.documenting.finish.collected_documents import CollectedDocuments, TableEntry
from tribal.documenting.relations import inferred_keys_of, relations_of
from tribal.identity import locations
from tribal.identity.table_names import TableIdentity
from tribal.ports import ObjectStore
from tribal.rendering.table_page import table_page
from tribal.store import put_record_if_changed, read_record, require_record
from tribal_contracts import (
    CatalogSlice,
    RunOutline,
    TableDocument,
    TableResult,
    UnitResult,
    WorkUnit,
    WrittenFile,
)


def rewrite_links(found: CollectedDocuments, outline: RunOutline, *, store: ObjectStore, now: str) -> None:
    """Rewrite documents that link to failed tables without a document, and update their entries in `found`.

    Links that an earlier run removed are restored once their table is documented.
    """
    links = _Links(found, outline, store, now)
    missing_by_table = links.to_missing()
    for name in sorted({*missing_by_table, *found.unlinked}):
        entry = found.tables.get(name)
        unlinked = missing_by_table.get(name, set()) | {
            n for n in found.unlinked.get(name, ()) if n not in found.tables
        }
        if entry is not None:
            found.tables[name] = links.rewritten(entry, unlinked)


@dataclass(frozen=True)
class _Links:
    found: CollectedDocuments
    outline: RunOutline
    store: ObjectStore
    now: str

    def to_missing(self) -> Mapping[str, set[str]]:
        """The missing tables that each table may link to."""
        links: dict[str, set[str]] = defaultdict(set)
        for unit_id, outcome in self.found.units.items():
            missing = {name for name in outcome.failed if name not in self.found.tables}
            part = _slice(self.store, self.outline.run_id, unit_id) if missing else None
            for name, neighbour in _keys(part) if part else ():
                if name in missing:
                    links[neighbour].add(name)
        return links

    def rewritten(self, entry: TableEntry, unlinked: set[str]) -> TableEntry:
        """Rewrite a table's files with links to all neighbours except the unlinked ones, and return its new entry."""
        document = read_record(
            self.store, locations.DOCS + entry.indexable.path, TableDocument, entry.indexable.content_hash
        )
        if document is None:
            return entry
        before = self.found.unlinked.get(entry.name, frozenset())
        whole = document if before <= unlinked else self._linked(document, entry)
        kept = whole.model_copy(
            update={
                "relations": [relation for relation in whole.relations if relation.name not in unlinked],
                "inferred_keys": [
                    key for key in whole.inferred_keys if unlinked.isdisjoint((key.from_table, key.to_table))
                ],
            }
        )
        if kept == document and unlinked == before:
            return entry
        document = kept
        page = table_page(document, entry.page_path).encode()
        written = [
            write_document(self.store, entry.indexable.path, document.to_json(), now=self.now),
            write_document(self.store, entry.page_path, page, now=self.now),
        ]
        content = written[0].model_dump(include={"content_hash", "size_bytes", "modified_at"})
        rewritten = TableEntry(entry.name, entry.indexable.model_copy(update=content), written[1])
        self._note(rewritten, written, unlinked)
        return rewritten

    def _linked(self, document: TableDocument, entry: TableEntry) -> TableDocument:
        """The document with links to all neighbours."""
        unit_id = entry.indexable.work_unit or ""
        part = _slice(self.store, self.outline.run_id, unit_id) if unit_id in self.found.units else None
        name = (document.schema_, document.table)
        for table in part.tables if part else ():
            if part and (table.schema_name, table.table_name) == name:
                incoming = [key for key in part.incoming if key.table == document.name]
                page, neighbours = entry.page_path, part.neighbours
                return document.model_copy(
                    update={
                        "relations": relations_of(table, document.database, incoming, neighbours, page),
                        "inferred_keys": inferred_keys_of(document.name, part.inferred_keys, neighbours, page),
                    }
                )
        return document

    def _note(self, entry: TableEntry, written: list[WrittenFile], unlinked: set[str]) -> None:
        key = locations.unit_result_file(entry.indexable.work_unit or "")
        result = read_record(self.store, key, UnitResult)
        if result is None:
            return
        changed = {"files": written, "indexable": entry.indexable, "unlinked": sorted(unlinked) or None}

        def noted(table: TableResult) -> TableResult:
            return table.model_copy(update=changed) if table.name == entry.name else table

        renewed = result.model_copy(update={"tables": [noted(table) for table in result.tables]})
        put_record_if_changed(self.store, key, renewed)


def _slice(store: ObjectStore, run_id: str, unit_id: str) -> CatalogSlice | None:
    unit = require_record(store, locations.run_unit_file(run_id, unit_id), WorkUnit)
    if unit.slice_file is None:
        return None
    return read_record(store, unit.slice_file, CatalogSlice, locations.slice_hash(unit.slice_file))


def _keys(part: CatalogSlice) -> Iterator[tuple[str, str]]:
    """Pairs of a table of the slice and a joined table, for each key in either direction, including likely keys."""
    for incoming in part.incoming:
        yield incoming.table, incoming.from_table
    for likely in part.inferred_keys:
        yield likely.from_table, likely.to_table
        yield likely.to_table, likely.from_table
    for table in part.tables:
        name = str(TableIdentity(part.database, table.schema_name, table.table_name))
        for key in table.foreign_keys:
            yield name, str(TableIdentity(part.database, key.references_schema, key.references_table))
