"""Describe columns: by their comment, or by keys, types, checks, defaults, samples and clear names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from tribal.describing.rules.column_facts import ColumnFacts
from tribal.describing.rules.phrases import (
    INTRANSITIVE,
    is_participle,
    values_list,
    whole_comment,
)
from tribal.describing.rules.statements import Statement, commented, declared, description, read, seen
from tribal.describing.rules.times import describe_epoch, describe_time, is_point_in_time
from tribal.identity.table_names import format_name
from tribal.masking import redact_expression
from tribal.rendering.words import listing
from tribal.sql.type_families import is_whole
from tribal_contracts import CatalogForeignKey, Description

_NUMBERED = re.compile(r"nextval\(|.*\.nextval\Z", re.IGNORECASE)


def describe_columns(columns: Iterable[ColumnFacts]) -> dict[str, Description]:
    """Describe every column of a table."""
    return {facts.column.name: describe_column(facts) for facts in columns}


def describe_column(facts: ColumnFacts) -> Description:
    """Describe one column; the text is blank if nothing is known but its name and type."""
    comment = whole_comment(facts.column.comment)
    if comment:
        return commented(comment)
    if facts.origin:
        return description([declared(f"Taken unchanged from {facts.origin}.", "view definition")])
    return description(statement for rule in _RULES for statement in rule(facts))


def _foreign_keys(facts: ColumnFacts) -> Iterator[Statement]:
    # The same key may be declared twice.
    for text in dict.fromkeys(_reference(key, facts.column.name) for key in facts.foreign_keys):
        yield declared(text, "foreign key")


def _reference(key: CatalogForeignKey, column: str) -> str:
    others = listing([name for name in key.columns if name != column])
    return f"{f'Together with {others}, refers' if others else 'Refers'} to {_target(key)}."


def _target(key: CatalogForeignKey) -> str:
    place = (key.references_schema, key.references_table)
    if len(key.columns) == 1:
        return format_name((*place, *key.references_columns))
    return f"{format_name(place)} ({', '.join(key.references_columns)})"


def _primary_key(facts: ColumnFacts) -> Iterator[Statement]:
    if facts.column.name not in facts.key_columns:
        return
    others = [name for name in facts.key_columns if name != facts.column.name]
    text = f"Part of the primary key, with {listing(others)}." if others else "The primary key."
    yield declared(text, "primary key")


def _unique(facts: ColumnFacts) -> Iterator[Statement]:
    if facts.is_unique and facts.key_columns != [facts.column.name]:
        yield declared("Unique.", "unique key")


def _filled_in(facts: ColumnFacts) -> Iterator[Statement]:
    """Values that the database sets itself."""
    column = facts.column
    if column.generated:
        context = facts.context
        formula = redact_expression(
            column.generated, table=context.table.table_name, column=column.name, dialect=context.database_type
        )
        yield declared(f"Calculated by the database: {formula}.", "generated")
    elif column.identity:
        yield declared("Numbered by the database.", "identity")
    elif _NUMBERED.match(column.default_value or ""):
        yield declared("Numbered by the database.", "default")


def _allowed(facts: ColumnFacts) -> Iterator[Statement]:
    if facts.values:
        yield declared(f"One of {values_list(facts.values)}.", "type" if facts.column.enum_values else "check")
    low, high = facts.range
    if low is not None and high is not None:
        yield declared(f"From {low} to {high}.", "check")


def _samples(facts: ColumnFacts) -> Iterator[Statement]:
    if facts.samples.values and facts.family == "text" and not facts.foreign_keys and not facts.values:
        others = "others were seen and are not shown" if facts.samples.masked else "there may be others"
        yield seen(f"Values seen: {values_list(facts.samples.values)}; {others}.")


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


def _describe_quantity(facts: ColumnFacts) -> Iterator[Statement]:
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
    elif (unit := _unit(facts.tokens)) and not is_point_in_time(facts):
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


# Pairs of opposites that almost anything can have.
_STATES = frozenset(
    """
    active inactive public private internal external optional mandatory valid invalid open final temporary permanent
    automatic manual anonymous official unofficial
    """.split()
)
_CAN_BE = ("able", "ible")
# Nouns with these endings.
_NOUNS = frozenset(
    """
    bible cable collectible constable consumable convertible crucible deductible deliverable disable enable fable gable
    intangible parable receivable stable syllable table tangible timetable turntable valuable variable vegetable
    """.split()
)
_DEFAULTS = {"true": "True", "false": "False"}


def _describe_flag(facts: ColumnFacts) -> Iterator[Statement]:
    """What a flag's name means, and its default."""
    if facts.family != "boolean":
        return
    named = _named(facts.own_tokens)
    if named:
        yield read(f"Whether it {named}.")
    default = _DEFAULTS.get((facts.column.default_value or "").lower())
    if default is not None:
        yield declared(f"{default} unless set otherwise.", "default")


def _named(words: list[str]) -> str:
    if words[:1] == ["is"]:
        words = words[1:]
    if words[1:] and words[-1] in ("flag", "indicator"):
        words = words[:-1]
    if words == ["default"]:
        return "is the default"
    if len(words) != 1:
        return ""
    (word,) = words
    if word in INTRANSITIVE:
        return f"has {word}"
    return f"is {word}" if word in _STATES or _is_capability(word) or is_participle(word) else ""


def _is_capability(word: str) -> bool:
    """Whether a word names a capability: `reversible`."""
    return len(word) > 5 and word.endswith(_CAN_BE) and word not in _NOUNS


Rule = Callable[[ColumnFacts], Iterable[Statement]]

_RULES: tuple[Rule, ...] = (
    _foreign_keys,
    _primary_key,
    _unique,
    _filled_in,
    describe_time,
    describe_epoch,
    _describe_flag,
    _describe_quantity,
    _allowed,
    _samples,
)
