"""Texts that say a column is unique, or that a table has one row per something."""

from __future__ import annotations

import re

from tribal.text_checks.contradictions.clauses import (
    HEDGED,
    NEGATED,
    PAST,
    Clause,
    clauses_of,
    is_about,
    same_name,
    sentences_of,
    words_of_name,
)
from tribal_contracts import DocumentedColumn, TableDocument

_DENIED = re.compile(
    r"(?:\b(?:not|never|no|non)\b|n't\b)[\w -]{0,30}\bunique|\bduplicat|\b(?:once|more than one)\b", re.IGNORECASE
)
_EVERYWHERE = r"(?: (?:across|among|for|in) (?:(?:all|every|the (?:whole|entire)) [\w ]{1,40}|(?:this|the) table))?"
_IS_UNIQUE = re.compile(
    r"(?:(?!(?:is|are|must) )(?P<subject>[\w ]{1,40}?) )?(?:(?:is|are|must be|has to be|have to be) )?"
    r"(?:always |globally |guaranteed (?:to be )?)?"
    rf"unique(?: (?:key|value|column|field))?{_EVERYWHERE}",
    re.IGNORECASE,
)
_NO_TWO = re.compile(
    r"no two [\w ]{1,40}? (?:(?:can|may|ever|will) )*(?:have|share|use|get) "
    r"(?:the same|an?|one) (?P<subject>[\w -]{1,40})",
    re.IGNORECASE,
)
_IDENTIFIES = re.compile(r"uniquely identif(?:y|ies|ying) (?P<entity>[\w -]{1,60})", re.IGNORECASE)
_UNIQUE_LABEL = re.compile(
    r"(?:(?:it|this) is |is )?(?:an? |the |its )?unique (?P<middle>(?:[\w-]+ ){0,3}?)"
    r"(?:identifier|id|key|code|number|name|reference|serial|slug|token|address|login|username|handle)"
    r"(?: (?:for|of|given to|assigned to) (?P<entity>[\w -]{1,60})| such as .{1,100})?",
    re.IGNORECASE,
)
_HAS_UNIQUE = re.compile(
    r"(?:each|every) (?P<entity>[\w -]{1,40}) (?:has|gets|is given) (?:an?|its own) unique (?P<subject>[\w -]{1,40})",
    re.IGNORECASE,
)
_ROWS = re.compile(
    r"(?:exactly |at most )?(?:one|1|a single) (?:row|record|entry|line) (?:per|for (?:each|every)) "
    r"(?P<items>[^.;:()]{1,120})",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"(?:(?:a|an|the|each|every|this|one|given|single|combination of) )+", re.IGNORECASE)
_AND = re.compile(r"\s*(?:,\s*(?:and\s+)?|&|/|\band\b|\bper\b)\s*", re.IGNORECASE)
_ROW = frozenset({"row", "record", "entry", "row in this table", "record in this table", "row of this table"})
_NOT_NULL = re.compile(r"\(*\"?(?P<column>[\w$]+)\"?\)* IS NOT NULL\)*", re.IGNORECASE)
_LABELS = frozenset(
    "id identifier identification key code number no nr num name uuid guid ref reference serial system internal".split()
)


def unique_claim(text: str, column: DocumentedColumn, table: TableDocument) -> str:
    """The words that say a column is unique in its table; empty if none do."""
    if "unique" in words_of_name(column.name) or _DENIED.search(text):
        return ""
    return next(
        (clause.text for clause in clauses_of(text) if _says_unique(clause, column, table) and clause.is_firm), ""
    )


def _says_unique(clause: Clause, column: DocumentedColumn, table: TableDocument) -> bool:
    if found := (_IS_UNIQUE.fullmatch(clause.text) or _NO_TWO.fullmatch(clause.text)):
        return is_about(found["subject"], column.name)
    if found := _IDENTIFIES.search(clause.text):
        return found.end() == len(clause.text) and _is_row(found["entity"], table.table)
    if found := _HAS_UNIQUE.fullmatch(clause.text):
        return _is_row(found["entity"], table.table) and is_about(found["subject"], column.name)
    found = _UNIQUE_LABEL.fullmatch(clause.text)
    if found is None or column.is_foreign_key:
        return False
    if found["entity"]:
        return _is_row(found["entity"], table.table)
    # `customer_id` of an order: unique is the customer that it names, not the row.
    others = {*words_of_name(column.name), *words_of_name(found["middle"])} - {*words_of_name(table.table)}
    return not others - _LABELS or not _LABELS.intersection(words_of_name(column.name))


def _is_row(entity: str, table: str) -> bool:
    bare = _ARTICLE.sub("", entity.strip() + " ").strip().lower()
    return bare in _ROW or same_name(bare, table)


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
        if found and not any(weaker.search(sentence) for weaker in (HEDGED, PAST, NEGATED)):
            items = [_ARTICLE.sub("", item + " ").strip() for item in _AND.split(found["items"].strip(" !")) if item]
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
    """Whether an item names a column: by its words, or without a label such as `id` after them."""
    wanted = words_of_name(item)
    names = [words_of_name(column.name) for column in table.columns]
    return any(words[: len(wanted)] == wanted and _LABELS.issuperset(words[len(wanted) :]) for words in names)


def _related(item: str, table: TableDocument) -> list[str]:
    """The columns that have a word of an item: another of them may identify the same thing."""
    wanted = {*words_of_name(item)}
    return [column.name for column in table.columns if wanted.intersection(words_of_name(column.name))]
