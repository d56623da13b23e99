"""The layout of an index in OpenSearch: settings, mappings, and how a record becomes a document.

A single shard holds everything, so that a refresh becomes visible atomically and term statistics cover all tables.
Periodic refresh is off: a writer refreshes when its changes are complete.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from tribal.identity.hashing import object_hash
from tribal.joins.graph import is_junction
from tribal.ports import IndexEntry, VectorKind
from tribal_contracts import DocType, TableDocument

if TYPE_CHECKING:
    from numpy.typing import NDArray

PUBLISHED = {"index.auto_expand_replicas": "0-1", "index.blocks.write": True}
"""Settings of a published generation. It has a replica on another node, if there is one, which would double the cost of
writing before; and no one writes to it, so that it can be cloned at any time."""
LAYOUT = "8"
"""Version of the layout; an index of another layout is rebuilt, as is one of another `INDEX_VERSION`."""
Part = Literal["whole", "own", "named"]
"""Which terms of a record a field holds: all, those but of what names other schemas, or those of names and body."""
PARTS: tuple[Part, ...] = get_args(Part)
DOC_TYPES: tuple[DocType, ...] = get_args(DocType)
VECTOR_KINDS: tuple[VectorKind, ...] = (*DOC_TYPES, "table_name")
NAME_WEIGHT = 3
"""Terms of a name are indexed this many times, which in BM25 acts as a field weight."""
LONG_WORDS = "long_words"
"""The field for the terms of a table that may contain another word."""
STATE_ID = "state"
MAX_ID_BYTES = 512
"""The longest `_id` that OpenSearch accepts."""

VECTOR_SPACE = "innerproduct"
"""For vectors of equal length this ranks like the cosine, at a third of the cost."""
VECTOR_SCALE = 100_000
"""Unit vectors are scaled by this and rounded to integers, which are faster to write and parse."""

_TERM_CHARS = 100
KEYWORD = {"type": "keyword"}
KEPT = {"type": "keyword", "index": False, "doc_values": False}


def index_body(dimensions: int, about: dict[str, str], aliases: Sequence[str]) -> dict[str, Any]:
    """Settings and strict mappings of a new index; `about` is stored with them."""
    properties: dict[str, Any] = {
        "kind": KEYWORD,
        "doc_type": KEYWORD,
        "id": {"type": "long"},
        "table_id": {"type": "long"},
        "database": KEYWORD,
        "schema": KEYWORD,
        "table": KEYWORD,
        "place": KEYWORD,
        "domain": KEYWORD,
        "database_type": KEYWORD,
        "table_kind": KEYWORD,
        "copy_kind": KEYWORD,
        "copy_of": KEYWORD,
        "is_junction": {"type": "boolean"},
        "partitions": KEYWORD,
        "path": KEYWORD,
        "content_hash": KEYWORD,
        "vectors": KEYWORD,
        "mentions": {"type": "keyword", "doc_values": False},
        LONG_WORDS: {"type": "keyword", "index": False},
        "value": KEPT,
    }
    for doc_type in DOC_TYPES:
        for part in PARTS:
            properties[terms_field(doc_type, part)] = {
                "type": "text",
                "analyzer": "whitespace",
                "index_options": "freqs",
            }
    for kind in VECTOR_KINDS:
        properties[vector_field(kind)] = {
            "type": "knn_vector",
            # OpenSearch rejects vectors of length 0; without vectors the field simply stays empty.
            "dimension": max(dimensions, 1),
            "method": {"name": "hnsw", "engine": "lucene", "space_type": VECTOR_SPACE},
        }
    return {
        "settings": {
            "index": {
                "knn": True,
                "number_of_shards": 1,
                "number_of_replicas": 0,
                "refresh_interval": "-1",
                # The domain publishes its slow logs, which stay empty unless an index says what is slow.
                "search.slowlog.threshold.query.warn": "2s",
                "search.slowlog.threshold.fetch.warn": "1s",
                "indexing.slowlog.threshold.index.warn": "5s",
            }
        },
        "mappings": {"dynamic": "strict", "_meta": about, "properties": properties},
        "aliases": {alias: {} for alias in aliases},
    }


def terms_field(doc_type: DocType, part: Part = "whole") -> str:
    """The field of one record type for its terms, or a part of them.

    Separate fields keep columns from skewing the term statistics of tables.
    """
    return f"terms_{doc_type}" if part == "whole" else f"{part}_terms_{doc_type}"


def vector_field(kind: VectorKind) -> str:
    """The field for vectors of one kind."""
    return f"vector_{kind}"


def doc_type_of(kind: VectorKind) -> DocType:
    """The record type that has this kind of vector."""
    return "table" if kind == "table_name" else kind


def encode_term(term: str) -> str:
    """A term that the `whitespace` analyzer keeps intact; one that it would split or drop is replaced by its hash."""
    if term.isalnum() and len(term) <= _TERM_CHARS:
        return term
    return "~" + hashlib.sha256(term.encode("utf-8", "surrogatepass")).hexdigest()


def source_id(path: str) -> str:
    """The `_id` of the document about a file; a long path is replaced by its hash."""
    name = f"file {path}"
    return name if len(name.encode("utf-8", "surrogatepass")) <= MAX_ID_BYTES else f"file~{object_hash(path)}"


def place_of(database: str, schema: str) -> str:
    """A database and schema as one unambiguous value to filter by."""
    return f"{len(database)} {database} {schema}"


def record_document(entry: IndexEntry, path: str) -> dict[str, Any]:
    """The OpenSearch document of a record from that file."""
    record = entry.record.model_copy(update={"source_path": path})
    kinds: dict[VectorKind, NDArray[Any] | None] = {record.doc_type: entry.vector, "table_name": entry.name_vector}
    written = {kind: written_vector(vector) for kind, vector in kinds.items() if vector is not None}
    vectors = {kind: values for kind, values in written.items() if values is not None}
    named = (*entry.names * NAME_WEIGHT, *entry.body)
    parts: dict[Part, tuple[str, ...]] = {
        "whole": (*named, *entry.prose, *entry.beyond),
        "own": (*named, *entry.prose),
        # Only what mentions something is ever searched by its names alone.
        "named": named if entry.mentions else (),
    }
    document: dict[str, Any] = {
        "kind": "record",
        "doc_type": record.doc_type,
        "id": record.id,
        "table_id": entry.table_id,
        "database": record.database_name,
        "schema": record.schema_name,
        "place": None if record.schema_name is None else place_of(record.database_name, record.schema_name),
        "domain": record.domain,
        "path": path,
        "vectors": list(vectors),
        "value": record.to_compact_json().decode(),
        "mentions": list(dict.fromkeys(entry.mentions)) or None,
    }
    if record.doc_type == "table":
        document["table"] = record.table_name
        document[LONG_WORDS] = list(entry.long_words) or None
        document |= _kind_of(record.structured)
    document |= {
        terms_field(record.doc_type, part): " ".join(map(encode_term, words)) for part, words in parts.items() if words
    }
    document |= {vector_field(kind): values for kind, values in vectors.items()}
    return {name: value for name, value in document.items() if value is not None}


def _kind_of(table: TableDocument | None) -> dict[str, str | bool | list[str] | None]:
    """The fields for the kind of table, the table that it copies, whether it is a junction, and its partitions."""
    if table is None:
        return {}
    copy = table.copy_of
    repeated = {} if copy is None else {"copy_kind": copy.kind, "copy_of": copy.of}
    return {
        "database_type": table.database_type,
        "table_kind": table.kind,
        "is_junction": is_junction(table),
        "partitions": table.partitions or None,
        **repeated,
    }


def written_vector(vector: NDArray[Any]) -> list[int] | None:
    """A vector in stored form; `None` for a zero vector, which matches nothing."""
    scaled = np.asarray(vector, dtype=np.float64).ravel() * VECTOR_SCALE
    values: list[int] = np.rint(scaled).astype(np.int64).tolist()
    return values if any(values) else None
