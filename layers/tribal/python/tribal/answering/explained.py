"""Checks whether a column is documented beyond its name: its meaning, its unit and its codes."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tribal.naming import is_word, likely_words, split_identifier
from tribal.rendering.gaps import restates, says_little
from tribal.rendering.words import informative_text
from tribal.sql.type_families import TypeFamily, type_family
from tribal_contracts import Description, DocumentedColumn, TableDocument
from tribal_contracts.answering.open_gaps import GapSeverity

UNIT_WORDS = frozenset(
    """
    cent cents usd eur gbp chf dollar dollars euro euros kg g gram grams lb lbs pound pounds km m cm mm mile miles
    kilometer kilometers kilometre kilometres kilogram kilograms
    meter meters metre metres inch inches feet foot day days week weeks month months year years hour hours minute
    minutes min mins second seconds sec secs ms millisecond milliseconds pct percent percentage ratio share count
    currency per unit units bytes kb mb gb litre litres liter liters celsius fahrenheit kmh mph
    """.split()
)
MEASURED_WORDS = frozenset(
    """
    amount amt price cost fee salary revenue balance total weight height width length depth size distance duration
    speed temperature volume area rate range
    """.split()
)
MONEY_WORDS = frozenset("amount price cost revenue total fee salary sum value paid cents net gross".split())
_SMALL_WORDS = frozenset("id is has was can of to by at in on for and no the".split())
_GENERIC_WORDS = frozenset(
    "active amount count data factor flag index info item level measure number rank rating result score value".split()
)
"""Words that say little about what a column holds."""
_NO_NAME = 2
"""A name of at most this many letters says nothing by itself. By judgement."""
_SHORT_CODE = 3
"""Values of at most this many characters that are no English words need a meaning. By judgement."""


_TOKEN = re.compile(r"\w+")


def is_described(table: TableDocument) -> bool:
    """Whether a table has a description that rules did not make."""
    return bool(informative_text(table.description))


def is_explained(description: Description, *names: str) -> bool:
    """Whether a description that rules did not make says more than some names."""
    return description.source != "derived" and bool(description.text) and not says_little(description.text, *names)


def vagueness(column: DocumentedColumn) -> GapSeverity | None:
    """How vague the name of a column is: `None` for English words that say what it holds."""
    words = [word for word in likely_words(split_identifier(column.name)) if word not in _SMALL_WORDS]
    if not all(is_word(word) for word in words) or (len(column.name) <= _NO_NAME and not is_word(column.name)):
        return "medium"
    return "low" if not words or _GENERIC_WORDS & {*words} else None


def says_what_it_holds(column: DocumentedColumn, table: str) -> bool:
    """Whether a text, a key, an expression, a legend of its values or a plain name says what a column holds."""
    said = column.description
    if said.source != "derived" and said.text and not restates(said.text, column.name, table):
        return True
    if column.value_meanings or column.allowed_values or column.generated:
        return True
    return column.is_primary_key or column.is_foreign_key or vagueness(column) is None


def is_measured(column: DocumentedColumn) -> bool:
    """Whether a column holds an amount of something, which has a unit."""
    return family_of(column) == "number" and bool(words_of(column.name) & MEASURED_WORDS)


def has_unit(column: DocumentedColumn) -> bool:
    """Whether the name or the text of a column has a unit."""
    said = words_of(column.description.text) if is_explained(column.description, column.name) else frozenset()
    return not UNIT_WORDS.isdisjoint(words_of(column.name) | said)


_NO_MEASURES = frozenset(
    "count currency day days foot hour hours min minute minutes month months per ratio sec second seconds share unit "
    "units week weeks year years".split()
)
_NUMBERS = "two|three|four|five|six|seven|eight|nine|ten"
_DURATION = re.compile(rf"\b(?:\d+|{_NUMBERS}|in) (?P<unit>days|weeks|months|hours|minutes|seconds)\b", re.IGNORECASE)


def units_asked(question: str) -> list[str]:
    """The units in which a question wants or compares something, other than the time that it is about."""
    tokens = [each.lower() for each in _TOKEN.findall(question)]
    return [each for each in tokens if each in UNIT_WORDS - _NO_MEASURES] + [
        each["unit"].lower() for each in _DURATION.finditer(question)
    ]


def unit_of(column: DocumentedColumn) -> str:
    """The unit that the text of a column names first, else the one in its name; empty without any."""
    for text in (column.description.text, column.name):
        words = [word for word in split_identifier(text) if word in UNIT_WORDS and word not in ("per", "unit", "units")]
        if words:
            return " ".join(dict.fromkeys(words[:2])) if text == column.description.text else words[-1]
    return ""


def codes_without_meaning(column: DocumentedColumn) -> list[str]:
    """The values of a column that are codes, and that nothing explains."""
    if is_measured(column) or (family_of(column) == "number" and not UNIT_WORDS.isdisjoint(words_of(column.name))):
        return []
    listed, meanings = column.allowed_values or (), column.value_meanings or {}
    named = frozenset(_TOKEN.findall(informative_text(column.description)))
    # Of names of several lengths, the short ones are names too, such as UPS.
    same_length = len({len(each) for each in listed}) == 1
    codes = [each for each in listed if is_code(each) and (same_length or len(each) < _SHORT_CODE or each.isdigit())]
    return [each for each in codes if each not in meanings and each not in named]


_CODE_WORDS = frozenset(
    "code codes status state type kind category class flag level stage phase mode cd stat typ".split()
)


def code_columns(columns: Iterable[DocumentedColumn]) -> list[DocumentedColumn]:
    """Return the columns that hold codes: those with allowed values, and those named like one."""
    return [
        each
        for each in columns
        if not each.is_foreign_key
        and (each.allowed_values or (family_of(each) in ("text", "number") and words_of(each.name) & _CODE_WORDS))
    ]


def is_code(value: str) -> bool:
    """Whether a value says nothing by itself: digits, or a few letters that are no word."""
    short = len(value) <= _SHORT_CODE and not is_word(value.casefold())
    numbered = value.isupper() and not value.isalpha() and " " not in value and "_" not in value
    return short or numbered or value.isdigit()


def words_of(text: str) -> frozenset[str]:
    """The words of a name or a text, with abbreviations spelt out."""
    tokens = split_identifier(text)
    return frozenset([*tokens, *likely_words(tokens)])


def family_of(column: DocumentedColumn) -> TypeFamily:
    """Return the family of a column's type, or of the base type if that is a domain."""
    return type_family(column.base_type or column.type)


def numeric(columns: Iterable[DocumentedColumn]) -> list[DocumentedColumn]:
    """Return the columns with numbers, other than keys."""
    return [each for each in columns if is_number(each)]


def is_number(column: DocumentedColumn) -> bool:
    """Whether a column holds numbers and is no key."""
    return family_of(column) == "number" and not (column.is_primary_key or column.is_foreign_key)
