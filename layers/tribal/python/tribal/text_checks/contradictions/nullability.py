"""Texts that say a column is optional or mandatory."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tribal.sql.type_families import type_family
from tribal.text_checks.contradictions.clauses import NEGATED, PAST, Clause, clauses_of, is_about, words_of_name
from tribal_contracts import DocumentedCheck, DocumentedColumn

_SUBJECT = r"(?:(?!(?:is|are) )(?P<subject>[\w ]{1,40}?) )?(?:(?:is|are) )?"
_NOUN = r"(?: (?:field|column|value|attribute|entry))?"
_OPTIONAL = re.compile(rf"{_SUBJECT}(?:(?:an? )?optional{_NOUN}|not (?:required|mandatory|obligatory))", re.IGNORECASE)
_OPTIONAL_THING = re.compile(
    r"(?:an? )?optional (?P<subject>(?:[\w-]+ ){0,2}?[\w-]+)(?: (?:of|for|to|that|which|from|about|with|by) .*)?",
    re.IGNORECASE,
)
_NULLABLE = re.compile(
    rf"{_SUBJECT}(?:nullable{_NOUN}|(?:can|may) be (?:left )?null)|nulls? (?:is |are )?allowed", re.IGNORECASE
)
_NULL_IF = re.compile(
    rf"{_SUBJECT}(?:(?:can be|may be|will be|stays|remains|left|leave|set to|or|else|otherwise) )?"
    r"null(?: (?:if|when|unless|until|while|as long as|for|where|means?|indicates?)\b| ?=).*"
    r"|(?:or|else|otherwise) null",
    re.IGNORECASE,
)
_EMPTY = re.compile(
    rf"{_SUBJECT}(?:(?:can|may) be (?:left )?(?:empty|blank|missing|omitted)"
    r"|(?:empty|blank) (?:if|when|unless|until|while)\b.*)",
    re.IGNORECASE,
)
_MANDATORY = re.compile(
    rf"{_SUBJECT}(?:always )?(?:an? )?(?:mandatory|required|obligatory|compulsory){_NOUN}", re.IGNORECASE
)
_NEVER_NULL = re.compile(
    rf"{_SUBJECT}(?:not null(?:able)?|non-?null(?:able)?|never (?:null|empty)"
    r"|always (?:filled(?: in)?|set|present|populated)"
    r"|(?:cannot|can not|can't|must not) be (?:null|empty|blank|missing)"
    r"|must (?:always )?be (?:set|filled(?: in)?|given|present|provided|specified|entered|populated))",
    re.IGNORECASE,
)
_NAMED_SO = frozenset({"optional", "mandatory", "required", "nullable", "null"})


def optional_claim(text: str, column: DocumentedColumn) -> str:
    """The words that say a column may be NULL or left out; empty if none do."""
    if _NAMED_SO.intersection(words_of_name(column.name)):
        return ""
    return next((clause.text for clause in clauses_of(text) if _says_optional(clause, column)), "")


def _says_optional(clause: Clause, column: DocumentedColumn) -> bool:
    if NEGATED.search(clause.before) or PAST.search(clause.before):
        return False
    found = _NULL_IF.fullmatch(clause.text) or _NULLABLE.fullmatch(clause.text)
    # Text may be empty without being NULL; so may a type that is not known.
    if found is None and type_family(column.base_type or column.type) not in ("text", "other"):
        found = _EMPTY.fullmatch(clause.text)
    # With a default, or a generated value, a column may be left out although it is NOT NULL.
    if found is None and not (column.default_value or column.identity or column.generated):
        found = _OPTIONAL.fullmatch(clause.text)
        if found is None and (named := _OPTIONAL_THING.fullmatch(clause.text)):
            return named["subject"].split()[-1].lower() in words_of_name(column.name)
    return found is not None and is_about(found["subject"], column.name)


def mandatory_claim(text: str, column: DocumentedColumn) -> str:
    """The words that say a column always has a value; empty if none do."""
    if _NAMED_SO.intersection(words_of_name(column.name)):
        return ""
    return next((clause.text for clause in clauses_of(text) if _says_mandatory(clause, column)), "")


def _says_mandatory(clause: Clause, column: DocumentedColumn) -> bool:
    found = _NEVER_NULL.fullmatch(clause.text)
    # "Required" is what a flag may say of something else.
    if found is None and type_family(column.base_type or column.type) != "boolean":
        found = _MANDATORY.fullmatch(clause.text)
    return found is not None and clause.is_firm and is_about(found["subject"], column.name)


def allows_null(column: DocumentedColumn, checks: Sequence[DocumentedCheck]) -> bool:
    """Whether a column may be NULL, and no check mentions that it is not."""
    mentioned = re.compile(rf"\b{re.escape(column.name)}\b\W{{1,3}}IS NOT NULL", re.IGNORECASE)
    return column.nullable and not any(mentioned.search(check.expression) for check in checks)
