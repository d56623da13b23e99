"""Names of tables as pages write them."""

from __future__ import annotations

from tribal.catalog.identity import TableIdentity, format_name
from tribal.rendering.markdown import escape_text, link


def short_name(name: str) -> str:
    """A table's name without the database, as Markdown, for pages within that database."""
    identity = TableIdentity.parse(name)
    return escape_text(format_name((identity.schema, identity.table)))


def linked_table(name: str, from_page: str, to_page: str) -> str:
    """A table's name as a link to its page."""
    return link(short_name(name), from_page, to_page)
