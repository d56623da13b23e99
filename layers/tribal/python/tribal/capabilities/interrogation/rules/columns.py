"""What the documentation lacks about columns: their meaning, unit, codes, dates, and rows that do not count."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tribal.answering.focus import Focus
from tribal.answering.statements import column_name, short_column_name, short_name
from tribal.capabilities.interrogation.rules.explained import Explained, is_explained
from tribal.naming import is_word, likely_words, split_identifier
from tribal.rendering.markdown import one_line
from tribal.rendering.words import listing
from tribal.sql.type_families import TypeFamily, type_family
from tribal_contracts import DocumentedColumn, TableDocument
from tribal_contracts.answering.open_gaps import GapSeverity
from tribal_contracts.interrogation.sessions import Gap

_SMALL_WORDS = frozenset("id is has was can of to by at in on for and no the".split())
_GENERIC_WORDS = frozenset(
    "active amount count data factor flag index info item level measure number rank rating result score value".split()
)
"""Words that say little about what a column holds."""
_CODE_WORDS = frozenset("code codes status state type kind category class flag level stage phase cd stat typ".split())
_MEASURED_WORDS = frozenset(
    """
    amount amt price cost fee salary revenue balance total weight height width length depth size distance duration
    speed temperature volume area rate
    """.split()
)
_UNIT_WORDS = frozenset(
    """
    cent cents usd eur gbp chf dollar dollars euro euros kg g gram grams lb lbs pound pounds km m cm mm mile miles
    meter meters metre metres inch inches feet foot day days week weeks month months year years hour hours minute
    minutes min mins second seconds sec secs ms millisecond milliseconds pct percent percentage ratio share count
    currency per unit units bytes kb mb gb litre litres liter liters celsius fahrenheit
    """.split()
)
_EXCLUDING_WORDS = frozenset(
    "deleted removed void voided cancelled canceled archived hidden test obsolete inactive disabled draft".split()
)
_NUMBERS: frozenset[TypeFamily] = frozenset(("number",))
_CODED: frozenset[TypeFamily] = frozenset(("text", "number"))
_SHORT_CODE = 3
"""Values of at most this many characters that are no English words need a meaning. By judgement."""


def gaps_of_columns(table: TableDocument, column: DocumentedColumn, known: Explained) -> Iterator[Gap]:
    """What is not said about a column that a question names."""
    name = short_column_name(table, column)
    severity = _vagueness(column)
    if severity and not known.has(table, column) and not column.allowed_values and not _is_key(table, column):
        yield Gap(
            category="vagueness",
            description=f"only the name of {name} says what it holds",
            severity=severity,
            target=column_name(table, column),
        )
    if is_measured(column) and not _has_unit(column, _words(column.name)):
        yield Gap(
            category="missing_information",
            description=f"nothing says in which unit {name} is",
            severity="low",
            target=column_name(table, column),
        )


def code_columns(columns: Iterable[DocumentedColumn]) -> list[DocumentedColumn]:
    """The columns that hold codes: those with allowed values, and those named like one."""
    return [
        each
        for each in columns
        if not each.is_foreign_key
        and (each.allowed_values or (_family(each) in _CODED and _words(each.name) & _CODE_WORDS))
    ]


def gaps_of_codes(table: TableDocument, column: DocumentedColumn, known: Explained) -> Iterator[Gap]:
    """Codes of a column that have no meaning, or are not listed."""
    name, meanings = short_column_name(table, column), column.value_meanings or {}
    explained = known.has(table, column)
    if not column.allowed_values:
        if not explained:
            yield Gap(
                category="missing_information",
                description=f"nothing says which values {name} has, and what they mean",
                severity="medium",
                target=column_name(table, column),
            )
        return
    if {"is", "has"} & {*split_identifier(column.name)[:1]}:
        return
    codes = [each for each in column.allowed_values if each not in meanings and _is_code(each)]
    if codes and not explained:
        yield Gap(
            category="missing_information",
            description=f"nothing says what {listing([one_line(each) for each in codes])} mean in {name}",
            severity="medium",
            target=column_name(table, column),
        )


def gaps_of_dates(focus: Focus, known: Explained) -> Iterator[Gap]:
    """Whether it is clear which date a question about time means."""
    chosen = [(focus.main[name], each) for name, dates in focus.dates.items() for each in dates]
    metrics = {metric.time_column for metric in focus.context.defined.metrics}
    named = [each for table, each in chosen if each in focus.columns[table.name] or each.name in metrics]
    first = next(iter(focus.main))
    if not chosen:
        yield Gap(
            category="missing_information",
            description=f"there is no date in {listing(list(map(short_name, focus.main)), last='or')}",
            severity="high",
            target=first,
        )
    elif len(chosen) > 1 and not named and not any(known.has(table, each) for table, each in chosen):
        names = listing([short_column_name(table, each) for table, each in chosen], last="or")
        yield Gap(
            category="ambiguity",
            description=f"nothing says whether {names} is the date that counts",
            severity="medium",
            target=first,
        )


def excluding_columns(table: TableDocument) -> list[DocumentedColumn]:
    """The columns that mark rows which may not count."""
    return [each for each in table.columns if _words(each.name) & _EXCLUDING_WORDS]


def gaps_of_exclusions(table: TableDocument, column: DocumentedColumn, known: Explained) -> Iterator[Gap]:
    """Whether it is said how to treat the rows that a column marks."""
    if not known.has(table, column):
        yield Gap(
            category="vagueness",
            description=f"nothing says whether rows that {short_column_name(table, column)} marks count",
            severity="low",
            target=column_name(table, column),
        )


def _is_key(table: TableDocument, column: DocumentedColumn) -> bool:
    """Whether a column is a key, or likely one: what it holds is what it refers to."""
    likely = (key for key in table.inferred_keys if key.from_table == table.name)
    return column.is_primary_key or column.is_foreign_key or any(column.name in key.from_columns for key in likely)


def is_measured(column: DocumentedColumn) -> bool:
    """Whether a column holds an amount of something, which has a unit."""
    return _family(column) in _NUMBERS and bool(_words(column.name) & _MEASURED_WORDS)


def _vagueness(column: DocumentedColumn) -> GapSeverity | None:
    """How vague the name of a column is: `None` for English words that say what it holds."""
    words = [word for word in likely_words(split_identifier(column.name)) if word not in _SMALL_WORDS]
    if not all(is_word(word) for word in words):
        return "medium"
    return "low" if not words or _GENERIC_WORDS & {*words} else None


def _has_unit(column: DocumentedColumn, words: frozenset[str]) -> bool:
    said = _words(column.description.text) if is_explained(column.description, column.name) else frozenset()
    return not _UNIT_WORDS.isdisjoint(words | said)


def _is_code(value: str) -> bool:
    return (len(value) <= _SHORT_CODE and not is_word(value.casefold())) or value.isdigit()


def _words(text: str) -> frozenset[str]:
    tokens = split_identifier(text)
    return frozenset([*tokens, *likely_words(tokens)])


def _family(column: DocumentedColumn) -> TypeFamily:
    return type_family(column.base_type or column.type)
