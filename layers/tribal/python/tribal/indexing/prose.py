"""Texts of a record that may mention other objects, kept separate so that scopes can hide them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tribal.indexing.texts import informative_text, prose_terms
from tribal.naming.mentions import OwnNames, mentioned_words
from tribal.sql.qualifiers import SYSTEM_SCHEMAS, qualifiers, sql_qualifiers
from tribal_contracts import DatabaseType, Description, DocumentedColumn

_CODE = re.compile(r"(?=.*[A-Za-z])[A-Za-z0-9]+(?:[_.-][A-Za-z0-9]+)*")
"""A code such as `past_due` or `EUR`: a query with it means the tables that have it."""


@dataclass(frozen=True, slots=True)
class Prose:
    """Terms of such texts, and words that may be names."""

    terms: tuple[str, ...] = ()
    beyond: tuple[str, ...] = ()
    """Terms of texts that certainly name other schemas."""
    mentions: tuple[str, ...] = ()

    def __add__(self, other: Prose) -> Prose:
        mentions = dict.fromkeys((*self.mentions, *other.mentions))
        return Prose((*self.terms, *other.terms), (*self.beyond, *other.beyond), tuple(mentions))


NO_PROSE = Prose()


def prose_of(descriptions: Iterable[Description], own: OwnNames) -> Prose:
    """The prose of descriptions written by people."""
    texts = [text for text in map(informative_text, descriptions) if text]
    return Prose(prose_terms(texts), (), _mentions(texts, own))


def split_notes(notes: Iterable[str], schema: str) -> tuple[list[str], list[str]]:
    """Split a table's notes by whether they name another schema; rules always qualify such names."""
    inside: list[str] = []
    outside: list[str] = []
    for note in notes:
        (outside if qualifiers(note) - {schema} else inside).append(note)
    return inside, outside


def values_of(columns: Iterable[DocumentedColumn], schema: str, dialect: DatabaseType, own: OwnNames) -> Prose:
    """Values that classify rows: labels of enum types, which belong to the type's schema, and sampled codes."""
    inside: list[str] = []
    outside: list[str] = []
    for column in columns:
        others = sql_qualifiers(column.type, dialect) - SYSTEM_SCHEMAS - {schema}
        (outside if others else inside).extend(column.enum_values or ())
        inside += _codes(column)
    return Prose(prose_terms(inside), prose_terms(outside), _mentions([*inside, *outside], own))


def _codes(column: DocumentedColumn) -> Sequence[str]:
    """The sampled values that may be shown, if all of them look like codes and not like names or numbers."""
    samples = column.samples or ()
    return samples if all(map(_CODE.fullmatch, samples)) else ()


def _mentions(texts: Iterable[str], own: OwnNames) -> tuple[str, ...]:
    return tuple(sorted({word for text in texts for word in mentioned_words(text, own)}))
