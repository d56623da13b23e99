"""Forms about two things: how they are joined, and how they differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tribal.answering.explained import is_described
from tribal.answering.focus import Focus, is_own_key
from tribal.answering.forms.common import base_column, lacking_meaning, named_table, not_said, unknown
from tribal.answering.forms.filled import Filled, Lack, Library
from tribal.answering.matches import ColumnMatch, NamedThing, TableMatch, match_column
from tribal.answering.statements import (
    Statement,
    about_column,
    about_table,
    about_value,
    of_table,
    row_of,
    short_name,
    table_uri,
)
from tribal.joins.statements import ROW_LIMIT
from tribal.naming import singular, split_identifier
from tribal.rendering.markdown import one_line
from tribal.rendering.words import listing
from tribal.sql.dialect import legible_identifier, legible_table
from tribal.sql.type_families import short_type
from tribal_contracts import DocumentedColumn, GetJoinPathOutput, JoinStep, TableDocument

_MOST_COLUMNS = 8
"""The most columns that a difference of tables names at once."""
_MOST_TYPES = 4


@dataclass(frozen=True, slots=True)
class _Side:
    """One of the things that a question compares or joins."""

    table: TableDocument
    match: ColumnMatch | None = None
    """The column that is meant, if it is not the table as a whole."""

    @property
    def column(self) -> DocumentedColumn | None:
        return self.match.column if self.match else None


def _side(words: frozenset[str], focus: Focus, other: _Side | None = None, *, values: bool = True) -> _Side | None:
    """What some words of a question mean: a table by its whole name, else the column that has most of them."""
    words = frozenset(word.text for word in focus.asked if word.text in words)
    if not words:
        return None
    whole = named_table(focus, words)
    asked = [word for word in focus.asked if word.text in words]
    matches = [each for each in focus.best_columns(words) if each.about & words and not is_own_key(each)]
    matches = [each for each in matches if values or not each.values]
    if other is not None:
        near = {each.references_table for each in other.table.foreign_keys}
        matches.sort(key=lambda each: -NamedThing.of(each.column.name).share(asked))
        matches.sort(key=lambda each: (each.table.name != other.table.name, each.table.name not in near))
        matches.sort(key=lambda each: (-len(each.about & words), not each.is_named))
    else:
        matches.sort(key=lambda each: (-len(each.about & words), -each.share * each.is_named))
    best = matches[0] if matches else None
    is_column = best is not None and words <= best.about | best.table_words and (best.is_whole or best.values)
    if whole is not None and (words <= whole.named.keys() or not is_column):
        return _Side(whole.table)
    partly = [each for each in focus.matches.values() if words & each.named.keys()]
    if best is not None and (best.is_named or not partly):
        return _Side(best.table, best if best.is_named or values else None)
    closest = max(partly, key=lambda each: (len(words & each.named.keys()), each.share), default=None)
    return None if closest is None else _Side(closest.table)


def _parent(side: _Side, other: _Side, focus: Focus, library: Library) -> _Side:
    """What a side means in a join: of a key, the table that it refers to; of a view, the table that it reads."""
    match = side.match
    if match is not None and match.column.is_foreign_key and side.table.name == other.table.name:
        key = next(each for each in side.table.foreign_keys if match.column.name in each.columns)
        if parent := library.table(key.references_table):
            return _Side(parent)
    if match is not None and (base := base_column(side.table, match.column, library)):
        found = focus.matches.get(base[0].name) or TableMatch(base[0], focus.asked)
        return _Side(base[0], match_column(found, base[1]))
    if side.table.view_definition and len(side.table.reads or ()) == 1:
        parent = library.table((side.table.reads or [""])[0])
        return side if parent is None else _Side(parent, _read_by(side, parent, focus))
    return side


def _read_by(side: _Side, parent: TableDocument, focus: Focus) -> ColumnMatch | None:
    """The column that a view's column is computed from."""
    if side.match is None:
        return None
    edges = [each for each in side.table.lineage or () if each.column == side.match.column.name]
    names = [each.from_column for each in edges if each.from_table == parent.name and each.via != "filter"]
    found = focus.matches.get(parent.name) or TableMatch(parent, focus.asked)
    return next((match_column(found, each) for each in parent.columns if each.name in names), None)


def _link(first: _Side, second: _Side, focus: Focus) -> TableDocument | None:
    """A table that is named after both sides of a join."""
    one, other = (focus.matches[each.table.name].named.keys() for each in (first, second))
    for each in focus.matches.values():
        words = each.named.keys()
        if each.is_whole and words >= one | other and one - other and other - one:
            return each.table
    return None


