"""What the catalog says where a claim about a column contradicts it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from tribal.joins.outline import row_keys
from tribal.naming import singular
from tribal.text_checks.contradictions.clauses import words_of_name
from tribal.text_checks.contradictions.forms import NUMBERS, ClaimKind
from tribal.text_checks.contradictions.uniqueness import is_unique
from tribal_contracts import DocumentedColumn, TableDocument

WITH_KEYS = ("table", "partitioned_table", "partition", "hybrid_table")
"""Views have no keys and no NOT NULL; those of external tables are seldom declared."""
_CHOICES = frozenset("value option choice code state status".split())
_KINDS = frozenset("kind type level category class grade degree stage group".split())
_SCALE = re.compile(r"\(\d+,\s*(\d+)\)")
_SIZE = re.compile(r"\((\d+)\)")


def unique_fact(column: DocumentedColumn, table: TableDocument) -> str | None:
    """What the catalog says against a column's being unique."""
    # A table without any key declares nothing that a text could contradict.
    if table.kind not in WITH_KEYS or not row_keys(table) or "unique" in words_of_name(column.name):
        return None
    return None if is_unique(column.name, table) else "no key makes it unique"


def _unique(_: re.Match[str], column: DocumentedColumn, table: TableDocument) -> str | None:
    return unique_fact(column, table)


def _mandatory(_: re.Match[str], column: DocumentedColumn, table: TableDocument) -> str | None:
    if table.kind not in WITH_KEYS or not column.nullable or _is_named_for_nulls(column):
        return None
    mentioned = re.compile(rf"\b{re.escape(column.name)}\b\W{{1,3}}IS NOT NULL", re.IGNORECASE)
    return None if any(mentioned.search(check.expression) for check in table.checks) else "it may be NULL"


def _optional(_: re.Match[str], column: DocumentedColumn, table: TableDocument) -> str | None:
    if table.kind not in WITH_KEYS or column.nullable or _is_named_for_nulls(column):
        return None
    return "it is NOT NULL"


def _is_named_for_nulls(column: DocumentedColumn) -> bool:
    return not {"optional", "mandatory", "required", "nullable", "null"}.isdisjoint(words_of_name(column.name))


def _type(_: re.Match[str], column: DocumentedColumn, __: TableDocument) -> str | None:
    return f"its type is {column.type}"


def _decimals(claim: re.Match[str], column: DocumentedColumn, _: TableDocument) -> str | None:
    scale = _SCALE.search(column.base_type or column.type)
    return f"its type is {column.type}" if differs(claim, int(scale[1]) if scale else 0) else None


def _length(claim: re.Match[str], column: DocumentedColumn, _: TableDocument) -> str | None:
    """A type that is longer than a text says allows what it says; one of a fixed length does not."""
    name = (column.base_type or column.type).lower()
    size = _SIZE.search(name)
    if size is None or claim["most"] or number_of(claim) == 0:
        return None
    is_fixed = name.startswith(("character(", "char(", "bpchar("))
    differing = differs(claim, int(size[1])) if is_fixed else number_of(claim) > int(size[1])
    return f"its type is {column.type}" if differing else None


def _choices(claim: re.Match[str], column: DocumentedColumn, _: TableDocument) -> str | None:
    allowed = _allowed(column)
    written = claim["noun"].lower().split()[-1]
    noun, words = singular(written), words_of_name(column.name)
    if not allowed or number_of(claim) < 2 or noun == written != "status":
        return None
    # "Levels of quality", or "quality has four levels".
    of_column = claim["subject"] or (claim["of"] and not {*words_of_name(claim["of"])}.isdisjoint(words))
    if not (noun in _CHOICES or noun == words[-1] or claim["possible"] or (noun in _KINDS and of_column)):
        return None
    return f"{_source(column)} allows {len(allowed)}" if differs(claim, len(allowed)) else None


def _range(claim: re.Match[str], column: DocumentedColumn, table: TableDocument) -> str | None:
    if claim["last"]:
        return _letters(claim["last"].lower(), column)
    low, high = int(claim["low"] or claim["from"]), int(claim["high"] or claim["to"])
    allowed = _allowed(column)
    if allowed and all(re.fullmatch(r"-?\d{1,6}", value) for value in allowed):
        values = [int(value) for value in allowed]
        outside = low < min(values) or high > max(values)
        return f"{_source(column)} allows {min(values)} to {max(values)}" if low < high and outside else None
    least, most = _end(column, table, ">"), _end(column, table, "<")
    if low < high and ((least is not None and low < least) or (most is not None and high > most)):
        return f"its check allows {' to '.join(str(end) for end in (least, most) if end is not None)}"
    return None


def _letters(last: str, column: DocumentedColumn) -> str | None:
    values = [value.lower() for value in _allowed(column)]
    are_letters = values and all(re.fullmatch(r"[a-z]", value) for value in values)
    return f"{_source(column)} does not allow {last.upper()}" if are_letters and last not in values else None


def _end(column: DocumentedColumn, table: TableDocument, sign: str) -> int | None:
    """The lowest or highest whole number that a check allows by itself."""
    pattern = re.compile(
        rf"(?<![\w.]){re.escape(column.name)}\W{{1,3}}{sign}= \(?(-?\d{{1,6}})\)?(?![\d.])", re.IGNORECASE
    )
    found = [
        match
        for check in table.checks
        if " or " not in check.expression.lower()
        for match in pattern.finditer(check.expression)
    ]
    return int(found[0][1]) if len(found) == 1 else None


def _allowed(column: DocumentedColumn) -> list[str]:
    """All values that a check or an enum allows, if these are known."""
    complete = column.allowed_values_complete and column.allowed_values_from != "lookup"
    return column.allowed_values or [] if complete else []


def _source(column: DocumentedColumn) -> str:
    return f"its {'type' if column.allowed_values_from == 'enum' else 'check'}"


def number_of(claim: re.Match[str]) -> int:
    """The number that a claim states."""
    written = claim["number"].lower()
    return NUMBERS[written] if written in NUMBERS else int(written)


def differs(claim: re.Match[str], actual: int) -> bool:
    """Whether an actual number is not what a claim states exactly, at most or at least."""
    number = number_of(claim)
    return actual > number if claim["most"] else actual < number if claim["least"] else actual != number


FACTS: Mapping[ClaimKind, Callable[[re.Match[str], DocumentedColumn, TableDocument], str | None]] = {
    "unique": _unique,
    "mandatory": _mandatory,
    "optional": _optional,
    "type": _type,
    "unit": _type,
    "decimals": _decimals,
    "length": _length,
    "choices": _choices,
    "range": _range,
}
