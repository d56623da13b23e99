"""Describe tables: by their comment, or by keys and definitions."""

from __future__ import annotations

from collections.abc import Iterator

from tribal.describing.rules.column_facts import lineage_of
from tribal.describing.rules.phrases import TABLE_COMMENT_CHARS, clean_comment
from tribal.describing.rules.statements import Statement, commented, declared, description
from tribal.identity.table_names import TableIdentity, format_name
from tribal.ports import TableContext
from tribal.rendering.words import listing
from tribal_contracts import CatalogForeignKey, CatalogTable, Description

_LISTED = 4
"""The most tables named in one sentence; a judgement."""


def describe_table(context: TableContext) -> Description:
    """Describe a table by its comment, or by how its rows relate to other tables; may be blank."""
    comment = clean_comment(context.table.comment, TABLE_COMMENT_CHARS)
    if comment:
        return commented(comment)
    return description([*_view(context), *_rows(context.table), *_outgoing(context.table), *_incoming(context)])


def _view(context: TableContext) -> Iterator[Statement]:
    tables = lineage_of(context).tables
    if tables:
        yield declared(f"Reads {listing([format_name(place) for place in tables], limit=_LISTED)}.", "view definition")


def _rows(table: CatalogTable) -> Iterator[Statement]:
    """How many rows there can be, if the primary key is made of foreign keys."""
    key = table.primary_key.columns if table.primary_key else []
    owners = _owners(table)
    covered = {column for owner in owners for column in owner.columns}
    rest = [column for column in key if column not in covered]
    if not owners:
        return
    whole = [owner for owner in owners if set(owner.columns) == set(key)]
    if whole:
        yield declared(f"At most one row for each row of {_place(whole[0])}.", "primary key")
    elif rest:
        others = listing([_place(owner) for owner in owners], limit=_LISTED)
        each = "each row of" if len(owners) == 1 else "each combination of rows of"
        yield declared(f"For {each} {others}, its rows are told apart by {listing(rest)}.", "primary key")
    else:
        others = listing([_place(owner) for owner in owners], limit=len(owners))
        yield declared(f"At most one row for each combination of rows of {others}.", "primary key")


def _owners(table: CatalogTable) -> list[CatalogForeignKey]:
    """Foreign keys inside the primary key, one per table and set of columns."""
    key = set(table.primary_key.columns) if table.primary_key else set()
    inside = {(_place(fk), *sorted(fk.columns)): fk for fk in table.foreign_keys if set(fk.columns) <= key}
    return list(inside.values())


def _place(key: CatalogForeignKey) -> str:
    return format_name((key.references_schema, key.references_table))


def _outgoing(table: CatalogTable) -> Iterator[Statement]:
    own = (table.schema_name, table.table_name)
    parents = dict.fromkeys((key.references_schema, key.references_table) for key in table.foreign_keys)
    parents.pop(own, None)
    if parents:
        yield declared(f"Refers to {listing([format_name(place) for place in parents], limit=_LISTED)}.", "foreign key")


def _incoming(context: TableContext) -> Iterator[Statement]:
    own = str(TableIdentity(context.database, context.table.schema_name, context.table.table_name))
    children = [TableIdentity.parse(key.from_table) for key in context.incoming if key.from_table != own]
    names = list(dict.fromkeys(format_name((child.schema, child.table)) for child in children))
    if names:
        yield declared(f"Referred to by {listing(names, limit=_LISTED)}.", "foreign key")
