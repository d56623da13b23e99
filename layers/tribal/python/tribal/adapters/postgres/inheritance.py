"""Folds tables that inherit all their columns into their parent, like partitions.

Tables were partitioned this way before PostgreSQL 10. A table that has a column, key or check of its own or several
parents, or is referenced by a foreign key, is a table in its own right and is kept.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tribal.adapters.postgres.rows import CatalogRows, ColumnRow, ConstraintRow, TableRow
from tribal.identity.table_names import format_name
from tribal.ports import SchemaAndTable


@dataclass(frozen=True, slots=True)
class Family:
    """Who inherits from whom, among the tables that are kept."""

    parents: Mapping[int, Sequence[str]] = field(default_factory=dict)
    children: Mapping[int, Sequence[str]] = field(default_factory=dict)

    def parents_of(self, oid: int) -> list[str]:
        """The tables that one inherits from, as `schema.table`."""
        return sorted(self.parents.get(oid, ()))

    def children_of(self, oid: int) -> list[str]:
        """The tables that inherit from one, as `schema.table`."""
        return sorted(self.children.get(oid, ()))


def fold_inheriting_tables(rows: CatalogRows) -> tuple[CatalogRows, frozenset[SchemaAndTable], Family]:
    """The rows without folded tables, the names of those, and who inherits from whom among the others.

    The counts and sizes of folded tables go to their parent. A parent also counts the rows of the tables that inherit
    from it, since a query that names it reads them.
    """
    roots = _roots(rows)
    heads = [TableRow(*row) for row in rows.tables]
    kept, folded = _without_folded(rows, heads, roots) if roots else (rows, frozenset())
    heads = [TableRow(*row) for row in kept.tables]
    family, below = _family(kept, heads)
    if not below:
        return kept, folded, family
    by_oid = {head.oid: head for head in heads}
    read = {head.oid: [head, *(by_oid[oid] for oid in below.get(head.oid, ()))] for head in heads}
    counted = [
        head._replace(
            rows=_total(each.rows for each in read[head.oid]),
            size_bytes=_total(each.size_bytes for each in read[head.oid]),
        )
        for head in heads
    ]
    return kept._replace(tables=counted), folded, family


def _family(rows: CatalogRows, heads: Sequence[TableRow]) -> tuple[Family, dict[int, set[int]]]:
    """Names of parents and children, and all descendants of each table."""
    names = {head.oid: format_name((head.schema, head.name)) for head in heads}
    parents: dict[int, list[str]] = defaultdict(list)
    children: dict[int, list[int]] = defaultdict(list)
    for child, parent in rows.inheritance:
        if child in names and parent in names:
            parents[child].append(names[parent])
            children[parent].append(child)
    below = {oid: _descendants(oid, children) for oid in children}
    return Family(parents, {oid: [names[child] for child in found] for oid, found in children.items()}), below


def _descendants(oid: int, children: Mapping[int, Sequence[int]]) -> set[int]:
    found: set[int] = set()
    pending = list(children.get(oid, ()))
    while pending:
        child = pending.pop()
        if child not in found:
            found.add(child)
            pending += children.get(child, ())
    return found


def _without_folded(
    rows: CatalogRows, heads: Sequence[TableRow], roots: Mapping[int, int]
) -> tuple[CatalogRows, frozenset[SchemaAndTable]]:
    folded = frozenset((head.schema, head.name) for head in heads if head.oid in roots)
    kept = rows._replace(
        tables=_with_sums(heads, roots),
        columns=[row for row in rows.columns if row[0] not in roots],
        constraints=[row for row in rows.constraints if row[1] not in roots],
        indexes=[row for row in rows.indexes if row[1] not in roots],
    )
    return kept, folded


def _roots(rows: CatalogRows) -> dict[int, int]:
    """The topmost parent of every folded table."""
    parents: dict[int, list[int]] = defaultdict(list)
    for child, parent in rows.inheritance:
        parents[child].append(parent)
    if not parents:
        return {}
    heads = {head.oid: head for head in (TableRow(*row) for row in rows.tables)}
    columns: dict[int, set[str]] = defaultdict(set)
    for column in map(ColumnRow._make, rows.columns):
        columns[column.table].add(column.name)
    constraints = [ConstraintRow(*row) for row in rows.constraints]
    targets = {(row.references_schema, row.references_table) for row in constraints}
    own: dict[int, set[object]] = defaultdict(set)
    for row in constraints:
        if not row.inherited:
            own[row.table].add(_meaning(row))
    up = {
        child: above[0]
        for child, above in parents.items()
        if len(above) == 1
        and child in heads
        and above[0] in heads
        and columns[child] == columns[above[0]]
        and own[child] <= own[above[0]]
        and (heads[child].schema, heads[child].name) not in targets
    }
    return {child: _topmost(child, up) for child in up}


def _topmost(oid: int, up: Mapping[int, int]) -> int:
    while oid in up:
        oid = up[oid]
    return oid


def _with_sums(heads: Iterable[TableRow], roots: Mapping[int, int]) -> list[TableRow]:
    members: dict[int, list[TableRow]] = defaultdict(list)
    for head in heads:
        members[roots.get(head.oid, head.oid)].append(head)
    return [_sum(head, members[head.oid]) for head in heads if head.oid not in roots]


def _sum(head: TableRow, members: Sequence[TableRow]) -> TableRow:
    if len(members) == 1:
        return head
    return head._replace(
        rows=_total(member.rows for member in members),
        size_bytes=_total(member.size_bytes for member in members),
        partitions=(head.partitions or 0) + len(members) - 1,
        partition_names=[(each.schema, each.name) for each in members if each is not head],
    )


def _total(numbers: Iterable[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None


def _meaning(row: ConstraintRow) -> object:
    """What a key says, whatever its name and table; a check says something of its own."""
    if row.kind == "c":
        return row.oid
    return (
        row.kind,
        tuple(row.columns or ()),
        row.references_schema,
        row.references_table,
        tuple(row.references_columns or ()),
    )