def _to_itself(side: _Side, key: ColumnMatch) -> Filled:
    """Join a table to itself by a key of its own."""
    table, column = side.table, key.column
    found = next(each for each in table.foreign_keys if column.name in each.columns)
    parent = found.references_columns[found.columns.index(column.name)]
    name, own = short_name(table.name), one_line(column.name)
    text = f"Join {name} to itself: {name}.{own} refers to {one_line(parent)} of another row of {name}."
    kind = table.database_type
    written = legible_table(table.server_database or table.database, table.schema_, table.table, kind)
    pair = f"t0.{legible_identifier(column.name, kind)} = t1.{legible_identifier(parent, kind)}"
    how = "LEFT" if column.nullable else "INNER"
    sql = f"SELECT t0.*, t1.*\nFROM {written} AS t0\n{how} JOIN {written} AS t1\n  ON {pair}\nLIMIT {ROW_LIMIT}"
    about = f"{table.name} and {table.name}"
    said = [Statement(text, about, "join", about, table_uri(table.name)), about_column(table, column)]
    return Filled(said, [table.name], sql=sql)


def join(focus: Focus, library: Library) -> Filled:
    """Say how two things are joined: the keys, what they multiply, and another way if there is one."""
    first, second = _ends(focus)
    if first is None or second is None:
        return unknown(focus, focus.slots.of("second" if first else "first"))
    keys = [each.match for each in (first, second) if each.match and each.match.column.is_foreign_key]
    first, second = _parent(first, second, focus, library), _parent(second, first, focus, library)
    if keys and first.table.name == second.table.name and _refers_to_itself(keys[0]):
        return _to_itself(first, keys[0])
    columns = list({each.column.name: each for each in (first.match, second.match, *keys) if each is not None}.values())
    said = [about_column(each.table, each.column) for each in columns]
    if first.table.name == second.table.name:
        text = f"Both are in {short_name(first.table.name)}: no join is needed."
        return Filled([of_table(first.table, first.table.name, text), *said], [first.table.name])
    names = [first.table.name, second.table.name]
    found = library.join(names, focus.question)
    link = _link(first, second, focus) if {*names} <= focus.matches.keys() else None
    if link is not None and not any(link.name in (each.from_table, each.to_table) for each in found.path or ()):
        return _by_link(link, first, second, library)
    if not found.path_found:
        text = f"no key joins {short_name(names[0])} to {short_name(names[1])}"
        lack = Lack(names[0], "missing_information", text)
        nearest = [about_table(first.table), about_table(second.table)]
        return not_said(Filled([*said, *nearest], names, [lack]))
    steps = [step_statement(step) for step in found.path or ()]
    sql = None if unclear_key(found) else found.sql_snippet
    return Filled([*said, *steps, *alternative(found)], names, sql=sql)


def _refers_to_itself(key: ColumnMatch) -> bool:
    return any(
        key.column.name in each.columns and each.references_table == key.table.name for each in key.table.foreign_keys
    )


def _by_link(link: TableDocument, first: _Side, second: _Side, library: Library) -> Filled:
    """Say that a table links both, although no key joins it to both."""
    one, other = short_name(first.table.name), short_name(second.table.name)
    said = [of_table(link, link.name, f"{short_name(link.name)} links {one} and {other}, by its name.")]
    for side in (first, second):
        path = library.join([side.table.name, link.name], "").path or ()
        if len(path) == 1:
            said.append(step_statement(path[0]))
            continue
        words = {singular(word) for word in split_identifier(side.table.table)}
        named = [each for each in link.columns if words & {singular(word) for word in split_identifier(each.name)}]
        said.append(
            of_table(link, link.name, f"No key joins {short_name(link.name)} to {short_name(side.table.name)}.")
        )
        said += [about_column(link, each) for each in named[:1]]
    return Filled(said, [first.table.name, second.table.name, link.name])


def _ends(focus: Focus) -> tuple[_Side | None, _Side | None]:
    """The two things to join: those of the question's parts, else its first two main tables."""
    first = _side(focus.slots.of("first"), focus, values=False)
    second = _side(focus.slots.of("second"), focus, first, values=False)
    main = list(focus.main.values())
    if first is None or second is None:
        left = [each for each in main if not any(side and side.table.name == each.name for side in (first, second))]
        left_sides = iter([_Side(each) for each in left])
        first = first or next(left_sides, None)
        second = second or next(left_sides, None)
    return first, second


def step_statement(step: JoinStep) -> Statement:
    """State one join: its condition, its direction, and whether it repeats rows."""
    one, other = short_name(step.from_table), short_name(step.to_table)
    if step.fans_out:
        meets = f"one row of {one} may meet many of {other}, so its figures repeat"
    else:
        meets = f"each row of {one} meets at most one of {other}"
    likely = " No key is declared; this one is likely." if step.source == "inferred" else ""
    text = f"Join {one} to {other} on {_condition(step)}: {meets}.{likely}"
    about = f"{step.from_table} and {step.to_table}"
    return Statement(one_line(text), about, "join", about, table_uri(step.from_table))


def unclear_key(found: GetJoinPathOutput) -> str:
    """What nothing says if another key joins the same tables as well; empty where the question decides."""
    path = found.path or []
    tables = [each.to_table for each in path]
    for other in found.alternatives or ():
        if [each.to_table for each in other.path] == tables:
            differing = (
                (one, two) for one, two in zip(path, other.path, strict=True) if one.on_clause != two.on_clause
            )
            pair = next(differing, None)
            if pair and any(each.code == "RET_JOIN_AMBIGUOUS" for each in found.warnings or ()):
                return f"nothing says whether {' or '.join(map(_condition, pair))} is meant"
    return ""


