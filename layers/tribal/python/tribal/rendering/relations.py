"""The meaning of a foreign key as a sentence."""

from __future__ import annotations

from tribal.rendering.words import plural_noun, row_noun, with_article


def relation_sentence(child: str, parent: str, *, nullable: bool, columns: tuple[str, ...] = ()) -> str:
    """Says how many rows of two tables belong together; both are given by their bare names.

    `columns` of the child are mentioned if the sentence would otherwise be the same for another key.
    """
    one, other = row_noun(child), row_noun(parent)
    verb = "may refer" if nullable else "refers"
    by = f" by {' and '.join(columns)}" if columns else ""
    if child == parent:
        return f"Each {one} {verb} to another {other}{by}."
    return f"Each {one} {verb} to one {other}{by}; {with_article(other)} can have many {plural_noun(one)}."
