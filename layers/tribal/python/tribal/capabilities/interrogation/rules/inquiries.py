"""The questions that an analyst asks about a hypothesis before writing SQL, in order.

Each inquiry contains what the documentation says and what it lacks. Both are derived from the same documents.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from tribal.answering.explained import code_columns, is_measured
from tribal.answering.focus import Focus
from tribal.answering.forms.filled import Filled
from tribal.answering.statements import (
    Statement,
    about_column,
    about_table,
    definitions,
    joins,
    remarks,
    row_of,
    short_column_name,
    short_name,
)
from tribal.capabilities.interrogation.rules.columns import (
    excluding_columns,
    gaps_of_codes,
    gaps_of_columns,
    gaps_of_dates,
    gaps_of_exclusions,
)
from tribal.capabilities.interrogation.rules.explained import Explained
from tribal.naming import singular
from tribal.rendering.markdown import one_line
from tribal.rendering.words import listing, shorten
from tribal_contracts import DocumentedColumn, TableDocument
from tribal_contracts.answering.open_gaps import GapCategory, GapSeverity
from tribal_contracts.interrogation.sessions import Gap

_QUOTED_CHARS = 300
"""Maximum characters of a hypothesis in a question."""
_NAMES = 4
"""Maximum number of names in a question."""


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A question, what the documentation says about it, and what is missing."""

    question: str
    statements: Sequence[Statement]
    gaps: Sequence[Gap]


def inquiries(focus: Focus, filled: Filled, hypothesis: str) -> list[Inquiry]:
    """Return the questions about a hypothesis: at least one, and at most eight.

    Only gaps in the answer to the hypothesis itself can block the hypothesis. All other gaps have low severity.
    """
    known = Explained.of(focus)
    others = [
        *_rows(focus),
        *_columns(focus, known),
        *_codes(focus, known),
        *_dates(focus, known),
        *_joins(focus),
        *_exclusions(focus, known),
    ]
    lacking = {(each.target, each.category) for each in filled.lacks}
    return [_asked(focus, filled, hypothesis), *_words(focus), *(_further(each, lacking) for each in others)]


def _further(inquiry: Inquiry, lacking: Collection[tuple[str | None, GapCategory]]) -> Inquiry:
    """Return an inquiry without gaps that are already known. The other gaps get low severity."""
    gaps = [each for each in inquiry.gaps if (each.target, each.category) not in lacking]
    return replace(inquiry, gaps=[gap.model_copy(update={"severity": "low"}) for gap in gaps])


def _asked(focus: Focus, filled: Filled, hypothesis: str) -> Inquiry:
    """Return the inquiry about the hypothesis itself."""
    quoted = shorten(one_line(hypothesis), _QUOTED_CHARS)
    severity: GapSeverity = "medium" if filled.is_answered else "high"
    first = next(iter(filled.tables), None) or next(iter(focus.main), None)
    gaps = [
        Gap(category=each.category, description=each.text, severity=severity, target=each.target or first)
        for each in filled.lacks
    ]
    return Inquiry(
        f"What is documented about “{quoted}”?",
        filled.statements if filled.is_answered else (),
        [*gaps, *_rivals(focus)],
    )


def _rivals(focus: Focus) -> Iterator[Gap]:
    """Yield other tables that the question may mean instead of the first table."""
    first = next(iter(focus.main), "")
    # Tables that only have the same columns or values are told apart by their names.
    for name in (each for each in focus.rivals if focus.matches[each].named):
        yield Gap(
            category="ambiguity",
            description=f"the question may mean {short_name(first)} or {short_name(name)}; nothing says which",
            severity="medium",
            target=name,
        )


def _words(focus: Focus) -> Iterator[Inquiry]:
    """Yield an inquiry about defined words of the hypothesis."""
    defined = focus.context.defined
    named = [*(each.name for each in defined.metrics), *(each.name for each in defined.terms)]
    if named:
        quoted = listing([f"“{one_line(word)}”" for word in named], limit=_NAMES)
        yield Inquiry(f"What does the company mean by {quoted}?", list(definitions(focus)), [])