def alternative(found: GetJoinPathOutput) -> Iterator[Statement]:
    """State the likeliest other way, if there is one."""
    for each in (found.alternatives or ())[:1]:
        conditions = listing([_condition(step) for step in each.path])
        text = f"Another way is {conditions}; {listing(each.reasons, limit=2)}."
        about = f"{each.path[0].from_table} and {each.path[-1].to_table}"
        yield Statement(one_line(text), about, "join", about, table_uri(each.path[0].from_table))


def _condition(step: JoinStep) -> str:
    condition = step.on_clause
    for alias, name in ((step.from_alias, step.from_table), (step.to_alias, step.to_table)):
        condition = condition.replace(f"{alias}.", f"{short_name(name)}.") if alias else condition
    return condition


def difference(focus: Focus, library: Library) -> Filled:
    """Compare two tables, columns or values point by point."""
    first = _side(focus.slots.of("first"), focus)
    second = _side(focus.slots.of("second"), focus, first)
    if first is None or second is None:
        return unknown(focus, focus.slots.of("second" if first else "first"))
    if first.match is not None and second.match is not None:
        return _columns(first.match, second.match, library)
    tables = list(dict.fromkeys((first.table.name, second.table.name)))
    if len(tables) < 2:
        return unknown(focus)
    return Filled([*_tables(first.table, second.table)], tables)


def _columns(first: ColumnMatch, second: ColumnMatch, library: Library) -> Filled:
    tables = list(dict.fromkeys((first.table.name, second.table.name)))
    if first.column == second.column and first.table.name == second.table.name:
        values = [*first.values, *(each for each in second.values if each not in first.values)]
        meanings = first.column.value_meanings or {}
        said = [about_value(first.table, first.column, each) for each in values if each in meanings]
        lacking = [each for each in values if each not in meanings]
        lacks = [lacking_meaning(first.table, first.column, lacking)] if lacking else []
        return not_said(Filled([*said, about_column(first.table, first.column)], tables, lacks))
    said = []
    for each in (first, second):
        said.append(about_column(each.table, each.column))
        if base := base_column(each.table, each.column, library):
            said.append(about_column(*base))
    return Filled(said, tables)


def _tables(first: TableDocument, second: TableDocument) -> Iterator[Statement]:
    for table, other in ((first, second), (second, first)):
        yield of_table(table, table.name, f"{short_name(table.name)} is a {_kind(table)}{_reads(table, other)}.")
        if is_described(table):
            yield about_table(table)
        if row := row_of(table):
            yield row
    for each in (first, second):
        for key in each.foreign_keys:
            if key.references_table in (first.name, second.name) and key.references_table != each.name:
                names = listing([f"{short_name(each.name)}.{one_line(name)}" for name in key.columns])
                text = f"Each row of {short_name(each.name)} refers to {short_name(key.references_table)} by {names}."
                yield of_table(each, each.name, text)
    yield from _only(first, second)
    yield from _only(second, first)
    yield from _types(first, second)


def _kind(table: TableDocument) -> str:
    return table.kind.replace("_", " ")


def _reads(table: TableDocument, other: TableDocument) -> str:
    if other.name not in (table.reads or ()):
        return ""
    computed = dict.fromkeys(
        edge.column for edge in table.lineage or () if edge.column and edge.via in ("computed", "aggregated")
    )
    names = listing([one_line(each) for each in computed], limit=_MOST_COLUMNS)
    made = f" and computes {names}" if names else ""
    filters = dict.fromkeys(edge.from_column for edge in table.lineage or () if edge.via == "filter")
    kept = f", with a condition on {listing([*filters], limit=3)}" if filters else ""
    return f" that reads {short_name(other.name)}{made}{kept}"


def _only(table: TableDocument, other: TableDocument) -> Iterator[Statement]:
    known = {each.name.casefold() for each in other.columns}
    own = [one_line(each.name) for each in table.columns if each.name.casefold() not in known]
    if own:
        names = listing(own, limit=_MOST_COLUMNS)
        yield of_table(table, table.name, f"Only {short_name(table.name)} has {names}.")


def _types(first: TableDocument, second: TableDocument) -> Iterator[Statement]:
    others = {each.name.casefold(): each for each in second.columns}
    differing: Sequence[str] = [
        f"{one_line(each.name)} ({one_line(short_type(each.type))} and {one_line(short_type(other.type))})"
        for each in first.columns
        if (other := others.get(each.name.casefold())) and short_type(each.type) != short_type(other.type)
    ]
    if differing:
        names = listing(differing, limit=_MOST_TYPES)
        text = f"Columns of another type in {short_name(first.name)} and {short_name(second.name)}: {names}."
        yield of_table(first, first.name, text)
