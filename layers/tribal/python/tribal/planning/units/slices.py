"""The part of the catalog that each work unit needs, stored under a hash of its content."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tribal.identity import locations
from tribal.identity.hashing import bytes_hash, object_hash
from tribal.identity.table_names import TableIdentity, names_with_capitals
from tribal.planning.catalog.copies import find_copies
from tribal.planning.catalog.lineage import Readers
from tribal.planning.units.work_units import Chunk
from tribal.ports import ObjectStore
from tribal.store import Write, is_as_written
from tribal_contracts import (
    CatalogColumn,
    CatalogKey,
    CatalogSlice,
    CatalogSnapshot,
    CatalogStatistics,
    CatalogTable,
    DatabaseLineage,
    IncomingKey,
    InferredKey,
    SliceNeighbour,
    TableCopy,
)

MOST_LOOKUP_ROWS = 200
"""Source: X2 of the contracts of context: what a look-up list is."""


@dataclass(frozen=True, slots=True)
class DatabaseTables:
    """A database's tables by fully qualified name, with their foreign keys in both directions."""

    snapshot: CatalogSnapshot
    tables: Mapping[str, CatalogTable]
    incoming: Mapping[str, Sequence[IncomingKey]]
    inferred: Mapping[str, Sequence[InferredKey]]
    """Likely keys by the table at either end."""
    copies: Mapping[str, TableCopy]
    """The copies among the tables, by name."""
    readers: Readers
    """What views read."""
    file_names: Mapping[str, str]
    """Names of files that keep their capitals."""
    statistics: CatalogStatistics | None = None

    @classmethod
    def of(
        cls,
        snapshot: CatalogSnapshot,
        tables: Sequence[CatalogTable],
        inferred: Sequence[InferredKey] = (),
        lineage: DatabaseLineage | None = None,
        statistics: CatalogStatistics | None = None,
    ) -> DatabaseTables:
        """Index the tables of a snapshot, and the likely keys between them."""
        name = snapshot.database
        by_name = {str(TableIdentity(name, t.schema_name, t.table_name)): t for t in tables}
        incoming: dict[str, list[IncomingKey]] = defaultdict(list)
        for child, table in by_name.items():
            nullable = {column.name for column in table.columns if column.nullable}
            for key in table.foreign_keys:
                parent = str(TableIdentity(name, key.references_schema, key.references_table))
                if parent in by_name:
                    incoming[parent].append(
                        IncomingKey(table=parent, from_table=child, key=key, nullable=key.may_lack_parent(nullable))
                    )
        likely = _by_end([key for key in inferred if _holds(key, by_name)])
        kept = names_with_capitals((t.schema_name, t.table_name) for t in tables)
        file_names = {str(TableIdentity(name, *parts)): file_name for parts, file_name in kept.items()}
        return cls(
            snapshot,
            by_name,
            incoming,
            likely,
            find_copies(name, tables),
            Readers.of(lineage, by_name),
            file_names,
            statistics,
        )

    def neighbour_names(self, name: str) -> list[str]:
        """Sorted names of the other tables that a table references or is referenced by."""
        table = self.tables[name]
        database = self.snapshot.database
        parents = {str(TableIdentity(database, k.references_schema, k.references_table)) for k in table.foreign_keys}
        children = {key.from_table for key in self.incoming.get(name, ())}
        return sorted(other for other in parents | children if other in self.tables and other != name)

    def lookup_names(self, names: Sequence[str]) -> list[str]:
        """Sorted names of the tables that single-column keys of these tables reference, and that may be look-up lists.

        They have few rows by the server's estimate, or it has none.
        """
        sizes = self.statistics.tables if self.statistics else {}
        keys = [key for name in names for key in self.tables[name].foreign_keys if len(key.columns) == 1]
        parents = {
            str(TableIdentity(self.snapshot.database, key.references_schema, key.references_table)) for key in keys
        }
        return sorted(
            parent
            for parent in parents
            if parent in self.tables
            and self.tables[parent].selectable
            and (parent not in sizes or sizes[parent].row_count <= MOST_LOOKUP_ROWS)
        )

    def likely_neighbour_names(self, name: str) -> list[str]:
        """Sorted names of the other tables that a table likely references or is referenced by."""
        ends = {end for key in self.inferred.get(name, ()) for end in (key.from_table, key.to_table)}
        return sorted(ends - {name})


def _holds(key: InferredKey, tables: Mapping[str, CatalogTable]) -> bool:
    """Whether the columns of a key exist; keys may have been inferred from a later reading."""
    ends = ((key.from_table, key.from_columns), (key.to_table, key.to_columns))
    return all(
        name in tables and {column.name for column in tables[name].columns}.issuperset(columns)
        for name, columns in ends
    )