def _rows(focus: Focus) -> Iterator[Inquiry]:
    if not focus.main:
        return
    said = [row_of(table) or about_table(table) for table in focus.main.values()]
    gaps = [_row_gap(table) for table in focus.main.values() if _row_is_unknown(table)]
    yield Inquiry(f"What is one row of {_listed(focus.main)}?", said, gaps)


def _columns(focus: Focus, known: Explained) -> Iterator[Inquiry]:
    chosen = [(focus.main[name], each) for name, columns in focus.columns.items() for each in columns]
    if chosen:
        does = "does" if len(chosen) == 1 else "do"
        unit = ", and in which unit" if any(is_measured(each) for _, each in chosen) else ""
        question = f"What {does} {_column_names(chosen)} hold{unit}?"
        gaps = [gap for table, each in chosen for gap in gaps_of_columns(table, each, known)]
        yield Inquiry(question, [about_column(table, each) for table, each in chosen], gaps)


def _codes(focus: Focus, known: Explained) -> Iterator[Inquiry]:
    chosen = [(focus.main[name], each) for name, found in focus.columns.items() for each in code_columns(found)]
    if chosen:
        question = f"What do the values of {_column_names(chosen)} mean?"
        gaps = [gap for table, each in chosen for gap in gaps_of_codes(table, each, known)]
        yield Inquiry(question, [about_column(table, each) for table, each in chosen], gaps)


def _dates(focus: Focus, known: Explained) -> Iterator[Inquiry]:
    if focus.asks_time and focus.main:
        said = [about_column(focus.main[name], each) for name, dates in focus.dates.items() for each in dates]
        yield Inquiry("Which date counts?", said, list(gaps_of_dates(focus, known)))


def _joins(focus: Focus) -> Iterator[Inquiry]:
    if len(focus.main) < 2:
        return
    first, *others = focus.main
    gaps = [
        Gap(
            category="missing_information",
            description=f"no key joins {short_name(name)} to {short_name(first)}",
            severity="high",
            target=name,
        )
        for name in others
        if name not in focus.reached
    ]
    used = {*focus.joined}
    found = [join for join in focus.context.joins if {*join.tables} <= used]
    gaps += [
        Gap(
            category="vagueness",
            description=f"the key that joins {' to '.join(map(short_name, join.tables))} is likely, but not declared",
            severity="low",
            target=join.tables[0],
        )
        for join in found
        if join.inferred and join.tables[0] != join.tables[1]
    ]
    yield Inquiry(f"Which keys join {_listed(focus.main)}?", list(joins(found, used)), gaps)


def _exclusions(focus: Focus, known: Explained) -> Iterator[Inquiry]:
    chosen = [(table, each) for table in focus.main.values() for each in excluding_columns(table)]
    said = [*(about_column(table, each) for table, each in chosen), *remarks(focus, focus.main)]
    if chosen or said:
        gaps = [gap for table, each in chosen for gap in gaps_of_exclusions(table, each, known)]
        yield Inquiry(f"Which rows of {_listed(focus.main)} should be left out?", said, gaps)


def _row_is_unknown(table: TableDocument) -> bool:
    return row_of(table) is None and table.description.source == "derived" and not _is_view(table)


def _row_gap(table: TableDocument) -> Gap:
    """Return the gap of a table whose rows nothing describes. It is less severe if a column looks like an
    identifier."""
    own = {"id", f"{table.table}_id", f"{singular(table.table.casefold())}_id"}
    named = next((each for each in table.columns if each.name.casefold() in own), None)
    if named is None:
        text = f"neither a key nor a description says what one row of {short_name(table.name)} is"
        return Gap(category="missing_information", description=text, severity="medium", target=table.name)
    text = f"only the name of {one_line(named.name)} says what one row of {short_name(table.name)} is"
    return Gap(category="vagueness", description=text, severity="low", target=table.name)


def _is_view(table: TableDocument) -> bool:
    return table.view_definition is not None or table.kind in ("view", "materialized_view", "dynamic_table")


def _listed(names: Iterable[str]) -> str:
    return listing([short_name(name) for name in names], limit=_NAMES)


def _column_names(chosen: Sequence[tuple[TableDocument, DocumentedColumn]]) -> str:
    return listing([short_column_name(table, each) for table, each in chosen], limit=_NAMES)
