"""What of a document is searched for: terms for words, texts for vectors."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tribal.naming import expand_tokens, index_terms, split_identifier, stem
from tribal_contracts import Description, DocumentedColumn, TableDocument

MAX_KEYWORDS = 256
_DESCRIPTION_CHARS = 300
# Made once: `json.dumps` makes an encoder for each call.
_encode = json.JSONEncoder(ensure_ascii=False).encode


@dataclass(frozen=True, slots=True)
class _Name:
    """A name taken apart."""

    tokens: tuple[str, ...]
    words: tuple[str, ...]
    """The tokens, short forms spelt out."""
    terms: tuple[str, ...]
    """Stems of the tokens and, where they are short forms, of what they stand for."""


class Wording:
    """Reads the names of one document, each once: taking names apart is most of the work of indexing.

    Args:
        context: words that decide what short forms mean.
    """

    def __init__(self, context: frozenset[str] = frozenset()) -> None:
        self._context = context
        self._read: dict[str, _Name] = {}

    def terms(self, names: Iterable[str]) -> tuple[str, ...]:
        """Stems of names as they stand and, where they are short forms, of what they stand for."""
        return tuple(term for name in names for term in self._of(name).terms)

    def spelt_out(self, name: str) -> str:
        """A name as words: `cust_addr_id` gives "customer address id"."""
        return " ".join(self._of(name).words)

    def keywords(self, names: Sequence[str]) -> str:
        """Words of names, short forms beside what they stand for, each once in order, as a JSON array."""
        words: dict[str, None] = {}
        for name in names:
            words.update(dict.fromkeys((*self._of(name).tokens, *self._of(name).words)))
        return _encode(list(words)[:MAX_KEYWORDS])

    def _of(self, name: str) -> _Name:
        found = self._read.get(name)
        if found is None:
            tokens = _tokens(name)
            words = tuple(expand_tokens(tokens, self._context))
            terms = (*map(stem, tokens), *(stem(word) for word in words if word not in tokens))
            found = self._read[name] = _Name(tokens, words, terms)
        return found


def wording_of(table: TableDocument) -> Wording:
    """The words of a table's names decide what its short forms mean."""
    names = [table.schema_, table.table, *(column.name for column in table.columns)]
    return Wording(frozenset(token for name in names for token in _tokens(name)))


# Tables have many columns of the same name.
@lru_cache(maxsize=16_384)
def _tokens(name: str) -> tuple[str, ...]:
    return tuple(split_identifier(name))


def prose_terms(texts: Iterable[str]) -> tuple[str, ...]:
    """Stems of sentences, without stop words."""
    return tuple(term for text in texts if text for term in index_terms(text))


def told(description: Description) -> str:
    """A description that says more than the names do; one that was derived from the names says nothing new."""
    return "" if description.source == "derived" else description.text


def table_text(table: TableDocument, wording: Wording) -> str:
    """What the vector of a table is made of: its schema, its name and those of its columns, and what people said."""
    columns = ", ".join(wording.spelt_out(column.name) for column in table.columns)
    return _with(f"{wording.spelt_out(table.schema_)}: {wording.spelt_out(table.table)}: {columns}", table.description)


def column_text(table: TableDocument, column: DocumentedColumn, wording: Wording) -> str:
    """What the vector of a column is made of."""
    return _with(f"{wording.spelt_out(table.table)} {wording.spelt_out(column.name)}", column.description)


def _with(text: str, description: Description) -> str:
    said = told(description)[:_DESCRIPTION_CHARS]
    return f"{text}. {said}" if said else text
