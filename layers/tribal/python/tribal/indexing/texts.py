"""What of a document is searched for: terms for words, texts for vectors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tribal.naming import expand_tokens, humanize, index_terms, split_identifier, stem
from tribal_contracts import Description, DocumentedColumn, TableDocument

MAX_KEYWORDS = 256
_DESCRIPTION_CHARS = 300


def name_terms(identifiers: Iterable[str], context: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """Stems of names as they stand and, where they are short forms, of what they stand for."""
    terms: list[str] = []
    for identifier in identifiers:
        tokens = split_identifier(identifier)
        words = expand_tokens(tokens, context)
        terms.extend(stem(token) for token in tokens)
        terms.extend(stem(word) for word in words if word not in tokens)
    return tuple(terms)


def prose_terms(texts: Iterable[str]) -> tuple[str, ...]:
    """Stems of sentences, without stop words."""
    return tuple(term for text in texts for term in index_terms(text))


def told(description: Description) -> str:
    """A description that says more than the names do; one that was derived from the names says nothing new."""
    return "" if description.source == "derived" else description.text


def context_of(table: TableDocument) -> frozenset[str]:
    """Words of the table's names, which decide what its short forms mean."""
    names = [table.schema_, table.table, *(column.name for column in table.columns)]
    return frozenset(token for name in names for token in split_identifier(name))


def table_text(table: TableDocument, context: frozenset[str]) -> str:
    """What the vector of a table is made of: its schema, its name and those of its columns, and what people said."""
    columns = ", ".join(humanize(column.name, context) for column in table.columns)
    text = f"{humanize(table.schema_, context)}: {humanize(table.table, context)}: {columns}"
    said = told(table.description)[:_DESCRIPTION_CHARS]
    return f"{text}. {said}" if said else text


def name_text(table: TableDocument, context: frozenset[str]) -> str:
    """What the vector of a table's name is made of."""
    return humanize(table.table, context)


def column_text(table: TableDocument, column: DocumentedColumn, context: frozenset[str]) -> str:
    """What the vector of a column is made of."""
    text = f"{humanize(table.table, context)} {humanize(column.name, context)}"
    said = told(column.description)[:_DESCRIPTION_CHARS]
    return f"{text}. {said}" if said else text


def keywords(identifiers: Sequence[str], context: frozenset[str] = frozenset()) -> list[str]:
    """Words of names, short forms beside what they stand for, each once in order, as a person would type them."""
    words: dict[str, None] = {}
    for identifier in identifiers:
        tokens = split_identifier(identifier)
        words.update(dict.fromkeys((*tokens, *expand_tokens(tokens, context))))
    return list(words)[:MAX_KEYWORDS]
