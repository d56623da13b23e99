"""Table names for pages."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tribal.identity.table_names import TableIdentity, format_name
from tribal.rendering.markdown import escape_text, link


def short_name(name: str) -> str:
    """A table's name without the database, as Markdown, for pages within that database."""
    identity = TableIdentity.parse(name)
    return escape_text(format_name((identity.schema, identity.table)))


def linked_table(name: str, from_page: str, to_page: str) -> str:
    """A table's name as a link to its page."""
    return link(short_name(name), from_page, to_page)


def linked_prose(text: str, tables: Mapping[str, str], from_page: str) -> str:
    """A text as one line of Markdown, in which the names of tables are links.

    Args:
        text: plain text that names tables as `schema.table`.
        tables: pages by fully qualified name, relative to `docs/`.
        from_page: the page with the text.
    """
    pages = {}
    for name, path in tables.items():
        identity = TableIdentity.parse(name)
        pages[format_name((identity.schema, identity.table))] = (name, path)
    if not pages:
        return escape_text(text)
    longest_first = sorted(pages, key=lambda name: (-len(name), name))
    parts = re.split(rf"(?<![\w.\"])({'|'.join(map(re.escape, longest_first))})(?!\w|[.\"]\w)", text)
    return "".join(
        linked_table(pages[part][0], from_page, pages[part][1]) if part in pages else _escaped_part(part)
        for part in parts
        if part
    )


def _escaped_part(text: str) -> str:
    """A part of a line, with its surrounding spaces."""
    before, after = (" " * (end.isspace()) for end in (text[0], text[-1]))
    return f"{before}{escape_text(text)}{after}" if text.strip() else " "
