"""What check constraints say of a column's values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal

from tribal_contracts import CatalogCheck, CatalogColumn

_LITERAL = re.compile(r"'((?:[^']|'')*)'|(?<![\w.])(-?\d+(?:\.\d+)?)(?![\w.])")
_CAST = r"(?:::[a-z_ ]+(?:\(\d+\))?(?:\[\])?)?"
# Alone: not the start of a sum or of a longer name.
_NUMBER = rf"\(*(-?\d+(?:\.\d+)?)\)*{_CAST}\)*(?=\s*(?:$|AND\b))"
_STRING = re.compile(r"'(?:[^']|'')*'")
_EXPRESSION_CHARS = 10_000


def declared_values(
    column: CatalogColumn, checks: Sequence[CatalogCheck], hidden: re.Pattern[str]
) -> tuple[tuple[str, ...], Literal["enum", "check", "domain_check"]]:
    """The values that the type or a check allows in a column, and which of them; none if some are hidden.

    Of several checks, those of the table come before those of the column's domain.

    Args:
        hidden: the text that replaces a hidden value.
    """
    labels = tuple(column.enum_values or ())
    if labels:
        return () if any(map(hidden.search, labels)) else labels, "enum"
    own = allowed_values(column.name, [check for check in checks if not check.domain], hidden)
    if own:
        return own, "check"
    return allowed_values(column.name, [check for check in checks if check.domain], hidden), "domain_check"


def allowed_values(column: str, checks: Sequence[CatalogCheck], hidden: re.Pattern[str]) -> tuple[str, ...]:
    """The values that a check allows in a column, in its order; empty if no check lists any, or some are hidden.

    Args:
        hidden: the text that replaces a hidden value.
    """
    for expression in _about(column, checks):
        start = re.search(rf"{_name(column)}\s*(?:=\s*ANY\s*\(+\s*ARRAY\s*\[|IN\s*\()", expression, flags=re.IGNORECASE)
        # Part of a list would be taken for all of it.
        if start and not hidden.search(expression, start.end()):
            values = _literals(expression[start.end() :])
            if values:
                return values
    return next((values for check in checks if (values := _alternatives(column, check, hidden))), ())


def _alternatives(column: str, check: CatalogCheck, hidden: re.Pattern[str]) -> tuple[str, ...]:
    """The values of a check that is nothing but `column = value` or the same with other values."""
    if check.validated is False or " OR " not in check.expression or hidden.search(check.expression):
        return ()
    equals = re.compile(rf"\(*\"?{re.escape(column)}\"?\)*{_CAST}\s*=\s*\(*(?:{_LITERAL.pattern})\)*{_CAST}\)*")
    found = [equals.fullmatch(part.strip()) for part in check.expression[:_EXPRESSION_CHARS].split(" OR ")]
    if None in found:
        return ()
    return tuple(each[1].replace("''", "'") if each[1] is not None else each[2] for each in found if each is not None)


def allowed_range(column: str, checks: Iterable[CatalogCheck]) -> tuple[str | None, str | None]:
    """The lowest and highest number that checks allow in a column; `None` for no limit."""
    low: str | None = None
    high: str | None = None
    for expression in _about(column, checks):
        for sign, value in re.findall(rf"{_name(column)}\s*(>=|<=)\s*{_NUMBER}", expression):
            low, high = (value, high) if sign == ">=" else (low, value)
        between = re.search(
            rf"{_name(column)}\s+BETWEEN\s+{_NUMBER}\s+AND\s+{_NUMBER}", expression, flags=re.IGNORECASE
        )
        if between:
            low, high = between[1], between[2]
    return low, high


def _about(column: str, checks: Iterable[CatalogCheck]) -> Iterable[str]:
    """Expressions that mention the column, and whose parts hold for every row."""
    for check in checks:
        if check.validated is False:
            continue
        # A check allows NULL anyway.
        expression = _or_null(column).sub("(", check.expression[:_EXPRESSION_CHARS], count=1)
        bare = _STRING.sub("", expression)
        if column in expression and not re.search(r"\bOR\b|\bNOT\b|\bCASE\b", bare, flags=re.IGNORECASE):
            yield expression


@lru_cache(maxsize=1_024)
def _or_null(column: str) -> re.Pattern[str]:
    return re.compile(rf"^\(*\"?{re.escape(column)}\"?\)*{_CAST}\)*\s+IS\s+NULL\s*\)*\s+OR\s+", re.IGNORECASE)


def _name(column: str) -> str:
    # With anything before it, such as a function or an operator, it is not the column that is compared.
    return rf"(?:^|\bAND\b)\s*\(*\"?{re.escape(column)}\"?\)*{_CAST}\)*"


def _literals(text: str) -> tuple[str, ...]:
    """Literals up to the closing bracket of the list."""
    values: list[str] = []
    position = 0
    for found in _LITERAL.finditer(text):
        between = text[position : found.start()]
        if "]" in between.replace("[]", "") or re.search(r"\)\s*(?:AND|$)", between):
            break
        values.append(found[1].replace("''", "'") if found[1] is not None else found[2])
        position = found.end()
    return tuple(values)
