"""Texts that state a type or a unit that the type of a column rules out."""

from __future__ import annotations

import re
from collections.abc import Collection

from tribal.sql.type_families import TypeFamily, is_whole, type_family
from tribal.text_checks.contradictions.clauses import HEDGED, NEGATED, PAST, Clause, clauses_of
from tribal_contracts import DocumentedColumn

_TIMES: Collection[TypeFamily] = ("date", "instant", "local_time")
_DATE = re.compile(
    r"(?:the )?(?:date|timestamp|datetime|date and time) (?P<link>when|on which|at which|that|the|of)\b.*",
    re.IGNORECASE,
)
_TRUTH = re.compile(
    r"(?:set to |is )?(?:true|false) (?:if|when)\b.*|(?:an? )?boolean(?: (?:flag|value)(?: .*)?)?", re.IGNORECASE
)
_UUID = re.compile(r"(?:the |an? )?(?:uuid|guid)(?: (?:of|for) .*)?", re.IGNORECASE)
_JSON = re.compile(r"(?:the |an? )?json (?:object|array|document)(?: .*)?", re.IGNORECASE)
_WHETHER = re.compile(
    r"whether .*|(?:a )?flag (?:that|indicating|which) .*|(?:says|indicates|shows) (?:if|whether) .*", re.IGNORECASE
)
_TEXT = re.compile(
    r"(?:the |an? )?(?:free[ -]text|e-?mail address|url)(?: (?:of|for|from|to|that|about) .*)?", re.IGNORECASE
)
_COUNT = re.compile(r"(?:the )?number of (?:\w+ )?\w+s(?: .*)?", re.IGNORECASE)
_UNIT = re.compile(
    r"(?:(?:the )?(?:\w+ )?(?:amount|cost|delay|distance|duration|height|length|price|size|time|timeout|weight|width) "
    r"|(?:measured|given|expressed) )?in (?:whole )?"
    r"(?:(?P<short>milliseconds|ms|seconds|minutes|hours)|(?P<long>days|weeks|months|years)"
    r"|(?:kilo|centi|milli)?met(?:er|re)s|km|kilograms|kg|grams|tons|percent|cents|euros?|dollars|(?:kilo|mega)?bytes)",
    re.IGNORECASE,
)
_VERB = re.compile(r"\b(?:is|are|has|have|was|were|been)\b", re.IGNORECASE)


def impossible_type(text: str, column: DocumentedColumn) -> str:
    """The words that state a type or unit which a column's type cannot hold; empty if none do."""
    return next((clause.text for clause in clauses_of(text) if _rules_out(column, clause)), "")


def _rules_out(column: DocumentedColumn, clause: Clause) -> bool:
    if HEDGED.search(clause.text) or NEGATED.search(clause.text) or PAST.search(clause.before):
        return False
    type_name = column.base_type or column.type
    family = type_family(type_name)
    if unit := _UNIT.fullmatch(clause.text):
        return family in _without_unit(unit)
    # A type is stated by how the text or a sentence begins; later it may be that of something else.
    if family in _TIMES and _TRUTH.fullmatch(clause.text):
        return True
    if clause.before:
        return False
    # A time that may be NULL says whether, by being there.
    if family in _TIMES and not column.nullable and _WHETHER.fullmatch(clause.text):
        return True
    if family in (*_TIMES, "boolean", "number") and _TEXT.fullmatch(clause.text):
        return not _VERB.search(clause.text)
    if family == "boolean" and (date := _DATE.fullmatch(clause.text)):
        # "Date of birth is known" says more than what kind of value it is.
        return date["link"].lower() != "of" or not _VERB.search(clause.text)
    if (family == "boolean" or family in _TIMES) and (_COUNT.fullmatch(clause.text) or _JSON.fullmatch(clause.text)):
        return not _VERB.search(clause.text)
    # A wide `numeric` can hold a UUID.
    if family in (*_TIMES, "boolean") or (is_whole(type_name) and "(" not in type_name):
        return _UUID.fullmatch(clause.text) is not None
    return False


def _without_unit(unit: re.Match[str]) -> Collection[TypeFamily]:
    """The families that hold nothing in a unit. A time may have a precision in seconds, and a date in days."""
    if unit["short"]:
        return ("boolean", "date", "text")
    return ("boolean", "text") if unit["long"] else ("boolean", *_TIMES)
