"""Read what the views of a database read, by column; views that did not change are not parsed again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta

from tribal.identity import locations
from tribal.identity.hashing import object_hash
from tribal.identity.table_names import TableIdentity, parse_name
from tribal.masking import PLACEHOLDER
from tribal.planning.catalog.viewed_meanings import Meanings, meanings_by_views
from tribal.ports import Clock, ObjectStore
from tribal.sql.references import QueryLineage, TableName
from tribal.store import put_record_if_changed, read_record
from tribal_contracts import CatalogTable, DatabaseLineage, DatabaseType, ReadColumn, ReadLabel, ViewReads

LINEAGE_RULES = "4"
"""Change it whenever other lineage would be read from the same views."""
MOST_SECONDS = 60.0
"""No view is parsed after this time; the next run continues. By judgement: a view takes about 15 ms."""
_NO_TIME = "there was no time to read it; the next run continues"
_NOT_SHOWN = "its SQL is hidden from this user"
_NOT_CERTAIN = "its SQL cannot be parsed with certainty"


def read_lineage_of(
    database: str, dialect: DatabaseType, tables: Mapping[str, CatalogTable], store: ObjectStore, clock: Clock
) -> DatabaseLineage:
    """What every view reads.

    Args:
        database: the name of its entry.
        dialect: of the views.
        tables: all tables by fully qualified name.
        store: has the lineage of an earlier run.
        clock: limits the time.
    """
    earlier = load_lineage(database, store)
    names = [sorted(tables), [table.partitions for _, table in sorted(tables.items()) if table.partitions]]
    views = _Views(database, dialect, tables, earlier, object_hash([LINEAGE_RULES, dialect, *names]))
    until = clock.real() + timedelta(seconds=MOST_SECONDS)
    found: list[ViewReads] = []
    inputs: dict[str, str] = {}
    for name, table in sorted(tables.items()):
        if not (table.view_definition or table.depends_on or "view" in table.kind):
            continue
        view = views.known(name)
        if view is None and clock.real() < until:
            view = views.read(name)
        if view is not None:
            inputs[name] = views.inputs(view)
        found.append(view or views.by_table(name, _NO_TIME))
    return DatabaseLineage(schema_version="1.0", database=database, views=found, inputs=inputs)


def write_lineage(found: DatabaseLineage, store: ObjectStore) -> None:
    """Write the lineage of a database if it changed; nothing for a database that never had views."""
    if found.views or load_lineage(found.database, store) is not None:
        put_record_if_changed(store, locations.lineage_file(found.database), found)


def load_lineage(database: str, store: ObjectStore) -> DatabaseLineage | None:
    """The lineage read last; `None` if it is missing or unreadable."""
    return read_record(store, locations.lineage_file(database), DatabaseLineage)


class _Views:
    def __init__(
        self,
        database: str,
        dialect: DatabaseType,
        tables: Mapping[str, CatalogTable],
        earlier: DatabaseLineage | None,
        names_hash: str,
    ) -> None:
        self._database = database
        self._dialect = dialect
        self._tables = tables
        self._names_hash = names_hash
        self._earlier = {view.view: view for view in earlier.views} if earlier else {}
        self._inputs = earlier.inputs if earlier else {}
        own = {(table.schema_name, table.table_name): table for table in tables.values()}
        self._parents: Mapping[TableName, TableName] = {
            (schema, partition): name
            for name, table in own.items()
            for schema, partition in map(parse_name, table.partitions or ())
        }
        self._columns: Mapping[TableName, list[str]] = {
            name: _columns(own[self._parents.get(name, name)]) for name in (*self._parents, *own)
        }

    def known(self, name: str) -> ViewReads | None:
        """What an earlier run read, if nothing that it depends on changed."""
        view = self._earlier.get(name)
        return view if view and name in self._inputs and self.inputs(view) == self._inputs[name] else None

    def inputs(self, view: ViewReads) -> str:
        """Hash of what a view was read from: its SQL, the columns of its tables, and which tables there are."""
        table = self._tables[view.view]
        read = [[name, _columns(self._tables[name])] for name in view.reads if name in self._tables]
        sql = [table.view_definition, table.view_query, table.depends_on]
        return object_hash([self._names_hash, sql, _columns(table), read])

    def read(self, name: str) -> ViewReads:
        table = self._tables[name]
        query = table.view_definition if self._dialect == "postgres" else table.view_query
        if not query:
            return self.by_table(name, _NOT_CERTAIN if table.view_definition else _NOT_SHOWN)
        # Loads sqlglot.
        from tribal.sql.column_lineage import read_lineage

        found = read_lineage(query, self._dialect, self._columns, _columns(table))
        if found.problem and not found.edges:
            return self.by_table(name, found.problem, found)
        columns = [
            ReadColumn(
                column=edge.output, from_table=self._name(edge.column[:2]), from_column=edge.column[2], via=edge.via
            )
            for edge in found.edges
        ]
        reads = list(dict.fromkeys(self._name(each) for each in found.tables))
        # Columns of several partitions are columns of one table.
        unique = {(each.column, each.from_table, each.from_column, each.via): each for each in columns}
        labels = [
            ReadLabel(
                column=each.output,
                from_table=self._name(each.column[:2]),
                from_column=each.column[2],
                value=each.value,
                text=each.text,
            )
            for each in found.labels
            if not PLACEHOLDER.search(each.value + each.text)
        ]
        return ViewReads(
            view=name, reads=reads, columns=list(unique.values()), labels=labels or None, problem=found.problem
        )

    def by_table(self, name: str, problem: str, found: QueryLineage | None = None) -> ViewReads:
        """What the catalog records, where columns are not known."""
        recorded = sorted(set(self._recorded(name))) or [self._name(each) for each in (found.tables if found else ())]
        return ViewReads(view=name, reads=recorded, problem=problem)

    def _recorded(self, name: str) -> Iterator[str]:
        for each in self._tables[name].depends_on or ():
            parts = parse_name(each)
            if len(parts) == 2 and (full := self._name((parts[0], parts[1]))) in self._tables:
                yield full

    def _name(self, table: TableName) -> str:
        return str(TableIdentity(self._database, *self._parents.get(table, table)))


def _columns(table: CatalogTable) -> list[str]:
    return [column.name for column in table.columns]


@dataclass(frozen=True, slots=True)
class Readers:
    """What the views of a database read, in both directions."""

    views: Mapping[str, ViewReads]
    read_by: Mapping[str, list[str]]
    """The views that read each table, in order of name."""
    meanings: Mapping[str, Meanings]
    """What values mean by views, by table and column."""

    @classmethod
    def of(cls, lineage: DatabaseLineage | None, tables: Mapping[str, CatalogTable]) -> Readers:
        """Only tables and columns that exist: the lineage may be of a later reading."""
        views = {view.view: _existing(view, tables) for view in (lineage.views if lineage else ())}
        views = {name: view for name, view in views.items() if name in tables}
        read_by: dict[str, list[str]] = {}
        for name in sorted(views):
            for table in views[name].reads:
                read_by.setdefault(table, []).append(name)
        return cls(views, read_by, meanings_by_views(views))

    def hash_of(self, name: str) -> str | None:
        """Hash of what a table reads, is read by, and learns from views; `None` if it has none of these."""
        view, readers, meanings = self.views.get(name), self.read_by.get(name), self.meanings.get(name)
        if not (view or readers or meanings):
            return None
        learned = {
            column: {value: each.model_dump(mode="json") for value, each in values.items()}
            for column, values in (meanings or {}).items()
        }
        return object_hash([view and view.model_dump(mode="json"), readers, *([learned] if learned else [])])


def _existing(view: ViewReads, tables: Mapping[str, CatalogTable]) -> ViewReads:
    reads = [name for name in view.reads if name in tables]
    columns = {name: frozenset(_columns(tables[name])) for name in reads}
    left = [each for each in view.columns if each.from_column in columns.get(each.from_table, ())]
    labels = [each for each in view.labels or () if each.from_column in columns.get(each.from_table, ())] or None
    same = len(reads) == len(view.reads) and len(left) == len(view.columns) and labels == view.labels
    return view if same else view.model_copy(update={"reads": reads, "columns": left, "labels": labels})
