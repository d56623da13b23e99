"""Describe dates and times."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tribal.describing.rules.column_facts import ColumnFacts
from tribal.describing.rules.phrases import INTRANSITIVE, is_participle
from tribal.describing.rules.statements import Statement, declared, read, seen

TIMES = ("date", "instant", "local_time")
_KINDS = frozenset("at date datetime dt on time timestamp ts utc".split())
"""Words at the start or end of a name that only mean that it is a time."""
_PARTICIPLES = {
    **dict.fromkeys(("create", "creation"), "created"),
    **dict.fromkeys(("insert", "insertion"), "inserted"),
    "update": "updated",
    "modification": "modified",
}
_VERBS = {
    **dict.fromkeys(("expire", "expires", "expiration", "expiry"), "expires"),
    **dict.fromkeys(("begin", "begins"), "begins"),
    **dict.fromkeys(("start", "starts"), "starts"),
    **dict.fromkeys(("end", "ends"), "ends"),
    "due": "is due",
}
# Ambiguous: plans and decisions. Joining is done by a person, not by the row.
_DOUBTFUL = frozenset(
    """
    agreed anticipated asked based budgeted dated deferred desired estimated expected forecasted joined logged moved
    needed planned preferred projected promised proposed quoted requested required scheduled signed subscribed targeted
    unsubscribed used valued visited voted wanted
    """.split()
)
_ORDER = frozenset({"first", "last"})
_BOUNDS = {
    **dict.fromkeys(("from", "since"), "From when on"),
    **dict.fromkeys(("to", "until", "till", "thru", "through"), "Until when"),
}
_BIRTH = ({"birth"}, {"of", "birth"}, {"birthdate"}, {"birthday"}, {"dob"})
"""Names of the date of birth, without the word "date"."""
_NOW = re.compile(
    r"\(?(?:(?:now|clock_timestamp|transaction_timestamp|statement_timestamp)\(\)|"
    r"(?:current_timestamp|localtimestamp|current_date)(?:\(\d?\))?)\)?(?:::[a-z ]+(?:\(\d\))?[a-z ]*)?",
    re.IGNORECASE,
)


_EPOCH_UNITS = {"seconds": 1, "milliseconds": 10**3, "microseconds": 10**6, "nanoseconds": 10**9}
_EARLIEST, _LATEST = 631_152_000, 4_102_444_800
"""Seconds since 1970 of 1990 and 2100: numbers of times are between them."""
_POINTS = frozenset("at date datetime epoch on since time timestamp ts until".split())
"""Words of points in time, in front of a unit or at the end of a name."""


def is_point_in_time(facts: ColumnFacts) -> bool:
    """Whether the name of a number says that it is a point in time: `valid_until_ms`, `created_at`."""
    words = [word for word in facts.tokens if word not in ("ms", "us", "ns")]
    return bool(words) and (words[-1] in _POINTS or (words != facts.tokens and is_participle(words[-1])))


def describe_epoch(facts: ColumnFacts) -> Iterator[Statement]:
    """A point in time that is stored as a number, if its values show the unit."""
    if facts.family != "number" or facts.foreign_keys or not is_point_in_time(facts):
        return
    values = [int(value) for value in facts.samples.values if value.isdecimal()]
    for unit, factor in _EPOCH_UNITS.items():
        if values and all(_EARLIEST * factor <= value <= _LATEST * factor for value in values if value):
            yield seen(f"A time in {unit} since 1970.")


def describe_time(facts: ColumnFacts) -> Iterator[Statement]:
    """What the verb in the name of a date or time means, and whether the database sets it."""
    if facts.family not in TIMES:
        return
    if facts.family == "date" and set(facts.tokens) - {"date"} in _BIRTH:
        yield read("Date of birth.")
    elif named := _named(facts.own_tokens):
        yield read(named)
    if _NOW.fullmatch(facts.column.default_value or ""):
        what = "day" if facts.family == "date" else "time"
        yield declared(f"The {what} of the insert unless set otherwise.", "default")


def event_words(tokens: Sequence[str]) -> list[str]:
    """The words of a time's name without those that only mean that it is a time."""
    words = list(tokens)
    while words[1:] and words[-1] in _KINDS:
        words.pop()
    while words[1:] and words[0] in _KINDS:
        words.pop(0)
    return words


def _named(tokens: Sequence[str]) -> str:
    words = event_words(tokens)
    order = f"{words.pop(0)} " if words[1:] and words[0] in _ORDER else ""
    if len(words) == 2 and words[0] in ("valid", "effective"):
        bound = _BOUNDS.get(words[1], "")
        return f"{bound} it is {words[0]}." if bound and not order else ""
    if len(words) != 1:
        return ""
    word = _PARTICIPLES.get(words[0], words[0])
    if word in _VERBS:
        return "" if order else f"When it {_VERBS[word]}."
    if word in _DOUBTFUL or not is_participle(word):
        return ""
    return f"When it {word}." if word in INTRANSITIVE and not order else f"When it was {order}{word}."
