"""Describes tables: by their comment, else by their keys and name."""

from __future__ import annotations

from collections.abc import Sequence

from tribal.catalog.identity import TableIdentity, format_name
from tribal.describing.rules.notes import looks_like_a_leftover
from tribal.describing.rules.phrases import (
    GUESS,
    LIKELY,
    PARTLY_KNOWN,
    TABLE_COMMENT_CHARS,
    clean_comment,
    commented,
    derived,
)
from tribal.describing.rules.views import view_origins
from tribal.naming import segment_all, split_identifier
from tribal.ports import TableContext
from tribal.rendering.words import listing, plural_noun, row_noun, with_article
from tribal_contracts import CatalogForeignKey, CatalogTable, Description

_LISTED = 4
"""Tables named in one sentence; by judgement, not measured."""
_KEPT_OVER_TIME = frozenset("history log journal trail archive".split())
_NAMING_WORDS = frozenset("name title label description".split())
_LOOKUP_WORDS = _NAMING_WORDS | frozenset(
    "code short abbreviation group sort order position active created updated modified row version guid rowguid".split()
)


def describe_table(context: TableContext) -> Description:
    """Describe a table: the comment, or what a row is and how it relates to others."""
    comment = clean_comment(context.table.comment, TABLE_COMMENT_CHARS)
    if comment:
        return commented(comment)
    table = context.table
    if looks_like_a_leftover(table.table_name):
        text = "Not documented. The name suggests a temporary table or an old copy that nothing should rely on."
        return derived(text, GUESS)
    joined = _connected(table)
    if len(joined) >= 2:
        nouns = [row_noun(key.references_table) for key in joined]
        plurals = listing([plural_noun(noun) for noun in nouns])
        text = f"Connects {plurals}: one row for each {listing(nouns)} that go together."
        return derived(" ".join([text, *_incoming(context)]), LIKELY)
    if table.kind in ("view", "materialized_view"):
        return _view(context)
    return derived(" ".join([*_rows(context), *_incoming(context)]), PARTLY_KNOWN)


def _view(context: TableContext) -> Description:
    origins = view_origins(context.table).tables
    if not origins:
        noun = row_noun(context.table.table_name)
        text = f"Not documented. A view; by its name, one row is {_one(noun)}."
        return derived(" ".join([text, *_incoming(context)]), PARTLY_KNOWN)
    read = [f"{plural_noun(row_noun(name))} ({format_name((schema, name))})" for schema, name in origins]
    text = f"A view of {listing(read, limit=_LISTED)}."
    return derived(" ".join([text, *_incoming(context)]), LIKELY)


def _rows(context: TableContext) -> list[str]:
    """What one row is, as far as keys and name tell."""
    table, noun = context.table, row_noun(context.table.table_name)
    if _is_lookup(context):
        return [f"A look-up list: one row is one {noun}."]
    owners = _owners(table)
    extended = [key for key in owners if table.primary_key and set(key.columns) == set(table.primary_key.columns)]
    told = f"Not documented. By its name, one row is {_one(noun)}"
    if extended:
        told += f": at most one for each {row_noun(extended[0].references_table)} ({_place(extended[0])})"
    elif owners:
        told += f" and belongs to {with_article(row_noun(owners[0].references_table))} ({_place(owners[0])})"
    refers = _outgoing(table, but=extended or owners[:1])
    return [f"{told}{refers}."]


def _one(noun: str) -> str:
    """The noun for one row: one row of a history is not a history."""
    return f"one entry of the {noun}" if noun.rpartition(" ")[2].lower() in _KEPT_OVER_TIME else f"one {noun}"


def _is_lookup(context: TableContext) -> bool:
    """Whether the table has nothing but names and codes, and others refer to it."""
    table = context.table
    key = set(table.primary_key.columns) if table.primary_key else set()
    rest = [column for column in table.columns if column.name not in key]
    words = [split_identifier(column.name) for column in rest]
    plain = all(set(segment_all(name)) & _LOOKUP_WORDS for name in words)
    named = any(set(segment_all(name)) & _NAMING_WORDS for name in words)
    return len(key) == 1 and plain and named and not table.foreign_keys and bool(context.incoming)


def _owners(table: CatalogTable) -> list[CatalogForeignKey]:
    """Foreign keys inside the primary key: a row cannot exist without the one it references."""
    key = set(table.primary_key.columns) if table.primary_key else set()
    own = (table.schema_name, table.table_name)
    inside = [fk for fk in table.foreign_keys if set(fk.columns) <= key]
    return [fk for fk in inside if (fk.references_schema, fk.references_table) != own]


def _place(key: CatalogForeignKey) -> str:
    return format_name((key.references_schema, key.references_table))


def _connected(table: CatalogTable) -> list[CatalogForeignKey]:
    """The foreign keys of a junction table: together they are its whole primary key."""
    key = set(table.primary_key.columns) if table.primary_key else set()
    inside = [fk for fk in table.foreign_keys if set(fk.columns) <= key]
    parents = {(fk.references_schema, fk.references_table): fk for fk in reversed(inside)}
    covered = {column for fk in parents.values() for column in fk.columns}
    return list(reversed(parents.values())) if key and covered == key else []


def _outgoing(table: CatalogTable, but: Sequence[CatalogForeignKey]) -> str:
    own = (table.schema_name, table.table_name)
    parents = dict.fromkeys((fk.references_schema, fk.references_table) for fk in table.foreign_keys)
    for key in [own, *((key.references_schema, key.references_table) for key in but)]:
        parents.pop(key, None)
    if not parents:
        return ""
    named = [f"{with_article(row_noun(name))} ({format_name((schema, name))})" for schema, name in parents]
    return f"; it refers to {listing(named, limit=_LISTED)}"


def _incoming(context: TableContext) -> list[str]:
    own = str(TableIdentity(context.database, context.table.schema_name, context.table.table_name))
    children = [key.from_table for key in context.incoming if key.from_table != own]
    names = []
    for child in dict.fromkeys(children):
        identity = TableIdentity.parse(child)
        names.append(f"{plural_noun(row_noun(identity.table))} ({format_name((identity.schema, identity.table))})")
    return [f"Referred to by {listing(names, limit=_LISTED)}."] if names else []
