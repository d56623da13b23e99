"""Build index records from the bytes of a file.

Texts that may mention other objects are kept separate, so that scopes can hide them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tribal.identity.hashing import record_id
from tribal.identity.table_names import TableIdentity
from tribal.indexing.texts import (
    SplitNames,
    column_text,
    compounds,
    own_names,
    prose_terms,
    split_names_of,
    table_text,
)
from tribal.joins.graph import inferred_edge
from tribal.naming.mentions import OwnNames, mentioned_words
from tribal.ports import IndexEntry
from tribal.rendering.words import informative_text
from tribal.sql.qualifiers import SYSTEM_SCHEMAS, qualifiers, sql_qualifiers
from tribal_contracts import (
    DatabaseType,
    Description,
    DocumentedColumn,
    DocumentRecord,
    DomainDocument,
    IndexableFile,
    KeyEdge,
    Relationship,
    RelationshipsDocument,
    TableDocument,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


_CODE = re.compile(r"(?=.*[A-Za-z])[A-Za-z0-9]+(?:[_.-][A-Za-z0-9]+)*")
"""A code such as `past_due` or `EUR`: a query with it means the tables that have it."""


@dataclass(frozen=True, slots=True)
class _Prose:
    """Terms of such texts, and words that may be names."""

    terms: tuple[str, ...] = ()
    beyond: tuple[str, ...] = ()
    """Terms of texts that certainly name other schemas."""
    mentions: tuple[str, ...] = ()

    def __add__(self, other: _Prose) -> _Prose:
        mentions = dict.fromkeys((*self.mentions, *other.mentions))
        return _Prose((*self.terms, *other.terms), (*self.beyond, *other.beyond), tuple(mentions))


_NO_PROSE = _Prose()


def _prose_of(descriptions: Iterable[Description], own: OwnNames) -> _Prose:
    """The prose of descriptions written by people."""
    texts = [text for text in map(informative_text, descriptions) if text]
    return _Prose(prose_terms(texts), (), _mentions(texts, own))


def _split_notes(notes: Iterable[str], schema: str) -> tuple[list[str], list[str]]:
    """Split a table's notes by whether they name another schema; rules always qualify such names."""
    inside: list[str] = []
    outside: list[str] = []
    for note in notes:
        (outside if qualifiers(note) - {schema} else inside).append(note)
    return inside, outside


def _values_of(columns: Iterable[DocumentedColumn], schema: str, dialect: DatabaseType, own: OwnNames) -> _Prose:
    """Values that classify rows: allowed ones, of which labels belong to the schema of their type, and sampled codes.

    Those of a look-up table are found by that table, labels of a view by the table too.
    """
    inside: list[str] = []
    outside: list[str] = []
    for column in columns:
        others = sql_qualifiers(column.type, dialect) - SYSTEM_SCHEMAS - {schema}
        if column.allowed_values_from != "lookup":
            (outside if others else inside).extend(column.allowed_values or ())
        for each in (column.value_meanings or {}).values():
            # Other texts are found where they are written.
            if each.view:
                (inside if TableIdentity.parse(each.view).schema == schema else outside).append(each.text)
        inside += _codes(column)
    return _Prose(prose_terms(inside), prose_terms(outside), _mentions([*inside, *outside], own))


def _codes(column: DocumentedColumn) -> Sequence[str]:
    """The sampled values that may be shown, if all of them look like codes and not like names or numbers."""
    samples = column.samples or ()
    return samples if all(map(_CODE.fullmatch, samples)) else ()


def _mentions(texts: Iterable[str], own: OwnNames) -> tuple[str, ...]:
    return tuple(sorted({word for text in texts for word in mentioned_words(text, own)}))


DOMAIN_PAGE = "README.md"


class FileMismatch(ValueError):
    """A file's content does not match its manifest entry."""


@dataclass(frozen=True, slots=True)
class Draft:
    """An index entry before embedding; without a text, it gets no vectors."""

    record: DocumentRecord
    names: tuple[str, ...]
    body: tuple[str, ...]
    text: str | None
    name: str | None = None
    """For a table, its name as words, which is embedded separately."""
    prose: _Prose = _NO_PROSE
    long_words: tuple[str, ...] = ()

    @property
    def texts(self) -> list[str]:
        """The texts to embed, in the order of the vectors for `entry`."""
        return [text for text in (self.text, self.name) if text is not None]

    def entry(self, vectors: Sequence[NDArray[Any]] = ()) -> IndexEntry:
        """The entry, given the vectors of `texts`."""
        whole, name = (*vectors, None, None)[:2]
        return IndexEntry(
            self.record,
            self.names,
            self.body,
            whole,
            name,
            prose=self.prose.terms,
            mentions=self.prose.mentions,
            beyond=self.prose.beyond,
            long_words=self.long_words,
        )


def draft_file(file: IndexableFile, data: bytes, indexed_at: str) -> list[Draft]:
    """The drafts of all records of a file.

    Raises:
        pydantic.ValidationError: when the file does not match its contract.
        FileMismatch: when its content does not match the manifest entry.
    """
    if file.type == "table":
        return _table(TableDocument.from_json(data), file, indexed_at)
    if file.type == "domain":
        return _domain(DomainDocument.from_json(data), file, indexed_at)
    document = RelationshipsDocument.from_json(data)
    _require(file, database=document.database, domain=document.domain)
    split_names = SplitNames()
    return [_relationship(relationship, split_names, file, indexed_at) for relationship in document.relationships]


