"""Parts of several forms: finding the table that a question names, and saying what is not documented."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from tribal.answering.explained import code_columns, codes_without_meaning, is_explained
from tribal.answering.focus import Focus
from tribal.answering.forms.filled import Filled, Lack, Library
from tribal.answering.matches import SYNONYM, TableMatch
from tribal.answering.statements import (
    Statement,
    about_column,
    about_table,
    column_name,
    of_table,
    row_of,
    short_column_name,
    short_name,
)
from tribal.identity import locations
from tribal.identity.table_names import format_name, parse_name
from tribal.naming import STOP_WORDS
from tribal.rendering.markdown import one_line
from tribal.rendering.words import listing, sentence
from tribal_contracts import DocumentedColumn, TableDocument

NOT_DOCUMENTED = "This is not documented"
_MOST_COLUMNS = 12


def unknown(focus: Focus, part: Iterable[str] = ()) -> Filled:
    """Say that a question is not documented, and which tables are nearest.

    Args:
        focus: what the question is about.
        part: the words of the part that is not documented, if that is known.
    """
    content = (word for word in part if word not in STOP_WORDS)
    words = [f"“{one_line(word)}”" for word in focus.uncovered or content]
    text = f"nothing explains {listing(words)}" if words else "no table holds this"
    named = (each for each in focus.best_columns(tables=focus.main) if each.is_named)
    columns = [each for each in named if each.about - each.table_words]
    nearest = [about_table(each) for each in list(focus.main.values())[:2]]
    nearest += [about_column(each.table, each.column) for each in columns[:1]]
    return not_said(Filled(nearest, list(focus.main), [Lack("", "missing_information", text)]))


def _how(lacks: Sequence[Lack]) -> str:
    """Say how to document what is missing."""
    target = next((each.target for each in lacks if each.target), "")
    if not target:
        return ""
    names = parse_name(target)
    where = f" under {format_name(names[1:3])}" if len(names) > 1 else ""
    return f" To document it, describe it in {locations.annotations_file(names[0])}{where}."


def not_said(filled: Filled) -> Filled:
    """Begin with what is not documented, from the source that should say it; unchanged if nothing lacks."""
    if not filled.lacks:
        return filled
    if not filled.statements:
        return replace(filled, is_answered=False)
    nearest = filled.statements[0]
    text = "; ".join(each.text for each in filled.lacks)
    first = Statement(
        f"{NOT_DOCUMENTED}: {text}.{_how(filled.lacks)}", nearest.about, nearest.kind, nearest.source, nearest.uri
    )
    return replace(filled, statements=[first, *filled.statements], is_answered=False)


def lack_statement(lack: Lack, table: TableDocument) -> Statement:
    """State what is not documented next to what is; `table` is the source without a target."""
    return of_table(table, lack.target or table.name, sentence(lack.text))


def named_table(focus: Focus, words: frozenset[str]) -> TableMatch | None:
    """The table whose whole name is among some words, or in the question without any; the longest name first."""
    whole = [each for each in focus.matches.values() if each.is_whole]
    if words:
        # A synonym in the rest of the question is no part of the name.
        whole = [each for each in whole if words >= {word for word, sure in each.named.items() if sure > SYNONYM}]
        whole = [each for each in whole if words & each.named.keys()]
    return max(whole, key=lambda each: (len(each.named), sum(each.named.values())), default=None)


def about_whole_table(table: TableDocument) -> Filled:
    """Say what a table is and what identifies a row; without a description, list its columns."""
    said = list(dict.fromkeys([about_table(table), *filter(None, [row_of(table)])]))
    if table.description.source != "derived":
        return Filled(said, [table.name])
    name = short_name(table.name)
    columns = listing([one_line(each.name) for each in table.columns], limit=_MOST_COLUMNS)
    said.append(of_table(table, table.name, f"Nothing describes {name}; its columns are {columns}."))
    return Filled(said, [table.name], [Lack(table.name, "missing_information", f"nothing describes {name}")])


def base_column(
    table: TableDocument, column: DocumentedColumn, library: Library
) -> tuple[TableDocument, DocumentedColumn] | None:
    """The column that a view takes unchanged, if the view has no text of its own for it."""
    if column.description.source != "derived":
        return None
    for edge in table.lineage or ():
        if edge.column == column.name and edge.via == "direct" and (base := library.table(edge.from_table)):
            found = next((each for each in base.columns if each.name == edge.from_column), None)
            if found is not None:
                return base_column(base, found, library) or (base, found)
    return None


def taken_from(told: tuple[TableDocument, DocumentedColumn] | None) -> Iterator[Statement]:
    """State what is said of the column that `base_column` found, if it found one."""
    if told is not None:
        yield about_column(*told)


def lacking_codes(table: TableDocument, column: DocumentedColumn, meant: DocumentedColumn) -> Iterator[Lack]:
    """Find which codes of a column have no meaning, or whether its codes are not listed."""
    if not code_columns([meant]) or is_explained(meant.description, column.name, table.table) or meant.value_meanings:
        return
    name = short_column_name(table, column)
    if not meant.allowed_values:
        text = f"nothing says which values {name} has or what they mean"
        yield Lack(column_name(table, column), "missing_information", text)
    elif codes := codes_without_meaning(meant):
        yield lacking_meaning(table, column, codes)


def lacking_meaning(table: TableDocument, column: DocumentedColumn, values: Sequence[str]) -> Lack:
    """Say that nothing explains some values of a column."""
    named = listing([one_line(each) for each in values], limit=len(values))
    text = f"nothing says what {named} {'means' if len(values) == 1 else 'mean'} in {short_column_name(table, column)}"
    return Lack(column_name(table, column), "missing_information", text)
