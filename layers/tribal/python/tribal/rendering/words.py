"""Phrases and sentences about tables: numbers, lists, relations, evidence, and where to correct a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tribal.identity import locations
from tribal.identity.table_names import format_name, parse_name
from tribal.rendering.markdown import code_span
from tribal_contracts import DatabaseType, Description, DocumentedColumn, Index, ValueMeaning

DIALECTS: dict[DatabaseType, str] = {"postgres": "PostgreSQL", "snowflake": "Snowflake"}
"""Databases by their names."""
NOT_VALIDATED = ", not validated: existing rows may violate it"
"""What a page says of a check that existing rows were not compared with."""
_CUT = " [cut]"


def listing(items: Sequence[str], *, limit: int = 6, last: str = "and") -> str:
    """Items as "a, b and c"; those beyond the limit are only counted."""
    shown = list(items[:limit])
    if len(items) > limit:
        return f"{', '.join(shown)} {last} {len(items) - limit} more"
    if len(shown) < 2:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} {last} {shown[-1]}"


def number(count: int, noun: str, plural_noun: str | None = None) -> str:
    """A count with its noun, in digits with commas."""
    return f"{count:,} {noun if count == 1 else plural_noun or noun + 's'}"


def shorten(text: str, limit: int) -> str:
    """Cut a text to at most `limit` characters with an ellipsis, after a whole word if possible."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    word_end = head.rfind(" ")
    return head[: word_end if word_end > limit // 2 else len(head)].rstrip(" ,;:.") + "…"


def bounded(text: str, most: int) -> str:
    """Return a text of at most `most` characters, marked where it was cut; what UTF-8 cannot hold is replaced."""
    text = text.encode("utf-8", "replace").decode()
    return text if len(text) <= most else text[: most - len(_CUT)].rstrip() + _CUT


def sentence(text: str) -> str:
    """A text with a capital letter and a full stop."""
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "…")) else ".")


def informative_text(description: Description) -> str:
    """The text of a description; empty if it was derived from names and adds nothing."""
    return "" if description.source == "derived" else description.text


def rows_phrase(row_count: int, counted_at: str | None = None) -> str:
    """The number of rows as a phrase with "about", since the server only estimates it."""
    if row_count < 0:
        return "number of rows unknown"
    rows = "no rows" if row_count == 0 else f"about {number(row_count, 'row')}"
    return rows if counted_at is None else f"{rows} on {counted_at[:10]}"


def row_figure(row_count: int) -> str:
    """The number of rows for a table cell."""
    return "unknown" if row_count < 0 else f"{row_count:,}"


def relation_sentence(child: str, parent: str, *, nullable: bool, columns: tuple[str, ...] = ()) -> str:
    """Say which rows of two tables belong together; both names are without schema.

    `columns` of the child are mentioned if the sentence would otherwise be the same for another key.
    """
    verb = "may refer" if nullable else "refers"
    by = f" by {listing(columns, limit=len(columns))}" if columns else ""
    whole = "the same table" if child == parent else format_name((parent,))
    return f"Each row of {format_name((child,))} {verb} to one row of {whole}{by}."


def lists_values(
    text: str, source: str | None, values: Sequence[str], meanings: Mapping[str, ValueMeaning] | None = None
) -> bool:
    """Whether a description already lists the values, with what they mean."""
    if not meanings:
        return source == "derived" and all(value in text for value in values)
    return all(value in meanings and meanings[value].source == source for value in values)


def further_meanings(meanings: Mapping[str, ValueMeaning] | None, source: str | None) -> Mapping[str, ValueMeaning]:
    """The meanings that a description from a source does not give itself."""
    return {value: each for value, each in (meanings or {}).items() if each.source != source}


def meaning_sources(meanings: Mapping[str, ValueMeaning]) -> str:
    """Where meanings of values come from that no key and no description shows: "; meanings from view sales.v"."""
    names = dict.fromkeys(
        f"view {'.'.join(parse_name(each.view)[1:])}" if each.view else "the comment"
        for each in meanings.values()
        if each.source in ("view", "comment")
    )
    return f"; meanings from {listing([*names])}" if names else ""


def basis(description: Description) -> str:
    """The distinct evidence of a description: "foreign key, name"; empty if none is recorded.

    Of a model's, who wrote it and how sure that is comes first: "model (60 %) from names".
    """
    known_from = ", ".join(dict.fromkeys(evidence.of for evidence in description.evidence or ()))
    if description.source == "model":
        return " from ".join([f"model ({description.confidence:.0%})".replace("%", " %"), *filter(None, [known_from])])
    return known_from


def correction(database: str, line: int | None, under: str, keys: Sequence[str]) -> str:
    """The last line of a page: which line of the annotations file corrects it, or where to add one."""
    file = code_span(locations.annotations_file(database))
    if line is not None:
        return f"Something wrong or missing? Correct it in {file}, line {line}; your words are never overwritten."
    where = f" under {code_span(under)}" if under else ""
    named = " or ".join(f"`{key}:`" for key in keys)
    return f"Something wrong or missing? Write it in {file}{where} as {named}; your words are never overwritten."


def uniqueness(index: Index) -> str:
    """Whether an index is unique, and in what sense."""
    if not index.unique:
        return "no"
    notes = ", NULL only once" * bool(index.nulls_not_distinct) + ", deferrable" * bool(index.deferrable)
    return f"yes{notes}"


def hidden_because(column: DocumentedColumn) -> str:
    """Why sampled values of a column are not shown; empty where none was hidden, or no reason is known."""
    if column.marked:
        return f"not sampled, since the database marks it: {column.marked}"
    if not column.hidden or column.sensitive in (None, "value"):
        return ""
    return f"possibly {str(column.sensitive).replace('_', ' ')}"
