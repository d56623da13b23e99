"""Follow what tables are made from, and what is made from them, over documents."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import Field

from tribal_contracts import Contract, Count, FullyQualifiedTableName, LineageVia, ReadColumn, Unset
from tribal_contracts.core.shape import optional

MAX_TABLES = 200
MAX_EDGES = 2_000
"""The most that one answer follows; a guess at more than anyone reads."""


class NamedColumn(Contract):
    """A column of a table."""

    name: str


class TableReads(Contract):
    """What a table reads and is read by: a part of `TableDocument`, parsed from the same JSON several times faster."""

    name: FullyQualifiedTableName
    columns: list[NamedColumn]
    reads: list[FullyQualifiedTableName] = Field(default_factory=list)
    read_by: list[FullyQualifiedTableName] = Field(default_factory=list)
    read_by_total: Count | Unset = optional()
    lineage: list[ReadColumn] = Field(default_factory=list)
    lineage_problem: str | Unset = optional()

    def tables(self) -> list[str]:
        """All tables that it reads: the document lists only the first of them by name."""
        return sorted({*self.reads, *(edge.from_table for edge in self.lineage)})


Reading = Callable[[Sequence[str]], Mapping[str, TableReads]]
"""Reads tables by name; those that the caller may not see, or that are not documented, are left out."""
Columns = frozenset[str] | None
"""Some columns of a table; `None` for the whole table."""


@dataclass(frozen=True, slots=True, order=True)
class Edge:
    """From what is read to what reads it; a column is empty where only the table is known, or meant."""

    from_table: str
    from_column: str
    to_table: str
    to_column: str
    via: LineageVia


@dataclass(slots=True)
class Walk:
    """What was found, nearest first."""

    edges: dict[Edge, None] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    """Why columns could not be followed, by view."""
    tables: set[str] = field(default_factory=set)
    truncated: bool = False

    def add(self, edge: Edge) -> None:
        """Add an edge, unless the walk has enough."""
        tables = self.tables | {edge.from_table, edge.to_table}
        if edge in self.edges:
            return
        if len(tables) > MAX_TABLES or len(self.edges) >= MAX_EDGES:
            self.truncated = True
            return
        self.tables = tables
        self.edges[edge] = None


def walk_upstream(walk: Walk, table: str, column: str | None, depth: int, read: Reading) -> None:
    """Add what a table, or one column of it, is made from."""

    def step(level: Mapping[str, Columns]) -> Iterator[tuple[Edge, str, str]]:
        views = read(sorted(level))
        seen = read(sorted({each for view in views.values() for each in view.tables()}))
        for name, view in sorted(views.items()):
            for edge in _edges_into(view, level[name], None, walk):
                if edge.from_table in seen:
                    yield edge, edge.from_table, edge.from_column

    _walk(walk, table, column, depth, step)


def walk_downstream(walk: Walk, table: str, column: str | None, depth: int, read: Reading) -> None:
    """Add what is made from a table, or from one column of it; a column that only decides on rows leads no further."""

    def step(level: Mapping[str, Columns]) -> Iterator[tuple[Edge, str, str]]:
        tables = read(sorted(level))
        views = read(sorted({each for one in tables.values() for each in one.read_by}))
        for name, one in sorted(tables.items()):
            for reader in one.read_by:
                if reader in views:
                    for edge in _edges_into(views[reader], None, (name, level[name]), walk):
                        yield edge, edge.to_table, edge.to_column

    _walk(walk, table, column, depth, step)


def affected_views(table: str, column: str | None, read: Reading, depth: int = 10) -> list[str]:
    """The views that a change of a table, or of a column, reaches: those that read it, and whatever reads those."""
    direct = Walk()
    walk_downstream(direct, table, column, 1, read)
    found = dict.fromkeys(edge.to_table for edge in direct.edges)
    level: Iterable[str] = list(found)
    for _ in range(depth - 1):
        readers = {each for one in read(sorted(level)).values() for each in one.read_by} - found.keys() - {table}
        level = sorted(read(sorted(readers)))
        found |= dict.fromkeys(level)
    return list(found)


Step = Callable[[Mapping[str, Columns]], Iterator[tuple[Edge, str, str]]]
"""The edges at the tables of a level, each with the table and the column that come next."""


def _walk(walk: Walk, table: str, column: str | None, depth: int, step: Step) -> None:
    level: dict[str, Columns] = {table: None if column is None else frozenset([column])}
    done: set[tuple[str, str]] = {(table, column or "")}
    for _ in range(depth):
        following: dict[str, set[str]] = {}
        for edge, other, part in step(level):
            walk.add(edge)
            if column is None:
                part = ""
            elif not part and edge.via == "filter":
                continue
            if (other, part) not in done and (other, "") not in done:
                done.add((other, part))
                following.setdefault(other, set()).add(part)
        if walk.truncated or not following:
            return
        level = {name: None if "" in parts else frozenset(parts) for name, parts in following.items()}


def collect_edges(views: Iterable[TableReads], visible: Collection[str]) -> Walk:
    """Collect every edge into some views from visible tables, however many there are.

    Walks over these steps find what `walk_upstream` and `walk_downstream` find, with one rule for views with a problem:
    upstream, a table that such a view reads by none of the followed columns has one computed step without columns;
    downstream, its computed steps without columns follow every column.
    """
    walk = Walk()
    found = {edge for view in views for edge in _edges_into(view, None, None, walk) if edge.from_table in visible}
    walk.edges = dict.fromkeys(sorted(found))
    return walk


def _edges_into(view: TableReads, columns: Columns, source: tuple[str, Columns] | None, walk: Walk) -> Iterator[Edge]:
    """The edges into a view: into some columns of it, or from a table or some of its columns."""
    table, from_columns = source or (None, None)
    known: set[str] = set()
    for each in view.lineage:
        if (columns is None or each.column in columns) and table in (None, each.from_table):
            known.add(each.from_table)
            if from_columns is None or each.from_column in from_columns:
                yield Edge(each.from_table, each.from_column, view.name, each.column or "", each.via)
    if view.lineage_problem:
        walk.problems[view.name] = view.lineage_problem
    if view.lineage_problem or (columns is None and from_columns is None):
        via: LineageVia = "computed" if view.lineage_problem else "filter"
        for other in [table] if table else view.tables():
            if other not in known:
                yield Edge(other, "", view.name, "", via)


def visible_reading(read: Reading, visible: Collection[str], views: Collection[str]) -> Reading:
    """A reading of visible tables alone, in which the readers of a table are complete.

    Args:
        read: reads documents, which list only the first readers of a table by name.
        visible: the tables that a caller may see.
        views: those that can read others.
    """

    def reading(names: Sequence[str]) -> Mapping[str, TableReads]:
        found = read([name for name in names if name in visible])
        cut = [name for name, one in found.items() if (one.read_by_total or 0) > len(one.read_by)]
        if not cut:
            return found
        readers: dict[str, list[str]] = {name: [] for name in cut}
        for name, view in sorted(read(sorted(views)).items()):
            for table in view.tables():
                if table in readers:
                    readers[table].append(name)
        whole = {name: found[name].model_copy(update={"read_by": readers[name], "read_by_total": None}) for name in cut}
        return {**found, **whole}

    return reading
