"""The descriptions of a database that people, comments and models wrote, next to what the database says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from tribal.capabilities.contribution.recipes.recipe import Relation, TargetName
from tribal.errors import RepositoryUnusable
from tribal.identity.locations import DOCS, latest_reading_file
from tribal.ports import ObjectStore
from tribal.store import iterate_snapshot, load_manifest, read_record
from tribal.store.annotations import read_annotations
from tribal_contracts import (
    CatalogReading,
    CatalogSnapshot,
    CatalogTable,
    DatabaseType,
    Description,
    TableAnnotation,
    TableDocument,
)

TextSource = Literal["human", "comment", "model"]
ORDER: tuple[TextSource, ...] = ("human", "comment", "model")
"""Sources of texts, the preferred one first."""
_LONGEST_TEXT = 10_000


@dataclass(frozen=True, slots=True)
class WrittenText:
    """A description that someone wrote."""

    database: str
    relation: Relation
    column: str | None
    text: str
    source: TextSource
    comment: str | None
    """What the database says."""
    domain: str
    position: int
    """Its order in the catalog: that of the table, then of its columns."""

    @property
    def target(self) -> TargetName:
        """What it describes."""
        return TargetName(self.relation.schema, self.relation.name, self.column)


@dataclass(frozen=True, slots=True)
class DatabaseTexts:
    """The descriptions of one database."""

    dialect: DatabaseType
    texts: list[WrittenText]


def read_texts(store: ObjectStore, database: str, *, model_prose: bool = False) -> DatabaseTexts:
    """Read the description of each table and column that has one, in the order of the catalog.

    A person's text comes first, then the database's comment, then, if asked for, a model's.

    Raises:
        RepositoryUnusable: when the database was never read.
        ConfigurationError: when its annotations cannot be used.
        ObjectDamaged, ManifestError: when a file is damaged.
    """
    annotations = read_annotations(store, database)
    domains, documents = _documented(store, database)
    header, tables = _snapshot(store, database)
    texts: list[WrittenText] = []
    for table in tables:
        place = (table.schema_name, table.table_name)
        prose = _model_prose(store, documents.get(place)) if model_prose else {}
        relation = _relation(table)
        found = _texts_of(table, annotations.get(place), prose)
        for column, text, source, comment in found:
            texts.append(
                WrittenText(
                    database, relation, column, text, source, comment, domains.get(place, ""), position=len(texts)
                )
            )
    return DatabaseTexts(header.type, texts)


def read_relations(
    store: ObjectStore, database: str, wanted: set[tuple[str, str]]
) -> tuple[DatabaseType, dict[tuple[str, str], Relation]]:
    """The database's type, and those of some tables that it has; raises as `read_texts` does."""
    header, tables = _snapshot(store, database)
    found = (_relation(table) for table in tables if (table.schema_name, table.table_name) in wanted)
    return header.type, {(each.schema, each.name): each for each in found}


def _snapshot(store: ObjectStore, database: str) -> tuple[CatalogSnapshot, Iterator[CatalogTable]]:
    reading = read_record(store, latest_reading_file(database), CatalogReading)
    if reading is None or reading.snapshot_file is None:
        raise RepositoryUnusable(
            f"database {database!r} was not read yet; correct its name in `databases` of the repository, or run"
            " `tribal run`"
        )
    return iterate_snapshot(store, reading)


def _relation(table: CatalogTable) -> Relation:
    columns = tuple(column.name for column in table.columns)
    return Relation(table.schema_name, table.table_name, table.kind, columns)


def _documented(
    store: ObjectStore, database: str
) -> tuple[Mapping[tuple[str, str], str], Mapping[tuple[str, str], str]]:
    """The domain and the document of each table."""
    stored = load_manifest(store)
    files = [] if stored is None else stored.manifest.indexable_files
    tables = {
        (each.schema_, each.table): each
        for each in files
        if each.type == "table" and each.database == database and each.schema_ and each.table
    }
    domains = {place: each.domain or "" for place, each in tables.items()}
    return domains, {place: each.path for place, each in tables.items()}


def _model_prose(store: ObjectStore, path: str | None) -> Mapping[str | None, str]:
    document = None if path is None else read_record(store, f"{DOCS}{path.removeprefix(DOCS)}", TableDocument)
    if document is None:
        return {}
    said: dict[str | None, Description] = {None: document.description}
    said |= {column.name: column.description for column in document.columns}
    return {column: each.text for column, each in said.items() if each.source == "model"}


def _texts_of(
    table: CatalogTable, annotation: TableAnnotation | None, prose: Mapping[str | None, str]
) -> Iterator[tuple[str | None, str, TextSource, str | None]]:
    written: dict[str | None, str | None] = {}
    if annotation is not None:
        written = {None: annotation.description}
        written.update(annotation.columns)
    comments: dict[str | None, str | None] = {None: table.comment}
    comments |= {column.name: column.comment for column in table.columns}
    for column, comment in comments.items():
        candidates = (written.get(column), comment, prose.get(column))
        for source, text in zip(ORDER, candidates, strict=True):
            if text is not None and text.strip():
                yield column, text.strip()[:_LONGEST_TEXT], source, comment
                break
