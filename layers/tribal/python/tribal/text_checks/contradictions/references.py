"""Texts that name another table or column than the foreign key of a column."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from difflib import SequenceMatcher

from tribal.identity.table_names import parse_name
from tribal.naming import singular
from tribal.text_checks.contradictions.clauses import HEDGED, NEGATED, PAST, is_about, sentences_of, words_of_name
from tribal_contracts import DocumentedColumn, DocumentedForeignKey

_NAME = (
    r"(?P<name>(?!(?:which|what|that|this|another|any|each|other|a|an|the)\b)[^\W\d]\w+(?:\.[^\W\d]\w+){0,3})"
    r"(?P<column>\(\w+\))?"
)
_REFERENCE = re.compile(
    rf"\b(?P<verb>(?:foreign key|fk)(?: (?:to|into|referencing|(?:that |which )?references|on)|:| ?->)?"
    rf"|(?:is |holds |contains |gives )?(?:the )?(?:id|key|identifier|number) (?:of|from|in)"
    rf"|references?(?: to)?|pointer to|points? (?:to|at)|refers to|links? to|joins (?:to|with)|identifies"
    rf"|comes from|taken from|looked up in|linked (?:to|with)|relates to|corresponds to"
    rf"|joined (?:to|with))"
    rf" (?P<article>the |a |an )?(?:(?:row|record|entry)s? (?:in|of) (?:the )?)?(?P<table>table )?{_NAME}"
    rf"(?P<kind> table)?(?P<end>\s*(?:[.,;:)]|\Z))?",
    re.IGNORECASE,
)
_WORDS = re.compile(r"\w+(?: \w+){0,2}")
_NOUN_END = re.compile(
    r"\s*(?:[.,;:)]|\Z)| (?:row|record|entry|who|that|which|whose|where|of|it|in|from|for|by|to)\b", re.IGNORECASE
)
_SUBJECT = re.compile(
    r"(?:^|[,;:(\u2013-]|\b(?:it|this|that|which|and|column|field|key|value|id|row|record))\s*\Z", re.IGNORECASE
)
_ELSEWHERE = re.compile(r"\b(?:is|are) (?:in|at|on|stored|kept|found|given|next to)\b", re.IGNORECASE)
"""Says where a number of something is: "the id of the client is in `client_id`"."""
_OTHERS = re.compile(r"\b(?:or|either|indirectly|via|through)\b", re.IGNORECASE)
_CONTAINED_CHARS = 4
"""Shorter names are part of many others: `id` of `video`."""
_ALIKE = 0.8
"""A judgement: names that are more alike than that differ by a typo or a prefix."""


def table_words(tables: Iterable[str]) -> frozenset[str]:
    """The letters by which tables of those names are recognised in a text."""
    return frozenset(map(_letters, tables))


def other_reference(
    text: str, column: DocumentedColumn, keys: Sequence[DocumentedForeignKey], is_table: Callable[[str], bool]
) -> str:
    """The table or column that a text says is referenced, if it names none that the keys reference; empty otherwise.

    Args:
        text: the text.
        column: the column that it is about.
        keys: the column's foreign keys.
        is_table: whether words, as `table_words` has them, mean a table.
    """
    # "The manager" may be what the employee is to this row.
    roles = table_words(words_of_name(column.name))
    named = []
    for sentence in sentences_of(text):
        every = [match for match in _REFERENCE.finditer(sentence) if _is_of_column(match, column)]
        found = [name for match in every if (name := _name(match, roles, is_table))]
        if found and any(weaker.search(sentence) for weaker in (HEDGED, PAST, NEGATED, _OTHERS)):
            return ""
        named += found
    if not named or any(_is_referenced(name, key) for name in named for key in keys):
        return ""
    return named[0]


def _name(match: re.Match[str], roles: Collection[str], is_table: Callable[[str], bool]) -> str:
    """The name of a table after "references"; empty if it is a word of the sentence."""
    name: str = match["name"]
    if "." in name or "_" in name or match["column"] or match["table"] or match["kind"]:
        return name + (match["column"] or "")
    words = _WORDS.match(match.string, match.start("name"))
    phrases = [" ".join(words.group().split()[:length]) for length in (3, 2, 1)] if words else []
    for phrase in dict.fromkeys(phrases):
        same, end = _letters(phrase), match.start("name") + len(phrase)
        if same not in roles and is_table(same) and _NOUN_END.match(match.string, end):
            return phrase
    # "FK to the customer" may say what the row is, and not how its table is called.
    is_key = match["verb"].lower().startswith(("foreign", "fk"))
    return name if is_key and not match["article"] and match["end"] is not None else ""


def _is_of_column(match: re.Match[str], column: DocumentedColumn) -> bool:
    """Whether it is the column that references, and not something else in its sentence."""
    before = match.string[: match.start()]
    if _ELSEWHERE.search(match.string, match.end()):
        return False
    if match["verb"].lower().startswith(("foreign", "fk")) or _SUBJECT.search(before):
        return True
    subject = re.split(r"[,;:()]", before)[-1].removesuffix("is ").strip()
    return len(subject.split()) < 4 and is_about(subject, column.name)


def _is_referenced(name: str, key: DocumentedForeignKey) -> bool:
    """Whether any reading of a dotted name fits the key: with a schema or a column, or without."""
    parts = [part for part in re.split(r"[.()]", name) if part]
    table = parse_name(key.references_table)[-1]
    if len(parts) == 1 or _alike(parts[-1], table):
        return _alike(parts[-1], table)
    columns = [*key.references_columns, *key.columns]
    return any(_alike(part, table) for part in parts[:-1]) and any(
        _same_column(parts[-1], each, table) for each in columns
    )


def _alike(left: str, right: str) -> bool:
    one, other = _letters(left), _letters(right)
    if min(len(one), len(other)) >= _CONTAINED_CHARS and (one in other or other in one):
        return True
    return one == other or SequenceMatcher(None, one, other).ratio() >= _ALIKE


def _same_column(left: str, right: str, table: str) -> bool:
    """Whether two names of a column are the same, perhaps with the name of the table before one: `id`, `depot_id`."""
    one, other = _letters(left), _letters(right)
    return one.endswith(other) or other.endswith(one) or _letters(table) + one == other


def _letters(name: str) -> str:
    return singular(re.sub(r"[\W_]+", "", name).lower())
