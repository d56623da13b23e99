"""Find what the documentation lacks about columns: meaning, unit, codes, dates, and rows that may have to be left
out."""

from __future__ import annotations

from collections.abc import Iterator

from tribal.answering.explained import codes_without_meaning, has_unit, is_measured, vagueness, words_of
from tribal.answering.focus import Focus
from tribal.answering.statements import column_name, short_column_name, short_name
from tribal.capabilities.interrogation.rules.explained import Explained
from tribal.naming import split_identifier
from tribal.rendering.markdown import one_line
from tribal.rendering.words import listing
from tribal_contracts import DocumentedColumn, TableDocument
from tribal_contracts.interrogation.sessions import Gap

_EXCLUDING_WORDS = frozenset(
    "deleted removed void voided cancelled canceled archived hidden test obsolete inactive disabled draft".split()
)


def gaps_of_columns(table: TableDocument, column: DocumentedColumn, known: Explained) -> Iterator[Gap]:
    """Yield what is missing about a column that the question names."""
    name = short_column_name(table, column)
    severity = vagueness(column)
    if severity and not known.has(table, column) and not column.allowed_values and not _is_key(table, column):
        yield Gap(
            category="vagueness",
            description=f"only the name of {name} says what it holds",
            severity=severity,
            target=column_name(table, column),
        )
    if is_measured(column) and not has_unit(column):
        yield Gap(
            category="missing_information",
            description=f"no unit is documented for {name}",
            severity="low",
            target=column_name(table, column),
        )


def gaps_of_codes(table: TableDocument, column: DocumentedColumn, known: Explained) -> Iterator[Gap]:
    """Yield gaps for codes of a column that are not listed or have no meaning."""
    name = short_column_name(table, column)
    explained = known.has(table, column)
    if not column.allowed_values:
        if not explained:
            yield Gap(
                category="missing_information",
                description=f"nothing says which values {name} has or what they mean",
                severity="medium",
                target=column_name(table, column),
            )
        return
    if {"is", "has"} & {*split_identifier(column.name)[:1]}:
        return
    codes = codes_without_meaning(column)
    if codes and not explained:
        yield Gap(
            category="missing_information",
            description=f"nothing says what {listing([one_line(each) for each in codes])} mean in {name}",
            severity="medium",
            target=column_name(table, column),
        )


def gaps_of_dates(focus: Focus, known: Explained) -> Iterator[Gap]:
    """Yield a gap if it is unclear which date a question about time means."""
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
    """Return the columns that mark rows that may have to be left out, such as deleted ones."""
    return [each for each in table.columns if words_of(each.name) & _EXCLUDING_WORDS]


def gaps_of_exclusions(table: TableDocument, column: DocumentedColumn, known: Explained) -> Iterator[Gap]:
    """Yield a gap if nothing says how to treat the rows that a column marks."""
    if not known.has(table, column):
        yield Gap(
            category="vagueness",
            description=f"nothing says whether to include the rows that {short_column_name(table, column)} marks",
            severity="low",
            target=column_name(table, column),
        )


def _is_key(table: TableDocument, column: DocumentedColumn) -> bool:
    """Return whether a column is a key or likely one, so that its values are explained by the table that it refers
    to."""
    likely = (key for key in table.inferred_keys if key.from_table == table.name)
    return column.is_primary_key or column.is_foreign_key or any(column.name in key.from_columns for key in likely)
