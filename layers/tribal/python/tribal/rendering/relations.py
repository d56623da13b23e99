"""The meaning of a foreign key as a sentence."""

from __future__ import annotations

from tribal.identity.table_names import format_name
from tribal.rendering.words import listing


def relation_sentence(child: str, parent: str, *, nullable: bool, columns: tuple[str, ...] = ()) -> str:
    """Say which rows of two tables belong together; both names are without schema.

    `columns` of the child are mentioned if the sentence would otherwise be the same for another key.
    """
    verb = "may refer" if nullable else "refers"
    by = f" by {listing(columns, limit=len(columns))}" if columns else ""
    whole = "the same table" if child == parent else format_name((parent,))
    return f"Each row of {format_name((child,))} {verb} to one row of {whole}{by}."