def _by_end(keys: Sequence[InferredKey]) -> dict[str, list[InferredKey]]:
    by_end: dict[str, list[InferredKey]] = defaultdict(list)
    for key in keys:
        for end in dict.fromkeys((key.from_table, key.to_table)):
            by_end[end].append(key)
    return by_end


def neighbours_of(database: DatabaseTables, places: Mapping[str, Chunk]) -> dict[str, SliceNeighbour]:
    """Each table as its neighbours' documentation mentions it."""
    return {
        name: SliceNeighbour(
            name=name,
            schema_name=table.schema_name,
            table_name=table.table_name,
            kind=table.kind,
            domain=places[name].domain,
            path=locations.table_stem(
                places[name].output_directory, table.schema_name, table.table_name, database.file_names.get(name)
            )
            + ".md",
            comment=table.comment,
        )
        for name, table in database.tables.items()
    }


def metadata_hash(name: str, database: DatabaseTables, neighbours: Mapping[str, SliceNeighbour]) -> str:
    """Hash of everything in the catalog that a table's documentation depends on."""
    copy = database.copies.get(name)
    return object_hash(
        [
            database.snapshot.server_database,
            database.tables[name].model_dump(mode="json"),
            [key.model_dump(mode="json") for key in database.incoming.get(name, ())],
            [neighbours[other].model_dump(mode="json") for other in database.neighbour_names(name)],
            *([] if copy is None else [copy.model_dump(mode="json")]),
        ]
    )


def inferred_keys_hash(name: str, database: DatabaseTables, neighbours: Mapping[str, SliceNeighbour]) -> str | None:
    """Hash of a table's likely keys without numbers, and of the texts about their tables; `None` without keys."""
    keys = database.inferred.get(name)
    if not keys:
        return None
    ends = [
        [
            key.from_table,
            key.from_columns,
            key.to_table,
            key.to_columns,
            [[each.kind, each.of] for each in key.evidence],
        ]
        for key in keys
    ]
    likely = [neighbours[other] for other in database.likely_neighbour_names(name)]
    return object_hash([ends, [[each.path, *([each.comment] if each.comment else [])] for each in likely]])


def write_slice(
    chunk: Chunk, database: DatabaseTables, neighbours: Mapping[str, SliceNeighbour], store: ObjectStore, write: Write
) -> str:
    """Queue a unit's slice for writing unless it exists intact, and return its key."""
    likely = {other for name in chunk.tables for other in database.likely_neighbour_names(name)}
    mentioned = sorted({other for name in chunk.tables for other in database.neighbour_names(name)} | likely)
    part = CatalogSlice(
        schema_version="1.0",
        database=database.snapshot.database,
        type=database.snapshot.type,
        server_database=database.snapshot.server_database,
        tables=[database.tables[name] for name in chunk.tables],
        incoming=[key for name in chunk.tables for key in database.incoming.get(name, ())],
        neighbours={other: neighbours[other] for other in mentioned},
        inferred_keys=_once([key for name in chunk.tables for key in database.inferred.get(name, ())]),
        lookup_tables=[_outline(database.tables[name]) for name in database.lookup_names(chunk.tables)],
        lineage=[database.readers.views[name] for name in chunk.tables if name in database.readers.views],
        value_meanings={
            name: database.readers.meanings[name] for name in chunk.tables if name in database.readers.meanings
        },
        read_by={name: database.readers.read_by[name] for name in chunk.tables if name in database.readers.read_by},
    )
    data = part.to_json()
    content_hash = bytes_hash(data)
    key = locations.slice_file(part.database, content_hash)

    def put() -> None:
        if not is_as_written(store, key, content_hash):
            store.put(key, data)

    write(put)
    return key


def _outline(table: CatalogTable) -> CatalogTable:
    """The table as it is read as a look-up list: names and types of its columns, and its primary key."""
    columns = [
        CatalogColumn(
            name=column.name,
            type=column.type,
            nullable=column.nullable,
            default_value=None,
            base_type=column.base_type,
            sensitive=column.sensitive,
        )
        for column in table.columns
    ]
    return CatalogTable(
        schema_name=table.schema_name,
        table_name=table.table_name,
        kind=table.kind,
        columns=columns,
        primary_key=table.primary_key and CatalogKey(name=table.primary_key.name, columns=table.primary_key.columns),
        unique_keys=[],
        foreign_keys=[],
        indexes=[],
        checks=[],
        selectable=table.selectable,
    )


def _once(keys: Sequence[InferredKey]) -> list[InferredKey]:
    """Keys without duplicates; a key with both ends in the slice occurs twice."""
    ends = {(key.from_table, (*key.from_columns,), key.to_table, (*key.to_columns,)): key for key in keys}
    return [ends[each] for each in sorted(ends)]
