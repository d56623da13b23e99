"""What a table holds: its comment, else what its keys and its name tell."""

from __future__ import annotations

from tribal.catalog.identity import TableIdentity, format_name
from tribal.describing.notes import looks_like_a_leftover
from tribal.describing.phrases import (
    GUESS,
    LIKELY,
    TABLE_COMMENT_CHARS,
    clean_comment,
    commented,
    derived,
)
from tribal.ports import TableContext
from tribal.rendering.words import listing, plural_noun, row_noun, with_article
from tribal_contracts import CatalogForeignKey, CatalogTable, Description

_BY_NAME = 0.35


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
    parts = [f"Not documented. By its name, one row is one {row_noun(table.table_name)}{_outgoing(table)}."]
    if table.kind in ("view", "materialized_view"):
        parts[0] = f"Not documented. A view; by its name, one row is one {row_noun(table.table_name)}."
    return derived(" ".join([*parts, *_incoming(context)]), _BY_NAME)


def _connected(table: CatalogTable) -> list[CatalogForeignKey]:
    """The keys of a table that does little else than connect others: together they are its whole primary key."""
    key = set(table.primary_key.columns) if table.primary_key else set()
    inside = [fk for fk in table.foreign_keys if set(fk.columns) <= key]
    parents = {(fk.references_schema, fk.references_table): fk for fk in reversed(inside)}
    covered = {column for fk in parents.values() for column in fk.columns}
    return list(reversed(parents.values())) if key and covered == key else []


def _outgoing(table: CatalogTable) -> str:
    own = (table.schema_name, table.table_name)
    parents = dict.fromkeys((fk.references_schema, fk.references_table) for fk in table.foreign_keys)
    parents.pop(own, None)
    if not parents:
        return ""
    named = [f"{with_article(row_noun(name))} ({format_name((schema, name))})" for schema, name in parents]
    return f"; it refers to {listing(named, limit=4)}"


def _incoming(context: TableContext) -> list[str]:
    own = str(TableIdentity(context.database, context.table.schema_name, context.table.table_name))
    children = [key.from_table for key in context.incoming if key.from_table != own]
    names = []
    for child in dict.fromkeys(children):
        identity = TableIdentity.parse(child)
        names.append(f"{plural_noun(row_noun(identity.table))} ({format_name((identity.schema, identity.table))})")
    return [f"Referred to by {listing(names, limit=4)}."] if names else []
