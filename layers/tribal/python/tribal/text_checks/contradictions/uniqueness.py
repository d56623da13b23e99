"""Texts that say a column is unique, or that a table has one row per something."""

from __future__ import annotations

import re

from tribal.text_checks.contradictions.clauses import (
    ARTICLE,
    HEDGED,
    NEGATED,
    PAST,
    Clause,
    is_row,
    same_name,
    sentences_of,
    words_of_name,
)
from tribal_contracts import DocumentedColumn, TableDocument

_DENIED = re.compile(
    r"(?:\b(?:not|never|no|non)\b|n't\b)[\w -]{0,30}\bunique|\bduplicat|\b(?:some|several|many|may|can) share\b"
    r"|\b(?:once|more than one)\b",
    re.IGNORECASE,
)
_IDENTIFIES = re.compile(r"uniquely identif(?:y|ies|ying) (?P<entity>[\w -]{1,60})", re.IGNORECASE)
_UNIQUE_LABEL = re.compile(
    r"(?:(?:it|this) is |is )?(?:an? |the |its )?unique (?P<middle>(?:[\w-]+ ){0,3}?)"
    r"(?:identifier|id|key|code|number|name|reference|serial|slug|token|address|login|username|handle)"
    r"(?: (?:for|of|given to|assigned to) (?P<entity>[\w -]{1,60})| such as .{1,100})?",
    re.IGNORECASE,
)
_ROWS = re.compile(
    r"(?:exactly |at most |only )?(?:one|1|a single) (?P<entity>[\w-]+) (?:per|for (?:each|every)) "
    r"(?P<items>[^.;:()]{1,120})",
    re.IGNORECASE,
)
_AND = re.compile(r"\s*(?:,\s*(?:and\s+)?|&|/|\band\b|\bper\b)\s*", re.IGNORECASE)
_LINES = ("row", "record", "entry", "line")
_NOT_NULL = re.compile(r"\(*\"?(?P<column>[\w$]+)\"?\)* IS NOT NULL\)*", re.IGNORECASE)
_MOMENTS = frozenset("at date day on time".split())
_LABELS = frozenset(
    "id identifier identification key code number no nr num name uuid guid ref reference serial system internal".split()
)


def is_denied(text: str, words: str) -> bool:
    """Whether a text says elsewhere that values repeat."""
    return _DENIED.search(text.replace(words, "")) is not None


def labels_row(clause: Clause, column: DocumentedColumn, table: TableDocument) -> bool:
    """Whether a clause calls a column the unique label of a row: "unique number of the parcel"."""
    if found := _IDENTIFIES.search(clause.text):
        return found.end() == len(clause.text) and is_row(found["entity"], table.table)
    found = _UNIQUE_LABEL.fullmatch(clause.text)
    if found is None or column.is_foreign_key:
        return False
    if found["entity"]:
        return is_row(found["entity"], table.table)
    # `customer_id` of an order: unique is the customer that it names, not the row.
    others = {*words_of_name(column.name), *words_of_name(found["middle"])} - {*words_of_name(table.table)}
    return not others - _LABELS or not _LABELS.intersection(words_of_name(column.name))


def is_unique(column: str, table: TableDocument) -> bool:
    """Whether a key or a full unique index covers the column, alone or with others."""
    # An index may be on an expression, such as `lower(email)`.
    named = re.compile(rf"(?<!\w){re.escape(column)}(?!\w)")
    return any(named.search(part) for columns in _unique_columns(table) for part in columns)


def _unique_columns(table: TableDocument) -> list[list[str]]:
    """The columns of each key and full unique index."""
    keys = [key.columns for key in (table.primary_key, *table.unique_keys) if key]
    unique = [index for index in table.indexes if index.unique]
    full = [each for each in unique if not each.predicate or _skips_null(each.predicate, each.columns)]
    return keys + [index.columns for index in full]


def _skips_null(predicate: str, columns: list[str]) -> bool:
    """Whether a predicate leaves out nothing but rows with NULL, which a unique index does not compare anyway."""
    found = _NOT_NULL.fullmatch(predicate)
    return found is not None and found["column"] in columns


def row_claim(text: str, table: TableDocument) -> str:
    """The words that say a table has one row per values of its columns, for which it has no key; empty if none do."""
    if _DENIED.search(text):
        return ""
    for sentence in sentences_of(text):
        found = _ROWS.search(sentence)
        if found and not (found["entity"] in _LINES or is_row(found["entity"], table.table)):
            continue
        if found and not any(weaker.search(sentence) for weaker in (HEDGED, PAST, NEGATED)):
            items = [ARTICLE.sub("", item + " ").strip() for item in _AND.split(found["items"].strip(" !")) if item]
            if _lacks_key(items, table):
                return found.group().strip()
    return ""


def _lacks_key(items: list[str], table: TableDocument) -> bool:
    """Whether each item is a column, and no key consists of such columns."""
    if any(same_name(item, table.table) for item in items):
        return False
    if not all(_is_column(item, table) for item in items):
        return False
    related = {name for item in items for name in _related(item, table)}
    return not any(related.issuperset(key) for key in _unique_columns(table))


def _is_column(item: str, table: TableDocument) -> bool:
    """Whether an item names a column: by its words, or without a label such as `id` or `on` after them."""
    wanted = words_of_name(item)
    if len(wanted) > 1 and wanted[-1] in _MOMENTS:
        wanted = wanted[:-1]
    names = [words_of_name(column.name) for column in table.columns]
    labels = _LABELS | _MOMENTS
    return any(words[: len(wanted)] == wanted and labels.issuperset(words[len(wanted) :]) for words in names)


def _related(item: str, table: TableDocument) -> list[str]:
    """The columns that have a word of an item: another of them may identify the same thing."""
    wanted = {*words_of_name(item)}
    return [column.name for column in table.columns if wanted.intersection(words_of_name(column.name))]
