"""Texts that contradict the catalog. English only: in other languages nothing is found.

Each kind prefers to miss a contradiction over reporting a wrong one: denied, weakened, limited and dated claims count
as none, and so does a claim about anything other than the described column or table, or a column that it names.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass

from tribal.identity.table_names import format_name, parse_name
from tribal.text_checks.contradictions.claims import ContradictionKind, of_column, of_table
from tribal.text_checks.contradictions.parts import parts_of
from tribal.text_checks.contradictions.references import table_words
from tribal.text_checks.sentences import split_sentences
from tribal_contracts import DefinedTerm, Description, DocumentedColumn, TableDocument

__all__ = [
    "CatalogContradiction",
    "catalog_contradictions",
    "decision_contradictions",
    "table_words",
    "term_contradictions",
]

_MAX_QUOTED_CHARS = 120
_DERIVED = ("There is no primary key.", "Written by the routine ", "The trigger ")
"""How notes begin that rules derive from the catalog, and whose words a claim may resemble."""
_PART_COMMENT = re.compile(r"The comment on the (?:foreign key|key|check|index) \S+: ")


@dataclass(frozen=True, slots=True)
class CatalogContradiction:
    """A text and a fact of the catalog that disagree."""

    target: str
    """The table as `database.schema.table`, or one of its columns after a further dot."""
    kind: ContradictionKind
    description: str
    """One sentence that quotes the text and states the fact."""


def catalog_contradictions(table: TableDocument, known: Container[str] = ()) -> list[CatalogContradiction]:
    """Find what the descriptions and notes of a table and its columns say against the catalog.

    Texts that rules derived from the catalog are not read. The table's own come first, then those of its columns.

    Args:
        table: the table.
        known: the `table_words` of other tables that a text may mean, besides those that keys join to it.
    """
    found = list(_of_description(table.description, table, None, known))
    for note in (each for each in table.notes if not each.startswith(_DERIVED)):
        found += text_contradictions(_PART_COMMENT.sub("", note), f"a note on {table.name}", table, known=known)
    for column in table.columns:
        found += _of_description(column.description, table, column, known)
    return found


def _of_description(
    description: Description, table: TableDocument, column: DocumentedColumn | None, known: Container[str]
) -> Iterator[CatalogContradiction]:
    if description.source == "derived":
        return iter(())
    source = f"the description of {_target(table, column)}"
    return text_contradictions(description.text, source, table, column, known)


def term_contradictions(
    term: DefinedTerm, table: TableDocument, known: Container[str] = ()
) -> Iterator[CatalogContradiction]:
    """Find what the definition of a term says against the catalog of one of its tables.

    A definition with one column is read like that column's description, in which the term is the column.
    """
    parts = [parse_name(each) for each in term.columns]
    named = [each for each in table.columns if (*parse_name(table.name), each.name) in parts]
    column = named[0] if len(parts) == 1 and named else None
    called = re.compile(rf"\b(?:(?:an?|the|each|every) )?{re.escape(term.name)}s?\b", re.IGNORECASE)
    text = called.sub("it", term.definition) if column else term.definition
    return text_contradictions(text, f"the term {term.name!r}", table, column, known)


def decision_contradictions(
    text: str, source: str, table: TableDocument, known: Container[str] = ()
) -> Iterator[CatalogContradiction]:
    """Find what a decision or memory about a table says against its catalog.

    If it mentions other tables too, only sentences with the table's name are read.

    Args:
        text: its title and summary.
        source: what it is, such as `the adr 'adr-7'`.
        table: the table.
        known: the `table_words` of other tables that it may mean.
    """
    own = table_words((table.table,))
    # Its title is a sentence of its own.
    sentences = {each: table_words(re.findall(r"\w+", each)) for each in split_sentences(text.replace(": ", ":\n", 1))}
    if any(word in known for words in sentences.values() for word in words - own):
        sentences = {each: words for each, words in sentences.items() if own & words}
    return text_contradictions("\n".join(sentences), source, table, known=known)


def text_contradictions(
    text: str, source: str, table: TableDocument, column: DocumentedColumn | None = None, known: Container[str] = ()
) -> Iterator[CatalogContradiction]:
    """Find what a text about a table, or about one of its columns, says against the catalog.

    Args:
        text: what someone wrote.
        source: what the text is, such as `the term 'active'`.
        table: the table that it is about.
        column: the column that it describes; unset if it describes the table.
        known: the `table_words` of other tables that the text may mean, besides those that keys join to it.
    """
    joined = (*(each.name for each in table.relations), *(key.references_table for key in table.foreign_keys))
    near = table_words(parse_name(each)[-1] for each in joined)

    def is_table(words: str) -> bool:
        return words in near or words in known

    for about, part in parts_of(text, table, column):
        if about is None:
            found = of_table(part, table)
        else:
            found = ((about, each) for each in of_column(part, about, table, is_table))
        for target, (kind, words, fact) in found:
            yield CatalogContradiction(_target(table, target), kind, f"{source} says {_quoted(words)}, but {fact}")


def _target(table: TableDocument, column: DocumentedColumn | None) -> str:
    return table.name if column is None else f"{table.name}.{format_name((column.name,))}"


def _quoted(words: str) -> str:
    """A part of a text in quotes, on one line and cut where it is long."""
    line = " ".join(words.split())
    return f'"{line if len(line) <= _MAX_QUOTED_CHARS else line[: _MAX_QUOTED_CHARS - 1] + "…"}"'
