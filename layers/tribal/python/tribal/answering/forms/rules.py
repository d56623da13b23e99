"""The form about what the database allows: the constraint that decides, and yes or no."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tribal.answering.explained import is_number
from tribal.answering.focus import Focus
from tribal.answering.forms.common import named_table, unknown
from tribal.answering.forms.filled import Filled, Library
from tribal.answering.matches import ColumnMatch, TableMatch
from tribal.answering.statements import Statement, about_column, of_table, row_of, short_column_name, short_name
from tribal.joins.outline import row_keys
from tribal.questions.words import question_words
from tribal.rendering.markdown import one_line
from tribal.rendering.words import NOT_VALIDATED, listing
from tribal_contracts import DocumentedForeignKey, TableDocument

Kind = Literal["unique", "check", "empty", "delete"]
_UNIQUE = re.compile(
    r"\b(?:same|twice|two|several|more than one|multiple|duplicates?|unique|only one|once|at most one|share|both)\b",
    re.IGNORECASE,
)
_EMPTY = re.compile(
    r"\b(?:without|empty|null|missing|blank|optional|mandatory|required|must (?:\w+ ){1,4}have|have to have|no|lack)\b",
    re.IGNORECASE,
)
_DELETE = re.compile(r"\b(?:delet|remov|eras)\w*\b", re.IGNORECASE)
_MANDATORY = re.compile(r"^(?:must|does|do|is|are|has|have)\b", re.IGNORECASE)
_MOST = 3


@dataclass(frozen=True, slots=True)
class _Constraint:
    """A constraint of a table, and how far a question is about it."""

    table: TableMatch
    kind: Kind
    columns: tuple[str, ...]
    text: str
    rank: float
    condition: str = ""
    """Of a partial unique index: the rows that it holds for."""


def rule(focus: Focus, library: Library) -> Filled:
    """Say whether the database allows something, and which constraint decides."""
    del library
    wanted = _wanted(focus.question)
    if same := _same(focus):
        return same
    found = sorted(_constraints(focus), key=lambda each: (each.kind != wanted, -each.rank))
    fitting = [each for each in found if each.rank > 0]
    first = next((each for each in fitting if each.kind == wanted), None)
    if wanted == "unique" and not (first and first.condition) and (counted := _several(focus)):
        return counted
    if wanted == "empty":
        first = _about_denied(fitting, focus) or first
    check = next((each for each in fitting if each.kind == "check"), None)
    if check is not None and (first is None or (wanted == "unique" and check.rank > first.rank)):
        first = check
    first = first or _about_number(found, focus)
    return _decided(first, focus) if first is not None else _nothing_forbids(wanted, focus)


def _about_number(found: Sequence[_Constraint], focus: Focus) -> _Constraint | None:
    """The check on a figure of a table that the question names, if it rules out the number that is asked for."""
    from tribal.answering.forms.check_outcomes import is_ruled_out, number_asked

    if number_asked(focus.question) is None:
        return None
    for each in found:
        column = next((one for one in each.table.table.columns if (one.name,) == each.columns), None)
        if each.kind == "check" and each.table.is_whole and column is not None and is_number(column):
            expression = each.text.partition(": ")[2]
            if is_ruled_out(expression, focus.question, each.table, number_of=each.columns[0]):
                return each
    return None


def _about_denied(found: Sequence[_Constraint], focus: Focus) -> _Constraint | None:
    """The constraint on the column that a question says is empty: a check that has another word too, else NOT NULL."""
    denied = focus.denied
    for kind in ("check", "empty"):
        for each in found:
            columns = {one.column.name: one for one in each.table.columns}
            named = [columns[name] for name in each.columns if name in columns and columns[name].is_named]
            of_denied = [one for one in named if one.about & denied and not one.values]
            if each.kind == kind and of_denied and (kind == "empty" or len(named) > len(of_denied)):
                return each
    return None


def _wanted(question: str) -> Kind:
    if _DELETE.search(question):
        return "delete"
    if _UNIQUE.search(question):
        return "unique"
    return "empty" if _EMPTY.search(question) else "check"


def _constraints(focus: Focus) -> Iterator[_Constraint]:
    for name, match in focus.matches.items():
        prior = 0.5 * focus.context.scores.get(name, 0.0) + 0.3 * (name in focus.main)
        prior += 0.5 * match.is_whole - (match.table.copy_of is not None)
        columns = {each.column.name: each for each in match.columns}
        yield from _unique(match, columns, prior)
        yield from _checks(match, columns, prior)
        yield from _empty(match, columns, prior)
        yield from _deleting(match, focus, prior)


def _rank(names: Sequence[str], columns: Mapping[str, ColumnMatch], match: TableMatch, prior: float) -> float:
    """How far a question is about a constraint on some columns; 0 if it has a word of none."""
    known = [columns[name] for name in names if name in columns and columns[name].is_named]
    words = frozenset(word for each in known for word in each.about)
    telling = words - match.named.keys() or (words if len(known) == len(names) > 1 else frozenset())
    if not telling:
        return 0.0
    weights = {word.text: word.weight for word in match.asked}
    own = sum(max(each.own.get(word, 0.0) for each in known) * weights[word] for word in words)
    own += sum(weights[word] * (0.7 + 0.3 * match.share) for word in match.named if word not in words)
    return own * (0.4 + 0.6 * len(known) / len(names)) + prior


def _whole(names: Sequence[str], columns: Mapping[str, ColumnMatch], match: TableMatch, prior: float) -> float:
    """How far a question is about a key: it must have a word of every column, since others may make rows differ."""
    is_whole = all(name in columns and columns[name].is_named for name in names)
    return _rank(names, columns, match, prior) if is_whole else 0.0


_SAME = re.compile(
    r"^(?:can|may|could|do) (?:two|several|multiple|different) (?P<one>.+?) (?:have|share|use|get) (?:the )?same "
    r"(?P<what>.+?)[?.!]*$",
    re.IGNORECASE,
)


def _same(focus: Focus) -> Filled | None:
    """Say whether two rows of a table that a question names may have the same in a column."""
    found = _SAME.match(" ".join(focus.question.split()))
    if found is None:
        return None
    one, what = (frozenset(word.text for word in question_words(found[name])) for name in ("one", "what"))
    match = named_table(focus, one)
    if match is None:
        return None
    column = next((each for each in focus.best_columns(what, tables=[match.table.name]) if each.about & what), None)
    if column is None:
        return None
    columns = {each.column.name: each for each in match.columns}
    keys = [
        each for each in _unique(match, columns, 0.0) if column.column.name in map(_name_in(match.table), each.columns)
    ]
    alone = next((each for each in keys if len(each.columns) == 1), None)
    if alone is not None:
        return _decided(alone, focus)
    name = short_column_name(match.table, column.column)
    text = f"Yes, nothing in the database forbids it: no key or unique index is on {name} alone."
    if keys:
        text = f"Yes: {name} is unique only together with others ({listing([each.text for each in keys], limit=2)})."
    return Filled(
        [of_table(match.table, match.table.name, text), about_column(match.table, column.column)], [match.table.name]
    )


def _name_in(table: TableDocument) -> Callable[[str], str]:
    return lambda expression: _column_in(expression, table)


_SEVERAL = re.compile(
    r"^(?:can|may|could|does|do) (?:an?|one|the same|each|every) (?P<one>.+?) "
    r"(?:have|has|belong to|be (?:in|on|part of|assigned to)|own|get|use|contain|hold|refer to)"
    r" (?:two|several|more than one|multiple|many|both) (?P<many>.+?)[?.!]*$",
    re.IGNORECASE,
)


def _several(focus: Focus) -> Filled | None:
    """Say whether a row may have several of something: by the key between both, or since one column has one value."""
    found = _SEVERAL.match(" ".join(focus.question.split()))
    if found is None:
        return None
    one, many = (frozenset(word.text for word in question_words(found[name])) for name in ("one", "many"))
    first, second = named_table(focus, one), named_table(focus, many)
    if first is None:
        return None
    name = first.table.name
    if second is not None and second.table.name != name:
        for child, parent, says in ((second.table, first.table, "Yes"), (first.table, second.table, "No")):
            for key in child.foreign_keys:
                if key.references_table == parent.name:
                    return _by_key(says, child, key, parent)
        link = _link_of(first, second, focus)
        if link is not None:
            both = f"{short_name(name)} and of {short_name(second.table.name)}"
            text = f"Yes: {short_name(link.name)} links many rows of {both}."
            return Filled([of_table(link, link.name, text)], [name, second.table.name, link.name])
    columns = [each for each in focus.best_columns(many, tables=[name]) if each.about & many and each.is_named]
    if columns and not columns[0].column.is_primary_key:
        column = short_column_name(first.table, columns[0].column)
        text = f"No: {column} holds one value for each row of {short_name(name)}."
        said = [of_table(first.table, name, text), about_column(first.table, columns[0].column)]
        return Filled(said, [name])
    return None


def _link_of(first: TableMatch, second: TableMatch, focus: Focus) -> TableDocument | None:
    wanted = {first.table.name, second.table.name}
    for each in focus.matches.values():
        if wanted <= {key.references_table for key in each.table.foreign_keys}:
            return each.table
    return None


def _by_key(says: str, child: TableDocument, key: DocumentedForeignKey, parent: TableDocument) -> Filled:
    """Say what a key between two tables allows."""
    columns = listing([one_line(each) for each in key.columns])
    one, other = short_name(child.name), short_name(parent.name)
    is_unique = any(set(each) <= set(key.columns) for each in row_keys(child))
    if says == "Yes" and is_unique:
        text = f"No: {columns} is unique in {one}, so a row of {other} has at most one."
    elif says == "Yes":
        text = f"Yes: many rows of {one} may refer to one row of {other} by {columns}."
    else:
        text = f"No: a row of {one} refers to one row of {other}, by {columns}."
    return Filled([of_table(child, child.name, text)], [child.name, parent.name])


def _unique(match: TableMatch, columns: Mapping[str, ColumnMatch], prior: float) -> Iterator[_Constraint]:
    table = match.table
    keys = [(f"primary key {table.primary_key.name}", table.primary_key.columns)] if table.primary_key else []
    keys += [(f"unique key {each.name}", each.columns) for each in table.unique_keys]
    for text, names in keys:
        yield _Constraint(match, "unique", tuple(names), one_line(text), _whole(names, columns, match, prior))
    known = {frozenset(names) for _, names in keys}
    for index in table.indexes:
        if not index.unique or (frozenset(index.columns) in known and not index.predicate):
            continue
        names = [_column_in(part, table) for part in index.columns]
        text = one_line(f"unique index {index.name}")
        rank = _whole(names, columns, match, prior)
        kept = _column_in(index.predicate or "", table)
        if kept in columns and columns[kept].is_named:
            # Such as one default of each kind: the condition names what is the only one.
            rank = max(rank, _rank([kept], columns, match, prior)) + 1
        shown = tuple(_legible(each) for each in index.columns)
        yield _Constraint(match, "unique", shown, text, rank, _legible(index.predicate or ""))


def _legible(expression: str) -> str:
    """An expression without the casts and parentheses that PostgreSQL adds."""
    text = re.sub(r"\((\w+)\)::\w+(?: \w+)*", r"\1", one_line(expression))
    return text[1:-1] if text.startswith("(") and text.endswith(")") and "(" not in text[1:-1] else text


def _columns_in(expression: str, table: TableDocument) -> list[str]:
    """The columns that an expression has by name."""
    return [each.name for each in table.columns if re.search(rf"(?<!\w){re.escape(each.name)}(?!\w)", expression)]


def _column_in(expression: str, table: TableDocument) -> str:
    """The column of an indexed expression, such as `lower(email)`."""
    return max(_columns_in(expression, table), key=len, default=expression)


def _checks(match: TableMatch, columns: Mapping[str, ColumnMatch], prior: float) -> Iterator[_Constraint]:
    for check in match.table.checks:
        names = _columns_in(check.expression, match.table)
        lists = [each for each in match.table.columns if each.name in names and each.allowed_values_from == "check"]
        if names and not (lists and len(names) == 1):
            text = _legible(f"{check.expression}{NOT_VALIDATED if check.validated is False else ''}")
            rank = _rank(names, columns, match, prior) * (1.0 if len(names) > 1 else 0.9)
            yield _Constraint(match, "check", tuple(names), f"check {one_line(check.name)}: {text}", rank)


def _empty(match: TableMatch, columns: Mapping[str, ColumnMatch], prior: float) -> Iterator[_Constraint]:
    for name, column in columns.items():
        text = (
            f"{short_column_name(match.table, column.column)} is {'nullable' if column.column.nullable else 'NOT NULL'}"
        )
        yield _Constraint(match, "empty", (name,), text, _rank([name], columns, match, prior))


def _deleting(match: TableMatch, focus: Focus, prior: float) -> Iterator[_Constraint]:
    """What deleting a row of a named table does to the rows that refer to it."""
    for key in match.table.foreign_keys:
        parent = focus.matches.get(key.references_table)
        if parent is None or not parent.named:
            continue
        what = {
            "CASCADE": "are deleted too",
            "SET NULL": "stay, with an empty reference",
            "SET DEFAULT": "stay, and refer to the default",
        }.get((key.on_delete or "").upper(), "prevent it: it is refused while there are any")
        names = listing([one_line(each) for each in key.columns])
        which = f"the rows of {short_name(match.table.name)} that refer to it by {names}"
        text = f"If a row of {short_name(parent.table.name)} is deleted, {which} {what}"
        rank = sum(parent.named.values()) + 2 * sum(match.named.values()) + prior
        yield _Constraint(match, "delete", tuple(key.columns), text, rank)


def _decided(found: _Constraint, focus: Focus) -> Filled:
    table = found.table.table
    said = [of_table(table, table.name, _verdict(found, focus))]
    columns = {each.name: each for each in table.columns}
    names = dict.fromkeys(_column_in(each, table) for each in found.columns)
    said += [about_column(table, columns[name]) for name in names if name in columns][:_MOST]
    return Filled(said, [table.name])


def _verdict(found: _Constraint, focus: Focus) -> str:
    """Yes or no, and why."""
    table, question = found.table.table, focus.question
    name = short_name(table.name)
    columns = listing([one_line(each) for each in found.columns])
    if found.kind == "unique":
        where = f" among rows where {found.condition}" if found.condition else ""
        each = "is" if len(found.columns) == 1 else "together are"
        answer = "Yes" if re.match(r"(?:is|are)\b.*\bunique\b", question, re.IGNORECASE) else "No"
        return f"{answer}: {columns} {each} unique in {name}{where} ({found.text})."
    if found.kind == "empty":
        column = next(each for each in table.columns if each.name == found.columns[0])
        is_mandatory = _MANDATORY.match(question) is not None and not re.search(
            r"\b(?:empty|null|optional|missing|without)\b", question, re.IGNORECASE
        )
        allowed = column.nullable != is_mandatory
        rest = "may be empty" if column.nullable else "must always have a value (NOT NULL)"
        return f"{'Yes' if allowed else 'No'}: {short_column_name(table, column)} {rest}."
    if found.kind == "delete":
        return f"{found.text}."
    from tribal.answering.forms.check_outcomes import is_ruled_out

    number_of = found.columns[0] if len(found.columns) == 1 else ""
    ruled_out = is_ruled_out(found.text.partition(": ")[2], question, found.table, focus.denied, number_of)
    answer = "No: a row must meet" if ruled_out else "A row must meet"
    return f"{answer} the {found.text} ({name})."


def _nothing_forbids(wanted: Kind, focus: Focus) -> Filled:
    first = next(iter(focus.main.values()), None)
    if first is None:
        return unknown(focus)
    whole = [each.table for each in focus.matches.values() if each.is_whole]
    tables = whole[:2] or [first]
    if focus.lacking([each.name for each in tables]) and not whole:
        return unknown(focus)
    names = listing([short_name(each.name) for each in tables])
    what = {"unique": "key or unique index", "check": "check", "empty": "NOT NULL", "delete": "key"}[wanted]
    text = f"Yes, nothing in the database forbids it: no {what} of {names} is about that."
    said: list[Statement] = [of_table(tables[0], tables[0].name, text)]
    said += [row for each in tables if (row := row_of(each))]
    return Filled(said, [each.name for each in tables])
