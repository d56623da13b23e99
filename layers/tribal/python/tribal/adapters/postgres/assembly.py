"""Assembles the rows of the catalog queries into tables. Pure: rows in, contracts out, in a deterministic order."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from tribal.adapters.postgres.callable import callable_routines
from tribal.adapters.postgres.inheritance import Family, fold_inheriting_tables
from tribal.adapters.postgres.routines import TableExtras
from tribal.adapters.postgres.rows import (
    CatalogRows,
    ColumnRow,
    ConstraintRow,
    IndexRow,
    SchemaRow,
    ServerRow,
    TableRow,
    TextGaps,
    TextKind,
)
from tribal.identity.table_names import format_name
from tribal.ports import BrokenTexts, CatalogContents, name_of
from tribal.sql.dialect import quote_identifier
from tribal_contracts import (
    CatalogCheck,
    CatalogColumn,
    CatalogExclusion,
    CatalogForeignKey,
    CatalogIndex,
    CatalogKey,
    CatalogSchema,
    CatalogTable,
    CompositeField,
    TableKind,
    TableStatistics,
)

UNKNOWN = -1
_NOT_READ = "(not read: "
"""Beginning of the placeholders of texts; no text from the server begins so."""
LOCKED = f"{_NOT_READ}the table was locked)"
"""Placeholder for a text that could not be read because of a lock; the next reading fills it in."""
CHANGED = f"{_NOT_READ}it was changed or dropped at that moment)"
"""Placeholder for a text whose object another session dropped meanwhile."""
_BROKEN = f"{_NOT_READ}the server cannot render it, SQLSTATE "
_VIEW_NOT_READ = "-- "

KINDS: Mapping[str, TableKind] = {
    "r": "table",
    "p": "partitioned_table",
    "v": "view",
    "m": "materialized_view",
    "f": "foreign_table",
}
_ACTIONS = {"r": "RESTRICT", "c": "CASCADE", "n": "SET NULL", "d": "SET DEFAULT"}
_IDENTITIES: Mapping[str, Literal["always", "by default"]] = {"a": "always", "d": "by default"}


class _Texts:
    """Texts by the object they belong to."""

    def __init__(self, rows: Iterable[Sequence[Any]], gaps: TextGaps) -> None:
        self._texts: dict[tuple[str, int, int], str | None] = {
            (kind, owner, place): text for kind, owner, place, text in rows
        }
        self._gaps = gaps

    def of(self, kind: TextKind, owner: int, place: int = 0, *, table: int) -> str:
        """The text, or a placeholder that says why it is missing."""
        known = (kind, owner, place)
        if known in self._texts:
            return self._texts[known] or CHANGED
        state = self._gaps.failed.get((kind, table))
        if state is None and self._gaps.skip_locked:
            return LOCKED
        return f"{_BROKEN}{state or 'unknown'})"

    def view(self, table: int) -> str:
        text = self.of("view", table, table=table)
        return _VIEW_NOT_READ + text if text.startswith(_NOT_READ) else text.strip().removesuffix(";")


def assemble(rows: CatalogRows, gaps: TextGaps) -> CatalogContents:
    """Build the contents of a database, without objects in schemas that the user may not use."""
    rows, folded, family = fold_inheriting_tables(rows)
    server = ServerRow(*rows.server[0])
    schemas = sorted((SchemaRow(*row) for row in rows.schemas), key=lambda schema: schema.name)
    listed = {schema.name for schema in schemas}
    heads = sorted((TableRow(*row) for row in rows.tables), key=lambda table: (table.schema, table.name))
    # A schema that belongs to an extension is listed too when it holds a user's table.
    extra = sorted({head.schema for head in heads if head.usable} - listed)
    parts = _Parts(rows, gaps, family)
    heads = [head for head in heads if head.usable is not False]
    tables = tuple(parts.table(head) for head in heads)
    changed = {name_of(table) for head, table in zip(heads, tables, strict=True) if _was_changed(head, table)}
    return CatalogContents(
        server_database=server.database,
        server_version=server.version,
        schemas=tuple(
            sorted(
                [
                    *(CatalogSchema(name=schema.name, comment=schema.comment) for schema in schemas if schema.usable),
                    *(CatalogSchema(name=name) for name in extra),
                ],
                key=lambda schema: schema.name,
            )
        ),
        unreadable_schemas=tuple(schema.name for schema in schemas if schema.usable is False),
        tables=tables,
        statistics={(head.schema, head.name): _statistics(head) for head in heads},
        routines=tuple(callable_routines(rows.callable, {name_of(table) for table in tables})),
        folded=folded,
        locked=frozenset(name_of(table) for table in tables if any(text == LOCKED for _, text in _unread_texts(table))),
        changed=frozenset(changed),
        broken=tuple(found for table in tables if (found := _broken_texts(table)) is not None),
    )


def _was_changed(head: TableRow, table: CatalogTable) -> bool:
    """Whether another session dropped the table, or something that it mentions, after the snapshot was taken."""
    is_there = head.usable is not None and head.selectable is not None
    refers = all(key.references_table for key in table.foreign_keys)
    return not is_there or not refers or any(text == CHANGED for _, text in _unread_texts(table))


def _broken_texts(table: CatalogTable) -> BrokenTexts | None:
    found = [(what, text) for what, text in _unread_texts(table) if text.startswith(_BROKEN)]
    if not found:
        return None
    states = {text.removeprefix(_BROKEN).removesuffix(")") for _, text in found}
    whats = list(dict.fromkeys(what for what, _ in found))
    return BrokenTexts(table.schema_name, table.table_name, tuple(whats), ", ".join(sorted(states)))


def _unread_texts(table: CatalogTable) -> Iterator[tuple[str, str]]:
    """What has a placeholder in place of its text, and that placeholder."""
    texts = [(f"check {check.name!r}", check.expression) for check in table.checks]
    texts += [(f"exclusion constraint {each.name!r}", each.definition) for each in table.exclusions or ()]
    texts.append(("the partition key", table.partition_key or ""))
    for column in table.columns:
        texts.append((f"the default of {column.name!r}", column.default_value or ""))
        texts.append((f"the expression of {column.name!r}", column.generated or ""))
    for index in table.indexes:
        texts += [(f"index {index.name!r}", text) for text in (*index.columns, index.predicate or "")]
    texts.append(("the definition", (table.view_definition or "").removeprefix(_VIEW_NOT_READ)))
    return ((what, text) for what, text in texts if text.startswith(_NOT_READ))


def _statistics(head: TableRow) -> TableStatistics:
    if KINDS[head.kind] == "partitioned_table" and not head.partitions:
        return TableStatistics(row_count=0, size_bytes=0)
    if head.rows is None:
        return TableStatistics(row_count=UNKNOWN, size_bytes=head.size_bytes or UNKNOWN)
    return TableStatistics(row_count=head.rows, size_bytes=UNKNOWN if head.size_bytes is None else head.size_bytes)


_MOST_PARTITIONS = 5_000
"""The most partition names kept for one table. By judgement: more would be longer than the rest of its document."""


class _Parts:
    """The parts of all tables, by table oid."""

    def __init__(self, rows: CatalogRows, gaps: TextGaps, family: Family) -> None:
        self._texts = _Texts(rows.texts, gaps)
        self._family = family
        self._types = _TypeNotes(rows.types, lambda check: self._texts.of("domain", check, table=check))
        heads = [TableRow(*row) for row in rows.tables]
        self._extras = TableExtras(heads, rows.triggers, rows.policies, rows.routines)
        self._enums: dict[int, list[str]] = {row[0]: row[1] for row in rows.enums}
        self._columns: dict[int, list[ColumnRow]] = defaultdict(list)
        self._constraints: dict[int, list[ConstraintRow]] = defaultdict(list)
        self._indexes: dict[int, list[IndexRow]] = defaultdict(list)
        self._reads: dict[int, list[str]] = defaultdict(list)
        for view, *read in rows.dependencies:
            self._reads[view].append(format_name(read))
        for column in map(ColumnRow._make, rows.columns):
            self._columns[column.table].append(column)
        for constraint in map(ConstraintRow._make, rows.constraints):
            self._constraints[constraint.table].append(constraint)
        for index in map(IndexRow._make, rows.indexes):
            self._indexes[index.table].append(index)

    def table(self, head: TableRow) -> CatalogTable:
        kind = KINDS[head.kind]
        columns = sorted(self._columns[head.oid], key=lambda column: column.position)
        constraints = sorted(self._constraints[head.oid], key=lambda constraint: constraint.name)
        indexes = sorted(self._indexes[head.oid], key=lambda index: index.name)
        keys = [
            (each.kind, CatalogKey(name=each.name, columns=each.columns or [], comment=each.comment))
            for each in constraints
            if each.kind in "pu"
        ]
        exclusions = [
            CatalogExclusion(name=each.name, definition=self._texts.of("exclusion", each.oid, table=head.oid))
            for each in constraints
            if each.kind == "x"
        ]
        return CatalogTable(
            schema_name=head.schema,
            table_name=head.name,
            kind=kind,
            comment=head.comment,
            columns=[self._column(column) for column in columns],
            primary_key=next((key for letter, key in keys if letter == "p"), None),
            unique_keys=[key for letter, key in keys if letter == "u"],
            foreign_keys=[_foreign_key(each) for each in constraints if each.kind == "f"],
            indexes=[self._index(index) for index in indexes],
            checks=[
                CatalogCheck(
                    name=each.name,
                    expression=self._texts.of("check", each.oid, table=head.oid),
                    validated=None if each.validated else False,
                    comment=each.comment,
                )
                for each in constraints
                if each.kind == "c"
            ]
            + [check for column in columns for check in self._types.checks(column)],
            view_definition=self._texts.view(head.oid) if kind in ("view", "materialized_view") else None,
            depends_on=sorted(self._reads.get(head.oid, ())) or None,
            exclusions=exclusions or None,
            partition_key=self._texts.of("partition key", head.oid, table=head.oid) if head.kind == "p" else None,
            inherits=self._family.parents_of(head.oid) or None,
            inherited_by=self._family.children_of(head.oid) or None,
            triggers=self._extras.triggers.get(head.oid),
            policies=self._extras.policies.get(head.oid),
            written_by=self._extras.writers.get(head.oid),
            row_security=head.row_security or None,
            populated=None if head.populated else False,
            foreign_source=_foreign_source(head),
            partition_count=(head.partitions or 0) if kind == "partitioned_table" else head.partitions,
            partitions=sorted(map(format_name, head.partition_names or ()))[:_MOST_PARTITIONS] or None,
            selectable=bool(head.selectable),
        )

    def _column(self, row: ColumnRow) -> CatalogColumn:
        base, base_oid = self._types.bases.get(row.type_oid, (None, row.type_oid))
        return CatalogColumn(
            name=row.name,
            type=row.type,
            nullable=not (row.not_null or row.type_oid in self._types.not_null),
            default_value=self._default(row),
            comment=row.comment,
            identity=_IDENTITIES.get(row.identity),
            generated=self._text_of_column("generated", row) if row.generated else None,
            base_type=base,
            type_comment=self._types.comments.get(row.type_oid),
            enum_values=self._enums.get(base_oid),
            fields=self._types.fields(row.type_oid) or None,
        )

    def _default(self, row: ColumnRow) -> str | None:
        if row.has_default:
            return self._text_of_column("default", row)
        return None if row.generated or row.identity else self._types.defaults.get(row.type_oid)

    def _text_of_column(self, kind: TextKind, row: ColumnRow) -> str:
        return self._texts.of(kind, row.table, row.position, table=row.table)

    def _index(self, row: IndexRow) -> CatalogIndex:
        return CatalogIndex(
            name=row.name,
            columns=[
                self._texts.of("index", row.oid, place, table=row.table) if column is None else column
                for place, column in enumerate(row.columns, start=1)
            ],
            unique=row.unique,
            predicate=self._texts.of("predicate", row.oid, table=row.table) if row.partial else None,
            include=row.include,
            nulls_not_distinct=row.nulls_not_distinct or None,
            deferrable=row.deferrable or None,
            comment=row.comment,
        )


def _foreign_key(row: ConstraintRow) -> CatalogForeignKey:
    return CatalogForeignKey(
        name=row.name,
        columns=row.columns or [],
        references_schema=row.references_schema or "",
        references_table=row.references_table or "",
        references_columns=row.references_columns or [],
        on_update=_ACTIONS.get(row.on_update),
        on_delete=_ACTIONS.get(row.on_delete),
        validated=None if row.validated else False,
        comment=row.comment,
    )


def _foreign_source(head: TableRow) -> str | None:
    """Where a foreign table's rows are, as a reader of its page would name it."""
    if head.foreign_server is None:
        return None
    options = head.foreign_options or {}
    names = [options[name] for name in ("schema_name", "table_name") if name in options]
    server = f"server {format_name((head.foreign_server,))}"
    return f"{format_name(names)} on {server}" if names else server


