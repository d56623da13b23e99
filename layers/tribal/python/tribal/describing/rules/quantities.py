"""Describe amounts of money, measures and coordinates whose unit the table itself gives."""

from __future__ import annotations

from collections.abc import Iterator

from tribal.describing.rules.column_facts import ColumnFacts
from tribal.describing.rules.statements import Statement, declared, read
from tribal.sql.type_families import is_whole

# By the last word of the name, without ambiguous ones: pounds, minutes of arc, meters (devices), and per cent, which
# may be stored as 1 or as 0.01.
_UNITS = {
    **{
        word: word
        for word in """
        grams kilograms millimetres centimetres metres kilometres kilometers miles milliseconds seconds minutes hours
        days weeks months years bytes kilobytes megabytes gigabytes
        """.split()
    },
    "kg": "kilograms",
    "mm": "millimetres",
    "cm": "centimetres",
    "km": "kilometres",
    "ms": "milliseconds",
    "secs": "seconds",
    "mins": "minutes",
    "hrs": "hours",
    "mb": "megabytes",
    "gb": "gigabytes",
}
# Before a unit, these make it another unit or a rate.
_NO_UNIT_AFTER = frozenset("per square sq cubic by of in every last next past first".split())
# Elsewhere a unit is a department or a home.
_MEASURES = frozenset(
    """
    amount area capacity depth diameter distance dosage dose duration height length mass power pressure quantity size
    speed temperature thickness value volume weight width
    """.split()
)
_MINOR = frozenset({"amount", "cents", "minor", "value"})
_PLACES = {
    "latitude": "Degrees north of the equator; negative to the south.",
    "longitude": "Degrees east of Greenwich; negative to the west.",
}


def describe_quantity(facts: ColumnFacts) -> Iterator[Statement]:
    """The unit of a number, if its type, its name or another column gives it."""
    if facts.column.type.lower() == "money":
        yield declared("An amount of money.", "type")
    if facts.family != "number" or facts.foreign_keys or facts.column.name in facts.key_columns:
        return
    if companion := _companion(facts, ("currency",), ("currency", "code")):
        yield read(f"An amount of money; {companion} names its currency.", "names of both columns")
    elif (
        facts.tokens[-1:]
        and facts.tokens[-1] in _MEASURES
        and (companion := _companion(facts, ("unit",), ("units",), ("uom",), ("unit", "of", "measure")))
    ):
        yield read(f"In the unit that {companion} names.", "names of both columns")
    elif unit := _unit(facts.tokens):
        yield read(f"In {unit}.")
    elif len(facts.tokens) == 1 and facts.tokens[0] in _PLACES and _is_placed(facts):
        yield read(_PLACES[facts.tokens[0]], "names of both columns")


def _unit(tokens: list[str]) -> str:
    if len(tokens) < 2 or not _NO_UNIT_AFTER.isdisjoint(tokens[:-1]) or any(map(str.isdigit, "".join(tokens))):
        return ""
    return _UNITS.get(tokens[-1], "")


def _companion(facts: ColumnFacts, *tails: tuple[str, ...]) -> str:
    """The column named like this one plus a suffix."""
    stems = [facts.tokens]
    if facts.tokens[1:] and facts.tokens[-1] in _MINOR:
        stems.append(facts.tokens[:-1])
    wanted = [[*stem, *tail] for stem in stems for tail in tails]
    return next((other.column.name for other in facts.others if other.tokens in wanted), "")


def _is_placed(facts: ColumnFacts) -> bool:
    """Whether the table has both coordinates, with decimal places."""
    others = {other.tokens[0] for other in facts.others if len(other.tokens) == 1}
    return set(_PLACES) <= {*facts.tokens, *others} and not is_whole(facts.column.type)
