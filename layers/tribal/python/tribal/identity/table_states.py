"""What of a table can make SQL over it, or words about it, wrong, and how that has changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tribal.identity.hashing import object_hash
from tribal_contracts import ChangedTable, Contract, FullyQualifiedTableName, TableDocument, TableKind, TableState
from tribal_contracts.core.shape import Unset, optional


class ShapedColumn(Contract):
    """The name and type of a column."""

    name: str
    type: str
    nullable: bool


class ShapedKey(Contract):
    """The columns of a key."""

    columns: list[str]


class ShapedForeignKey(ShapedKey):
    """A foreign key."""

    references_table: FullyQualifiedTableName
    references_columns: list[str]


class ShapedCheck(Contract):
    """A check."""

    expression: str


class TableShape(Contract):
    """Columns, keys and checks of a table: a part of `TableDocument`, parsed several times faster."""

    name: FullyQualifiedTableName
    kind: TableKind
    columns: list[ShapedColumn]
    primary_key: ShapedKey | None
    unique_keys: list[ShapedKey]
    foreign_keys: list[ShapedForeignKey]
    checks: list[ShapedCheck]
    view_definition: str | Unset = optional()


def state_of(document: TableDocument | TableShape) -> TableState:
    """What of a table can make SQL over it wrong."""
    columns = {each.name: f"{each.type}{'' if each.nullable else ' not null'}" for each in document.columns}
    unique_keys: Sequence[ShapedKey] = document.unique_keys  # type: ignore[assignment]  # they have columns too
    keys = sorted([key.columns, key.references_table, key.references_columns] for key in document.foreign_keys)
    shape = [
        columns,
        document.kind,
        document.primary_key.columns if document.primary_key else None,
        sorted(key.columns for key in unique_keys),
        keys,
        sorted(check.expression for check in document.checks),
        document.view_definition,
    ]
    return TableState(name=document.name, shape_hash=object_hash(shape), columns=columns)


def changes_since(recorded: Iterable[TableState], now: Mapping[str, TableState]) -> list[ChangedTable]:
    """The tables that have changed since they were recorded, without those that are gone."""
    found = []
    for before in recorded:
        after = now.get(before.name)
        if after is None or after.shape_hash == before.shape_hash:
            continue
        old, new = before.columns, after.columns
        found.append(
            ChangedTable(
                name=before.name,
                added=sorted(new.keys() - old.keys()),
                removed=sorted(old.keys() - new.keys()),
                changed=sorted(name for name in new.keys() & old.keys() if new[name] != old[name]),
            )
        )
    return found


def change_text(change: ChangedTable) -> str:
    """What has changed in a table, as the rest of a sentence."""
    if change.gone:
        return f"{change.name} is no longer documented"
    parts = [("added", change.added), ("removed", change.removed), ("changed", change.changed)]
    columns = [f"{verb} {', '.join(names)}" for verb, names in parts if names]
    return f"{change.name} has {' and '.join(columns)}" if columns else f"keys, checks or SQL of {change.name} changed"