_CHECK = re.compile(r"CHECK \((.*)\)(?: NOT VALID)?", re.DOTALL)
# Match literals and quoted names whole, so that VALUE is found only where it means the value.
_VALUE = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|\bVALUE\b")


class _TypeNotes:
    """What the catalog says about user-defined types, from the rows of `TYPES`.

    `definition` gives the definition of a check by its oid.

    Attributes:
        comments: by type.
        bases: by domain, the type that it is based on, through any domains in between, and that type's oid.
        defaults: by domain.
        not_null: domains that refuse NULL, or are based on one that does.
    """

    def __init__(self, rows: Iterable[Sequence[Any]], definition: Callable[[int], str]) -> None:
        self._definition = definition
        self._checks: dict[int, list[tuple[str, bool, int]]] = defaultdict(list)
        self.comments: dict[int, str] = {}
        self.bases: dict[int, tuple[str, int]] = {}
        self.defaults: dict[int, str] = {}
        self.not_null: set[int] = set()
        self._fields: dict[int, list[tuple[int, CompositeField]]] = defaultdict(list)
        for type_oid, kind, name, text, oid in rows:
            match kind:
                case "check":
                    self._checks[type_oid].append((name, text == "true", oid))
                case "base":
                    self.bases[type_oid] = text, oid
                case "default":
                    self.defaults[type_oid] = text
                case "not null":
                    self.not_null.add(type_oid)
                case "field":
                    self._fields[type_oid].append((oid, CompositeField(name=name, type=text)))
                case _:
                    self.comments[type_oid] = text

    def fields(self, type_oid: int) -> list[CompositeField]:
        """The fields of a composite type."""
        return [field for _, field in sorted(self._fields.get(type_oid, ()), key=lambda each: each[0])]

    def checks(self, column: ColumnRow) -> list[CatalogCheck]:
        """The checks of a column's domain and its base domains, as conditions on the column."""
        return [
            CatalogCheck(
                name=f"{column.name}: {name}",
                expression=_on_column(self._definition(constraint), column.name),
                validated=None if validated else False,
                domain=column.type,
            )
            for name, validated, constraint in sorted(self._checks.get(column.type_oid, ()))
        ]


def _on_column(definition: str, column: str) -> str:
    found = _CHECK.fullmatch(definition)
    name = quote_identifier(column, "postgres")
    return _VALUE.sub(lambda part: name if part[0] == "VALUE" else part[0], found[1] if found else definition)
