"""What the index knows of the tables that SQL names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tribal.capabilities.retrieval.names import name_of
from tribal.capabilities.retrieval.toolbox import OpenIndex, Toolbox
from tribal.identity.table_names import TableIdentity
from tribal.joins.known_tables import CheckedTable, known_table, routines_of
from tribal.sql.checking.keys import KeyIndex
from tribal.sql.checking.known import KnownTable, KnownTables
from tribal.sql.references import TableName


def indexed_tables(database: str, opened: OpenIndex, toolbox: Toolbox) -> KnownTables:
    """The tables of a database that the caller may see; documents are read only for tables that are named.

    Args:
        database: the exact name of a documented database.
    """
    entries = {(each.schema, each.table): each for each in opened.tables if each.database == database}
    first = next(iter(entries.values()))

    def load(names: Sequence[TableName]) -> Mapping[TableName, KnownTable]:
        documents = toolbox.index.documents([entries[name].record_id for name in names], CheckedTable)
        found = {name: documents.get(entries[name].record_id) for name in names}
        return {name: known_table(document) for name, document in found.items() if document is not None}

    def make_keys() -> KeyIndex:
        graph = toolbox.index.key_graph()
        visible = {name_of(entry) for entry in entries.values()}
        return KeyIndex(key for key in (graph.edges if graph else ()) if {key.from_table, key.to_table} <= visible)

    def keys() -> KeyIndex:
        return toolbox.derived.get(opened.generation, ("key index", toolbox.scope, database), make_keys)

    def partitions() -> Mapping[TableName, TableName]:
        return {
            (identity.schema, identity.table): name
            for name, entry in entries.items()
            for identity in map(TableIdentity.parse, entry.partitions)
        }

    document = toolbox.index.documents([first.record_id], CheckedTable).get(first.record_id)
    on_server = document.server_database if document is not None else None
    routines = toolbox.definitions(opened.bounds).routines if toolbox.definitions is not None else ()
    return KnownTables(
        dialect=first.database_type,
        names=tuple(entries),
        load=load,
        keys=keys,
        partitions=partitions,
        database=frozenset((database, on_server or database)),
        routines=routines_of(database, routines),
    )
