"""The period of time that a question asks about, and the unit by which it groups."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, cast

Unit = Literal["day", "week", "month", "quarter", "year"]
_UNITS = r"(?P<unit>day|week|month|quarter|year)"
_MONTHS = "january february march april may june july august september october november december".split()
_MONTH = rf"(?P<month>{'|'.join(_MONTHS)})"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_RELATIVE = re.compile(rf"\b(?P<which>last|previous|past|this|current) {_UNITS}\b", re.IGNORECASE)
_LAST = re.compile(rf"\b(?:last|past|previous) (?P<count>\d{{1,3}}) {_UNITS}s\b", re.IGNORECASE)
_DAY = re.compile(r"\b(?P<day>today|yesterday)\b", re.IGNORECASE)
_OPEN = re.compile(rf"\b(?P<side>since|after|before|until) {_YEAR}\b", re.IGNORECASE)
_MONTH_OF_YEAR = re.compile(rf"\b{_MONTH},? {_YEAR}\b", re.IGNORECASE)
_IN_YEAR = re.compile(rf"\b{_YEAR}\b")
_IN_MONTH = re.compile(rf"\b(?:in|for|during|of|last|this) {_MONTH}\b", re.IGNORECASE)
_BY_UNIT = re.compile(
    rf"\b(?:per|by|each|every) {_UNITS}\b|\b(?P<adverb>daily|weekly|monthly|quarterly|yearly|annually)\b", re.IGNORECASE
)
_ADVERBS: dict[str, Unit] = {
    "daily": "day",
    "weekly": "week",
    "monthly": "month",
    "quarterly": "quarter",
    "yearly": "year",
    "annually": "year",
}


@dataclass(frozen=True, slots=True)
class Period:
    """A period: `back` units before the current one for `count` units, or between two dates.

    A month without a year has only `month`.
    """

    unit: Unit | None = None
    back: int = 0
    count: int = 1
    start: str | None = None
    """The first day, as `YYYY-MM-DD`."""
    end: str | None = None
    """The day after the last one."""
    month: int | None = None


def period_of(question: str) -> Period | None:
    """Return the period that a question names."""
    if found := _LAST.search(question):
        count = int(found["count"])
        return Period(_unit(found["unit"]), back=count, count=count)
    if found := _RELATIVE.search(question):
        return Period(_unit(found["unit"]), back=0 if found["which"].lower() in ("this", "current") else 1)
    if found := _DAY.search(question):
        return Period("day", back=int(found["day"].lower() == "yesterday"))
    if found := _OPEN.search(question):
        year = int(found["year"])
        side = found["side"].lower()
        if side in ("since", "after"):
            return Period(start=f"{year + (side == 'after')}-01-01")
        return Period(end=f"{year + (side == 'until')}-01-01")
    if found := _MONTH_OF_YEAR.search(question):
        year, month = int(found["year"]), _MONTHS.index(found["month"].lower()) + 1
        return Period(start=_first(year, month), end=_first(year + month // 12, month % 12 + 1))
    if found := _IN_YEAR.search(question):
        return Period(start=_first(int(found["year"]), 1), end=_first(int(found["year"]) + 1, 1))
    found = _IN_MONTH.search(question)
    return Period(month=_MONTHS.index(found["month"].lower()) + 1) if found else None


def grouped_unit(question: str) -> Unit | None:
    """Return the unit of time by which a question groups."""
    found = _BY_UNIT.search(question)
    if found is None:
        return None
    return _unit(found["unit"]) if found["unit"] else _ADVERBS[found["adverb"].lower()]


def _first(year: int, month: int) -> str:
    return f"{year:04d}-{month:02d}-01"


def _unit(text: str) -> Unit:
    return cast("Unit", text.lower())
