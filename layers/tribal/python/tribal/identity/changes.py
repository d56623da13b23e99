"""What changed between two states of a database's structure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from tribal_contracts import (
    CatalogCheck,
    CatalogColumn,
    CatalogForeignKey,
    CatalogIndex,
    CatalogKey,
    CatalogTable,
    CatalogTrigger,
    KeyElsewhere,
)

TableFate = Literal["added", "dropped", "changed", "excluded", "unreadable"]
"""Tables that are `excluded` by the configuration or `unreadable` for this user are hidden, not dropped."""


@dataclass(frozen=True, slots=True)
class Change:
    """One difference inside a table; `before` is unset for what was added, `after` for what was removed.

    `what` is "column", "comment", "primary key", "index" and so on, `name` the column, key or index; `aspect`
    says what changed about it, unless it is new or gone as a whole.
    """

    what: str
    name: str = ""
    aspect: str = ""
    before: str | None = None
    after: str | None = None


@dataclass(frozen=True, slots=True)
class TableChange:
    """What became of one table; `changes` are set only for a table that exists before and after."""

    schema: str
    table: str
    fate: TableFate
    changes: tuple[Change, ...] = ()


def compare_tables(before: Iterable[CatalogTable], after: Iterable[CatalogTable]) -> Iterator[TableChange]:
    """Tables that differ, in order of schema and name. Both sides are in that order, and are read only once."""
    left, right = iter(before), iter(after)
    old, new = next(left, None), next(right, None)
    while old is not None or new is not None:
        if new is None or (old is not None and _key(old) < _key(new)):
            assert old is not None
            yield TableChange(old.schema_name, old.table_name, "dropped")
            old = next(left, None)
        elif old is None or _key(new) < _key(old):
            yield TableChange(new.schema_name, new.table_name, "added")
            new = next(right, None)
        else:
            changes = tuple(_table_changes(old, new)) if old != new else ()
            if changes:
                yield TableChange(new.schema_name, new.table_name, "changed", changes)
            old, new = next(left, None), next(right, None)


def _key(table: CatalogTable) -> tuple[str, str]:
    return table.schema_name, table.table_name


def _table_changes(old: CatalogTable, new: CatalogTable) -> Iterator[Change]:
    yield from _scalars(
        [
            ("kind", old.kind, new.kind),
            ("comment", old.comment, new.comment),
            ("view definition", old.view_definition, new.view_definition),
            ("clustering key", old.clustering_key, new.clustering_key),
            ("transient", _yes_no(bool(old.transient)), _yes_no(bool(new.transient))),
            ("secure", _yes_no(bool(old.secure)), _yes_no(bool(new.secure))),
            ("partitions", *_partitions(old, new)),
            ("partition key", old.partition_key, new.partition_key),
            ("partition of", old.partition_of, new.partition_of),
            ("inherits from", _columns(old.inherits or ()), _columns(new.inherits or ())),
            ("inherited by", _columns(old.inherited_by or ()), _columns(new.inherited_by or ())),
            ("row-level security", _yes_no(bool(old.row_security)), _yes_no(bool(new.row_security))),
            ("was refreshed", _yes_no(old.populated is not False), _yes_no(new.populated is not False)),
            ("source", old.foreign_source, new.foreign_source),
            ("may be selected", _yes_no(old.selectable), _yes_no(new.selectable)),
        ]
    )
    yield from _column_changes(old, new)
    yield from _named(
        "primary key",
        {key.name: _own_key(key) for key in (old.primary_key,) if key},
        {key.name: _own_key(key) for key in (new.primary_key,) if key},
    )
    yield from _named(
        "unique key",
        {key.name: _own_key(key) for key in old.unique_keys},
        {key.name: _own_key(key) for key in new.unique_keys},
    )
    yield from _named(
        "foreign key",
        {key.name: _reference(key) for key in old.foreign_keys},
        {key.name: _reference(key) for key in new.foreign_keys},
    )
    yield from _named(
        "foreign key to another database",
        {key.name: _cross_database_key(key) for key in old.keys_elsewhere or ()},
        {key.name: _cross_database_key(key) for key in new.keys_elsewhere or ()},
    )
    yield from _named(
        "index",
        {index.name: _index(index) for index in old.indexes},
        {index.name: _index(index) for index in new.indexes},
    )
    yield from _named(
        "check",
        {check.name: _check(check) for check in old.checks},
        {check.name: _check(check) for check in new.checks},
    )
    yield from _named(
        "exclusion",
        {each.name: each.definition for each in old.exclusions or ()},
        {each.name: each.definition for each in new.exclusions or ()},
    )
    yield from _named(
        "trigger",
        {each.name: _trigger(each) for each in old.triggers or ()},
        {each.name: _trigger(each) for each in new.triggers or ()},
    )
    yield from _named(
        "policy",
        {each.name: _comment(each.comment) for each in old.policies or ()},
        {each.name: _comment(each.comment) for each in new.policies or ()},
    )
    yield from _named(
        "routine that writes it",
        {each.name: _comment(each.comment) for each in old.written_by or ()},
        {each.name: _comment(each.comment) for each in new.written_by or ()},
    )


def _scalars(pairs: Iterable[tuple[str, str | None, str | None]]) -> Iterator[Change]:
    for what, before, after in pairs:
        if before != after:
            yield Change(what, before=before, after=after)


def _column_changes(old: CatalogTable, new: CatalogTable) -> Iterator[Change]:
    before = {column.name: column for column in old.columns}
    after = {column.name: column for column in new.columns}
    for name, column in before.items():
        if name not in after:
            yield Change("column", name, before=_declared(column))
    for name, column in after.items():
        if name not in before:
            yield Change("column", name, after=_declared(column))
            continue
        was, now = _aspects(before[name]), _aspects(column)
        for aspect, value in now.items():
            if was[aspect] != value:
                yield Change("column", name, aspect, was[aspect], value)
    kept_before = [name for name in before if name in after]
    kept_after = [name for name in after if name in before]
    if kept_before != kept_after:
        yield Change("order of columns", before=_columns(kept_before), after=_columns(kept_after))


def _aspects(column: CatalogColumn) -> dict[str, str | None]:
    return {
        "type": column.type,
        "nullable": _yes_no(column.nullable),
        "default": column.default_value,
        "identity": column.identity,
        "generated": column.generated,
        "values": ", ".join(column.enum_values) if column.enum_values is not None else None,
        "fields": ", ".join(f"{each.name} {each.type}" for each in column.fields) if column.fields else None,
        "comment": column.comment,
        "comment on the type": column.type_comment,
        "marked": column.sensitive,
    }


def _declared(column: CatalogColumn) -> str:
    parts = [column.type, "" if column.nullable else "not null"]
    if column.default_value is not None:
        parts.append(f"default {column.default_value}")
    return " ".join(part for part in parts if part)


def _named(what: str, before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Change]:
    """Everything that is new, gone or different, in order of names."""
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name):
            yield Change(what, name, before=before.get(name), after=after.get(name))


def _columns(names: Iterable[str]) -> str:
    return ", ".join(names)


def _reference(key: CatalogForeignKey) -> str:
    actions = [
        f"on update {key.on_update}" if key.on_update else "",
        f"on delete {key.on_delete}" if key.on_delete else "",
    ]
    target = f"{key.references_schema}.{key.references_table} ({_columns(key.references_columns)})"
    parts = (f"({_columns(key.columns)}) to {target}", *actions, _state(key.validated), _comment(key.comment))
    return " ".join(part for part in parts if part)


def _own_key(key: CatalogKey) -> str:
    return f"{_columns(key.columns)} {_comment(key.comment)}".rstrip()


def _check(check: CatalogCheck) -> str:
    return " ".join(part for part in (check.expression, _state(check.validated), _comment(check.comment)) if part)


def _trigger(trigger: CatalogTrigger) -> str:
    state = "disabled" if trigger.enabled is False else ""
    return " ".join(part for part in (trigger.fires, trigger.routine, state, _comment(trigger.comment)) if part)


def _state(validated: bool | None) -> str:
    return "not validated" if validated is False else ""


def _comment(text: str | None) -> str:
    return f"({text})" if text else ""


def _cross_database_key(key: KeyElsewhere) -> str:
    target = f"{key.references_database}.{key.references_schema}.{key.references_table}"
    return f"({_columns(key.columns)}) to {target} ({_columns(key.references_columns)})"


def _index(index: CatalogIndex) -> str:
    parts = ("unique" * index.unique, f"({_columns(index.columns)})", index.terms, _comment(index.comment))
    return " ".join(filter(None, parts))


def _yes_no(value: bool) -> str:
    return "yes" if value else "no"


def _number(value: int | None) -> str | None:
    return None if value is None else str(value)


def _partitions(old: CatalogTable, new: CatalogTable) -> tuple[str | None, str | None]:
    """How many partitions both have; if equally many, the names of those that one of them has alone."""
    before, after = set(old.partitions or ()), set(new.partitions or ())
    # Snapshots of earlier versions have no names.
    if old.partition_count != new.partition_count or not before or not after:
        return _number(old.partition_count), _number(new.partition_count)
    return _columns(sorted(before - after)), _columns(sorted(after - before))
