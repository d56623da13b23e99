"""Tables for inference, written in one line each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tribal.identity.table_names import TableIdentity
from tribal.joins.outline import OutlinedColumn, OutlinedForeignKey, TableOutline
from tribal.key_inference import Inference, Overlaps
from tribal_contracts import DatabaseType, DocumentedKey, InferredKey, TableKind

_TYPES = {
    "t": "text",
    "i": "integer",
    "n": "integer",
    "u": "uuid",
    "d": "date",
    "b": "bytea",
    "c": "public.citext",
    "x": "public.key_text",
    "m": "public.mood",
}
_BASES = {"x": "character varying(20)"}
"""What a domain is based on."""


def outline(
    name: str,
    columns: str,
    *,
    key: str = "",
    unique: Sequence[str] = (),
    references: Mapping[str, str] | None = None,
    kind: TableKind = "table",
    view: str | None = None,
) -> TableOutline:
    """A table of the database `db`; in schema `s`, unless its name has another.

    Args:
        name: its name, with or without a schema.
        columns: names of columns, with a letter of `_TYPES` such as `:t` unless they are integers, `:n` if the
            database numbers them, and `!` if never null.
        key: the columns of the primary key.
        unique: the columns of each unique key.
        references: for columns of declared keys, the table and columns that they reference.
        kind: what it is.
        view: its definition.
    """
    schema, _, table = name.rpartition(".")
    foreign = []
    for own, target in (references or {}).items():
        parent, *others = target.split()
        foreign.append((own.split(), _full_name(parent), others))
    declared = {column for own, _, _ in foreign for column in own}
    parsed = [(*each.rstrip("!").partition(":"), each.endswith("!")) for each in columns.split()]
    return TableOutline(
        name=_full_name(name),
        schema_=schema or "s",
        table=table,
        kind=kind,
        columns=[
            OutlinedColumn(
                name=one,
                type=_TYPES[of or "i"],
                nullable=not fixed,
                is_foreign_key=one in declared,
                base_type=_BASES.get(of),
                identity="always" if of == "n" else None,
            )
            for one, _, of, fixed in parsed
        ],
        primary_key=DocumentedKey(name="pk", columns=key.split()) if key else None,
        unique_keys=[DocumentedKey(name="u", columns=each.split()) for each in unique],
        foreign_keys=[
            OutlinedForeignKey(columns=own, references_table=parent, references_columns=others)
            for own, parent, others in foreign
        ],
        indexes=[],
        view_definition=view,
    )


def likely(
    *tables: TableOutline, overlaps: Overlaps | None = None, dialect: DatabaseType | None = "postgres"
) -> set[str]:
    """The keys that are sure enough to be published, as text."""
    return set(map(_text, Inference.of(tables, dialect).likely_keys(overlaps)))


def _text(key: InferredKey) -> str:
    own, others = ", ".join(key.from_columns), ", ".join(key.to_columns)
    return f"{_short(key.from_table)}({own}) -> {_short(key.to_table)}({others})"


def _full_name(name: str) -> str:
    schema, _, table = name.rpartition(".")
    return str(TableIdentity("db", schema or "s", table))


def _short(name: str) -> str:
    identity = TableIdentity.parse(name)
    return identity.table if identity.schema == "s" else f"{identity.schema}.{identity.table}"
