"""Entries that the conformance body of an index writes, and short ways to read them back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tribal.identity.hashing import record_id
from tribal.ports import (
    INDEX_VERSION,
    Candidates,
    IndexEntry,
    IndexFilter,
    IndexReader,
    IndexWriter,
    VectorKind,
    VectorQuery,
    WordQuery,
)
from tribal_contracts import DocType, DocumentRecord, DomainDocument, IndexMetadata, KeyEdge, KeyGraph

EVERYWHERE = IndexFilter()
DIMENSIONS = 4
MODEL = "a-model"
HASH_A, HASH_B = "a" * 64, "b" * 64
AT = "2026-11-21T02:45:00Z"


class Index(IndexReader, IndexWriter, Protocol):
    """An index that one handle writes and reads."""


def vector(*values: float) -> NDArray[Any]:
    """A normalised vector with these first components."""
    filled = np.zeros(DIMENSIONS, dtype=np.float32)
    filled[: len(values)] = values
    normal: NDArray[Any] = filled / np.linalg.norm(filled)
    return normal


def table_entry(
    name: str = "shop.sales.orders",
    *,
    names: Sequence[str] = (),
    body: Sequence[str] = (),
    near: NDArray[Any] | None = None,
    name_near: NDArray[Any] | None = None,
    domain: str = "sales",
    content_hash: str = HASH_A,
) -> IndexEntry:
    """A table record without a document."""
    database, schema, table = name.split(".")
    record = _record("table", (database, schema, table), content_hash, domain=domain)
    return IndexEntry(record, tuple(names), tuple(body), near, name_near)


def table_entries(count: int, content_hash: str = HASH_A) -> dict[str, list[IndexEntry]]:
    """So many files, each of one table record."""
    entries = [
        table_entry(f"shop.sales.t{number}", names=["order"], near=vector(1), content_hash=content_hash)
        for number in range(count)
    ]
    return {str(entry.record.source_path): [entry] for entry in entries}


def column_entry(name: str, column: str, *, near: NDArray[Any] | None = None, names: Sequence[str] = ()) -> IndexEntry:
    """A column record."""
    database, schema, table = name.split(".")
    return IndexEntry(_record("column", (database, schema, table, column), HASH_A), tuple(names), (), near)


def domain_entry(database: str, domain: str) -> IndexEntry:
    """A domain record with its document."""
    document = DomainDocument(
        schema_version="1.0",
        database=database,
        database_type="postgres",
        domain=domain,
        title=domain.title(),
        description=f"All about {domain}.",
        tables=[],
        er_diagram="erDiagram",
        common_joins=[],
        links=[],
    )
    record = _record("domain", (database, domain), HASH_A, domain=domain)
    return IndexEntry(record.model_copy(update={"structured_domain": document}), (domain,), (), None)


def _record(
    doc_type: DocType, parts: tuple[str, ...], content_hash: str, domain: str | None = "sales"
) -> DocumentRecord:
    place = parts if doc_type != "domain" else parts[:1]
    schema, table, column = (*place[1:], None, None, None)[:3]
    return DocumentRecord(
        id=record_id(doc_type, *parts),
        doc_type=doc_type,
        database_name=parts[0],
        schema_name=schema,
        table_name=table,
        column_name=column,
        domain=domain,
        content=f"content of {'.'.join(parts)}",
        summary="a summary",
        keywords='["one", "two"]',
        file_path="x.md",
        content_hash=content_hash,
        indexed_at=AT,
        source_modified_at=AT,
        source_path=f"{'/'.join(parts)}.json",
    )


def metadata(manifest_hash: str = HASH_A) -> IndexMetadata:
    """What an index was built from."""
    return IndexMetadata(
        last_full_index=AT,
        manifest_hash=manifest_hash,
        document_count=3,
        embedding_count=2,
        index_version=INDEX_VERSION,
        embedding_model=MODEL,
        embedding_dimensions=DIMENSIONS,
        last_read={"warehouse": AT},
    )


def key_graph(*names: str) -> KeyGraph:
    """A graph of keys of these names."""
    edges = [
        KeyEdge(
            name=name,
            from_table="shop.sales.orders",
            from_columns=["a", "b"],
            to_table="shop.crm.customer",
            to_columns=["c", "d"],
            nullable=True,
            source="declared",
        )
        for name in names
    ]
    return KeyGraph(schema_version="1.0", manifest_hash=HASH_A, edges=edges)


def fill(index: Index, *entries: IndexEntry) -> None:
    """Write each entry as a file of its own and finish."""
    change(index, {str(entry.record.source_path): [entry] for entry in entries})


def change(index: Index, changed: Mapping[str, Sequence[IndexEntry]], *removed: str) -> None:
    """Publish a generation that differs from the present one by these files."""
    index.begin(MODEL, DIMENSIONS)
    index.replace(changed, removed)
    index.finish(metadata(), key_graph())


def held(index: IndexWriter) -> dict[str, str]:
    """The files of a generation that begins now, which is abandoned."""
    started = index.begin(MODEL, DIMENSIONS)
    index.abandon()
    return started


def lexical(index: IndexReader, terms: Sequence[str], doc_type: DocType, where: IndexFilter, limit: int) -> Candidates:
    """What one question by words finds."""
    (answer,) = index.candidates([WordQuery(terms, doc_type, where, limit)])
    return answer


def nearest(index: IndexReader, to: NDArray[Any], kind: VectorKind, where: IndexFilter, limit: int) -> Candidates:
    """What one question by vector finds."""
    (answer,) = index.candidates([VectorQuery(to, kind, where, limit)])
    return answer


def found(index: IndexReader, *terms: str, doc_type: DocType = "table", where: IndexFilter = EVERYWHERE) -> list[str]:
    """Names of what a lexical search finds, best first."""
    hits = lexical(index, terms, doc_type, where, 10)
    records = index.records([hit.record_id for hit in hits])
    return [str(records[hit.record_id].table_name) for hit in hits]


def near(index: IndexReader, *values: float, kind: VectorKind = "table", where: IndexFilter = EVERYWHERE) -> list[str]:
    """Names of what is near, nearest first."""
    hits = nearest(index, vector(*values), kind, where, 10)
    records = index.records([hit.record_id for hit in hits])
    return [str(records[hit.record_id].table_name) for hit in hits]
