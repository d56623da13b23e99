"""Foreign keys and related tables as a table's document has them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from tribal.identity.table_names import TableIdentity
from tribal.rendering.words import relation_sentence
from tribal_contracts import (
    CatalogForeignKey,
    CatalogTable,
    DocumentedForeignKey,
    DocumentedInferredKey,
    DocumentedRelation,
    IncomingKey,
    InferredKey,
    SliceNeighbour,
)

Key = TypeVar("Key", DocumentedForeignKey, IncomingKey)
Neighbours = Mapping[str, SliceNeighbour]


def documented_key(key: CatalogForeignKey, table: CatalogTable, database: str) -> DocumentedForeignKey:
    """A foreign key of a table with the fully qualified name of the table it references."""
    nullable = {column.name for column in table.columns if column.nullable}
    return DocumentedForeignKey(
        name=key.name,
        columns=key.columns,
        references_table=str(TableIdentity(database, key.references_schema, key.references_table)),
        references_columns=key.references_columns,
        nullable=key.may_lack_parent(nullable),
        on_update=key.on_update,
        on_delete=key.on_delete,
        validated=key.validated,
    )


def relations_of(
    table: CatalogTable, database: str, incoming: Iterable[IncomingKey], neighbours: Neighbours, page: str
) -> list[DocumentedRelation]:
    """Tables related to this one, referenced tables first; keys to undocumented tables are skipped.

    `page` is the table's own page, the target of self-references.
    """
    own = TableIdentity(database, table.schema_name, table.table_name)
    outgoing = _each_once(
        [documented_key(key, table, database) for key in table.foreign_keys],
        lambda key: (key.references_table, *zip(key.columns, key.references_columns, strict=False)),
    )
    targets = [key.references_table for key in outgoing]
    relations = []
    for key in outgoing:
        path = page if key.references_table == str(own) else _path(neighbours, key.references_table)
        if path is None:
            continue
        sentence = relation_sentence(
            own.table,
            TableIdentity.parse(key.references_table).table,
            nullable=key.nullable,
            columns=_distinguishing(key.columns, targets.count(key.references_table)),
        )
        relations.append(
            DocumentedRelation(
                name=key.references_table,
                relationship="references",
                via_columns=key.columns,
                other_columns=key.references_columns,
                path=path,
                description=sentence,
                nullable=key.nullable,
            )
        )
    return relations + _referenced_by(own, list(incoming), neighbours)


def _referenced_by(
    own: TableIdentity, incoming: Sequence[IncomingKey], neighbours: Neighbours
) -> list[DocumentedRelation]:
    keys = _each_once(
        incoming, lambda each: (each.from_table, *zip(each.key.columns, each.key.references_columns, strict=False))
    )
    sources = [key.from_table for key in keys]
    relations = []
    for key in sorted(keys, key=lambda key: (key.from_table, key.key.name, key.key.columns)):
        path = _path(neighbours, key.from_table)
        if path is None or key.from_table == str(own):
            continue
        relations.append(
            DocumentedRelation(
                name=key.from_table,
                relationship="referenced_by",
                via_columns=key.key.references_columns,
                other_columns=key.key.columns,
                path=path,
                description=relation_sentence(
                    TableIdentity.parse(key.from_table).table,
                    own.table,
                    nullable=key.nullable,
                    columns=_distinguishing(key.key.columns, sources.count(key.from_table)),
                ),
                nullable=key.nullable,
            )
        )
    return relations


def _each_once(keys: Sequence[Key], meaning: Callable[[Key], object]) -> list[Key]:
    """Keys without those that another one repeats; one that every row fulfils says more."""
    kept: dict[object, Key] = {}
    for key in keys:
        other = kept.setdefault(meaning(key), key)
        if other.nullable and not key.nullable:
            kept[meaning(key)] = key
    return list(kept.values())


def _path(neighbours: Neighbours, name: str) -> str | None:
    neighbour = neighbours.get(name)
    return neighbour.path if neighbour else None


def _distinguishing(columns: Sequence[str], keys_between: int) -> tuple[str, ...]:
    return tuple(columns) if keys_between > 1 else ()


def inferred_keys_of(
    own: str, keys: Iterable[InferredKey], neighbours: Neighbours, page: str
) -> list[DocumentedInferredKey]:
    """The likely keys of a table, those that leave it first; keys to undocumented tables are skipped.

    `page` is the table's own page, the target of self-references.
    """
    found = []
    for key in sorted(keys, key=lambda key: (key.from_table != own, key.to_table, key.from_table, key.from_columns)):
        if own not in (key.from_table, key.to_table):
            continue
        other = key.to_table if key.from_table == own else key.from_table
        path = page if other == own else _path(neighbours, other)
        if path is not None:
            found.append(DocumentedInferredKey(**dict(key), path=path))
    return found