def key_edges(data: bytes) -> list[KeyEdge]:
    """The keys of a relationships file, declared ones first.

    Raises:
        pydantic.ValidationError: when the file does not match its contract.
    """
    document = RelationshipsDocument.from_json(data)
    declared = [
        KeyEdge(
            name=key.name,
            from_table=key.from_table,
            from_columns=key.from_columns,
            to_table=key.to_table,
            to_columns=key.to_columns,
            nullable=key.nullable,
            source=key.source,
            identifies=key.identifies,
        )
        for key in document.relationships
    ]
    return [*declared, *map(inferred_edge, document.inferred_keys)]


def _require(file: IndexableFile, **found: str) -> None:
    for field, value in found.items():
        expected = getattr(file, field)
        if expected is not None and expected != value:
            raise FileMismatch(f"its {field.rstrip('_')} is {value!r}, the manifest says {expected!r}")


def _table(table: TableDocument, file: IndexableFile, indexed_at: str) -> list[Draft]:
    _require(file, database=table.database, schema_=table.schema_, table=table.table, domain=table.domain)
    identity = TableIdentity(table.database, table.schema_, table.table)
    if str(identity) != table.name:
        raise FileMismatch(f"it is named {table.name!r} and is about {str(identity)!r}")
    split_names, provenance = split_names_of(table), _provenance(file, table.database, table.domain, indexed_at)
    column_names = [column.name for column in table.columns]
    record = DocumentRecord(
        id=record_id("table", table.database, table.schema_, table.table),
        doc_type="table",
        schema_name=table.schema_,
        table_name=table.table,
        column_name=None,
        content=table_text(table, split_names),
        summary=table.description.text,
        keywords=split_names.keywords([table.table, *column_names]),
        structured=table,
        **provenance,
    )
    own = own_names(table)
    prose = _prose_of([table.description, *(column.description for column in table.columns)], own)
    inside, outside = _split_notes(table.notes, table.schema_)
    prose += _values_of(table.columns, table.schema_, table.database_type, own) + _Prose(beyond=prose_terms(outside))
    notes = prose_terms(inside)
    body = (*split_names.terms([table.schema_, *column_names]), *notes)
    name = split_names.spelt_out(table.table)
    long_words = compounds([table.table, *column_names], (*notes, *prose.terms, *prose.beyond))
    draft = Draft(record, split_names.terms([table.table]), body, record.content, name, prose, long_words)
    return [draft, *(_column(table, column, split_names, own, provenance) for column in table.columns)]


def _column(
    table: TableDocument, column: DocumentedColumn, split_names: SplitNames, own: OwnNames, provenance: dict[str, Any]
) -> Draft:
    text = column_text(table, column, split_names)
    record = DocumentRecord(
        id=record_id("column", table.database, table.schema_, table.table, column.name),
        doc_type="column",
        schema_name=table.schema_,
        table_name=table.table,
        column_name=column.name,
        content=text,
        summary=column.description.text,
        keywords=split_names.keywords([column.name]),
        **provenance,
    )
    prose = _prose_of([column.description], own) + _values_of([column], table.schema_, table.database_type, own)
    return Draft(record, split_names.terms([column.name]), split_names.terms([table.table]), text, prose=prose)


def _domain(domain: DomainDocument, file: IndexableFile, indexed_at: str) -> list[Draft]:
    _require(file, database=domain.database, domain=domain.domain)
    split_names = SplitNames()
    tables = [TableIdentity.parse(table.name).table for table in domain.tables]
    text = f"{domain.title}. {domain.description}"
    record = DocumentRecord(
        id=record_id("domain", domain.database, domain.domain),
        doc_type="domain",
        schema_name=None,
        table_name=None,
        column_name=None,
        content=text,
        summary=domain.description,
        keywords=split_names.keywords([domain.domain, domain.title, *tables]),
        structured_domain=domain,
        **_provenance(file, domain.database, domain.domain, indexed_at),
    )
    body = (*prose_terms([domain.description]), *split_names.terms(tables))
    return [Draft(record, split_names.terms([domain.domain, domain.title]), body, text)]


def _relationship(key: Relationship, split_names: SplitNames, file: IndexableFile, indexed_at: str) -> Draft:
    child, parent = TableIdentity.parse(key.from_table), TableIdentity.parse(key.to_table)
    names: Sequence[str] = (child.table, parent.table)
    record = DocumentRecord(
        id=record_id("relationship", key.from_table, key.name, key.to_table, *key.from_columns, "->", *key.to_columns),
        doc_type="relationship",
        schema_name=child.schema,
        table_name=child.table,
        column_name=key.from_columns[0] if len(key.from_columns) == 1 else None,
        content=f"{key.from_table} ({', '.join(key.from_columns)}) -> {key.to_table} ({', '.join(key.to_columns)})",
        summary=key.description,
        keywords=split_names.keywords([*names, *key.from_columns]),
        **_provenance(file, child.database, key.from_domain, indexed_at),
    )
    return Draft(record, split_names.terms(names), split_names.terms([*key.from_columns, *key.to_columns]), None)


def _provenance(file: IndexableFile, database: str, domain: str, indexed_at: str) -> dict[str, Any]:
    return {
        "database_name": database,
        "domain": domain,
        "file_path": _page(file),
        "content_hash": file.content_hash,
        "indexed_at": indexed_at,
        "source_modified_at": file.modified_at,
        "source_path": file.path,
    }


def _page(file: IndexableFile) -> str:
    """The Markdown page of an indexable file; all files of a domain share the domain's page."""
    if file.type == "table":
        return file.path.removesuffix(".json") + ".md"
    folder, slash, _ = file.path.rpartition("/")
    return folder + slash + DOMAIN_PAGE
