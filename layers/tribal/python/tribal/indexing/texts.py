"""The searchable parts of a document: terms for lexical search, texts for vectors."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import chain
from typing import NamedTuple

from tribal.naming import index_terms, may_be_compound, read_name, segment, split_identifier, terms_of
from tribal.naming.mentions import OwnNames
from tribal.rendering.words import informative_text
from tribal_contracts import Description, DocumentedColumn, TableDocument

MAX_KEYWORDS = 256
_DESCRIPTION_CHARS = 300
# Created once: `json.dumps` creates an encoder for each call.
_encode = json.JSONEncoder(ensure_ascii=False).encode


class _Name(NamedTuple):
    """An identifier split into words."""

    terms: tuple[str, ...]
    """Stems by which it is found."""
    spelt_out: str
    spoken: tuple[str, ...]
    """Tokens and the words that they abbreviate, unstemmed and without duplicates."""


class SplitNames(dict[str, _Name]):
    """Splits the names of one document and caches the results, since splitting is most of the work of indexing.

    Args:
        context: words that disambiguate abbreviations.
    """

    def __init__(self, context: frozenset[str] = frozenset()) -> None:
        super().__init__()
        self._context = context

    def __missing__(self, name: str) -> _Name:
        words, forms = read_name(name, self._context)
        found = _Name(tuple(terms_of(forms)), " ".join(words), tuple(dict.fromkeys((*forms, *words))))
        self[name] = found
        return found

    def terms(self, names: Iterable[str]) -> tuple[str, ...]:
        """Stems by which the names are found: tokens, their long forms, and adjacent tokens joined."""
        return tuple(chain.from_iterable([self[name].terms for name in names]))

    def spelt_out(self, name: str) -> str:
        """A name as words: `cust_addr_id` gives "customer address id"."""
        return self[name].spelt_out

    def keywords(self, names: Iterable[str]) -> str:
        """Words, abbreviations and long forms of the names, in order without duplicates, as a JSON array."""
        words = dict.fromkeys(chain.from_iterable([self[name].spoken for name in names]))
        return _encode(list(words)[:MAX_KEYWORDS])


def split_names_of(table: TableDocument) -> SplitNames:
    """A `SplitNames` whose context is the words of the table's own names."""
    names = [table.schema_, table.table, *(column.name for column in table.columns)]
    return SplitNames(frozenset(token for name in names for token in split_identifier(name)))


def own_names(table: TableDocument) -> OwnNames:
    """The names that a table's texts may mention without revealing other objects."""
    return OwnNames.of([table.database, table.schema_, table.table, *(column.name for column in table.columns)])


def prose_terms(texts: Iterable[str]) -> tuple[str, ...]:
    """Stems of the words of sentences, without stop words."""
    return tuple(term for text in texts if text for term in index_terms(text))


def compounds(names: Iterable[str], terms: Iterable[str]) -> tuple[str, ...]:
    """Terms that may be compounds: of names as they are written, unless they can be split, and of texts."""
    written = (word for name in names for word in split_identifier(name) if len(segment(word)) == 1)
    return tuple(sorted({term for term in (*terms_of(written), *terms) if may_be_compound(term)}))


def table_text(table: TableDocument, split_names: SplitNames) -> str:
    """The text embedded for a table: names of the schema, the table and its columns, and descriptions by people."""
    columns = ", ".join(split_names.spelt_out(column.name) for column in table.columns)
    return _with(
        f"{split_names.spelt_out(table.schema_)}: {split_names.spelt_out(table.table)}: {columns}", table.description
    )


def column_text(table: TableDocument, column: DocumentedColumn, split_names: SplitNames) -> str:
    """The text embedded for a column."""
    return _with(f"{split_names.spelt_out(table.table)} {split_names.spelt_out(column.name)}", column.description)


def _with(text: str, description: Description) -> str:
    said = informative_text(description)[:_DESCRIPTION_CHARS]
    return f"{text}. {said}" if said else text
