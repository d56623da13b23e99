"""Folds tables that inherit all their columns into their parent, like partitions.

Tables were partitioned this way before PostgreSQL 10. A table that has a column, key or check of its own or several
parents, or is referenced by a foreign key, is a table in its own right and is kept.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from tribal.adapters.postgres.rows import CatalogRows, ColumnRow, ConstraintRow, TableRow
from tribal.ports import SchemaAndTable


def fold_inheriting_tables(rows: CatalogRows) -> tuple[CatalogRows, frozenset[SchemaAndTable]]:
    """The rows without folded tables, and the names of those; their counts and sizes go to the parent."""
    roots = _roots(rows)
    if not roots:
        return rows, frozenset()
    heads = [TableRow(*row) for row in rows.tables]
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
