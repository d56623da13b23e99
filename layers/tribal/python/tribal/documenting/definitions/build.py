"""Builds the published definitions: every name resolved, every SQL checked, every query compared with its tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar, cast

from tribal.documenting.definitions.checking import CheckedSql, check_expression, check_query, dialect_of
from tribal.documenting.definitions.documented_tables import DocumentedTables
from tribal.documenting.definitions.query_files import QueryFile
from tribal.documenting.definitions.written import WrittenDefinitions
from tribal.identity.table_names import TableIdentity, format_name, parse_name
from tribal.identity.table_states import changes_since, state_of
from tribal.sql.scanner import without_comments
from tribal_contracts import (
    DefinedMetric,
    DefinedTerm,
    DefinitionProblem,
    Definitions,
    LocatedMetric,
    LocatedTerm,
    TableState,
    UnusableFile,
    VerifiedQuery,
)

Named = TypeVar("Named", bound=DefinedMetric | DefinedTerm)


def build_definitions(
    written: WrittenDefinitions, known: DocumentedTables, previous: Definitions | None
) -> Definitions:
    """Check everything that people have written.

    Args:
        written: the definitions.
        known: the documented tables.
        previous: what was published last, with the tables of each query as they were when it was verified.
    """
    earlier = {query.file: query for query in (previous.queries if previous else ())}
    unusable = [*written.unusable]
    queries = []
    for file in written.queries:
        database = _database_of(file, known)
        if isinstance(database, UnusableFile):
            unusable.append(database)
        else:
            queries.append(_query(file, database, known, earlier.get(file.file)))
    metrics = [_metric(metric, database, known) for metric, database in written.metrics]
    terms = [_term(term, database, known) for term, database in written.terms]
    return Definitions(
        schema_version="1.0",
        metrics=list(_with_one_name(_with_gone(metrics, previous.metrics if previous else (), known))),
        terms=list(_with_one_name(_with_gone(terms, previous.terms if previous else (), known))),
        queries=sorted(queries, key=lambda query: query.file),
        routines=list(known.routines),
        unusable=sorted(unusable, key=lambda each: (each.file, each.line)),
        ignored_files=written.ignored_files,
    )


def _with_gone(
    now: Sequence[Named], before: Iterable[DefinedMetric | DefinedTerm], known: DocumentedTables
) -> list[Named]:
    """The definitions, those that are stale with the tables that they lost."""
    earlier = _named_earlier(before)
    found: list[Named] = []
    for each in now:
        names = earlier.get((each.file, each.name), set()) if each.status == "stale" else set()
        gone = sorted(name for name in names if known.document(TableIdentity.parse(name)) is None)
        found.append(cast("Named", each.model_copy(update={"gone_tables": gone})) if gone else each)
    return found


def _named_earlier(before: Iterable[DefinedMetric | DefinedTerm]) -> dict[tuple[str, str], set[str]]:
    """All tables that definitions have named, by file and name."""
    return {(each.file, each.name): {*each.tables, *(each.gone_tables or ())} for each in before}


def _with_one_name(items: Iterable[Named]) -> Iterator[Named]:
    """The definitions, each of which has a problem if one before it in its database has its name."""
    places: dict[tuple[str | None, str], str] = {}
    for item in items:
        name = item.database, " ".join(item.name.casefold().split())
        if name in places:
            message = f"the name {item.name!r} is taken in {places[name]}; rename or remove one of the two"
            problems = [*item.problems, DefinitionProblem(message=message, line=item.line)]
            yield cast("Named", item.model_copy(update={"problems": problems, "status": "stale"}))
        else:
            places[name] = f"{item.file}, line {item.line}"
            yield item


def _metric(metric: LocatedMetric, database: str | None, known: DocumentedTables) -> DefinedMetric:
    tables, messages = _tables(metric.tables, database, known)
    if len({each.database for each in tables}) > 1:
        messages.append("its tables are in several databases; keep those of one")
    dialect = dialect_of(tables[0].database, known) if tables else "postgres"
    bounded, safe = not messages, True
    named = {*tables}
    if bounded:
        parts = [("expression", metric.expression), *(("filter", sql) for sql in metric.filters)]
        parts += [("time_column", metric.time_column)] if metric.time_column else []
        for what, sql in parts:
            checked = check_expression(sql, tables, known)
            messages += [f"{what}: {message}" for message, _ in checked.problems]
            named |= checked.tables
            bounded = bounded and checked.is_bounded
            safe = safe and checked.is_safe
    return DefinedMetric(
        **_shared(metric, database, named, messages),
        is_bounded=bounded,
        is_safe=safe,
        **metric.model_dump(exclude={"tables", "file", "line", "expression", "filters"}),
        expression=without_comments(metric.expression, dialect).strip(),
        filters=[without_comments(each, dialect).strip() for each in metric.filters],
        status="stale" if messages else "current",
    )


def _term(term: LocatedTerm, database: str | None, known: DocumentedTables) -> DefinedTerm:
    tables, messages = _tables(term.tables, database, known)
    columns = []
    for written in term.columns:
        found = _column(written, database, known)
        if isinstance(found, str):
            messages.append(found)
        else:
            tables.append(found[0])
            columns.append(format_name((found[0].database, found[0].schema, *found[1:])))
    return DefinedTerm(
        **_shared(term, database, tables, messages),
        is_bounded=not messages,
        **term.model_dump(exclude={"tables", "columns", "file", "line"}),
        columns=columns,
        status="stale" if messages else "current",
    )


def _shared(
    item: LocatedMetric | LocatedTerm, database: str | None, tables: Iterable[TableIdentity], messages: Iterable[str]
) -> dict[str, Any]:
    own = {each.database for each in tables}
    return {
        "file": item.file,
        "line": item.line,
        "database": own.pop() if len(own) == 1 else database,
        "tables": sorted({str(each) for each in tables}),
        "problems": [DefinitionProblem(message=message, line=item.line) for message in dict.fromkeys(messages)],
    }


def _tables(
    names: Iterable[str], database: str | None, known: DocumentedTables
) -> tuple[list[TableIdentity], list[str]]:
    """The tables with these names, and what is wrong with the other names."""
    found = [known.resolve(name, database) for name in names]
    return [each for each in found if not isinstance(each, str)], [each for each in found if isinstance(each, str)]


def _column(written: str, database: str | None, known: DocumentedTables) -> tuple[TableIdentity, str, str] | str:
    """The table and column with a name such as `schema.table.column`, or what is wrong with the name."""
    try:
        *parts, column = parse_name(written.strip())
    except ValueError:
        parts, column = [], ""
    if not parts:
        return f"{written!r} is not the name of a column; write schema.table.column"
    table = known.resolve(format_name(parts), database)
    if isinstance(table, str):
        return table
    document = known.document(table)
    if document is not None and all(each.name != column for each in document.columns):
        return f"there is no column {column!r} in {table}"
    return table, table.table, column


def _database_of(file: QueryFile, known: DocumentedTables) -> str | UnusableFile:
    names = known.databases
    if file.database in names or (file.database is None and len(names) == 1):
        return file.database or names[0]
    listed = ", ".join(names)
    if file.database is None:
        message = f"there are several databases; add `-- database:` with one of {listed}"
    else:
        message = f"there is no documented database {file.database!r}; the names are {listed}"
    return UnusableFile(file=file.file, line=file.line, message=message)


def _query(file: QueryFile, database: str, known: DocumentedTables, earlier: VerifiedQuery | None) -> VerifiedQuery:
    checked = check_query(file.sql, database, known)
    now = {state.name: state for state in _states(checked, known)}
    renewed = earlier is None or earlier.verified != file.verified
    recorded = {} if renewed or earlier is None else {state.name: state for state in earlier.verified_with}
    current = {**now, **_current(recorded, known)}
    # A table that the SQL names now, and did not name before, is recorded as it is; one that is gone stays.
    recorded = {**now, **recorded}
    if not checked.problems:
        recorded = {name: state for name, state in recorded.items() if name in now}
    changes = changes_since((recorded[name] for name in sorted(recorded)), current)
    return VerifiedQuery(
        file=file.file,
        line=file.line,
        database=database,
        tables=sorted({*now, *recorded}),
        is_bounded=checked.is_bounded,
        is_safe=checked.is_safe,
        problems=[
            DefinitionProblem(message=message, line=file.sql_line + line - 1) for message, line in checked.problems
        ],
        questions=list(file.questions),
        sql=without_comments(file.sql, dialect_of(database, known)).strip(),
        owner=file.owner,
        verified=file.verified,
        status="broken" if checked.problems else "changed" if changes else "current",
        changes=changes,
        verified_with=[recorded[name] for name in sorted(recorded)],
    )


def _states(checked: CheckedSql, known: DocumentedTables) -> Iterator[TableState]:
    for table in sorted(checked.tables):
        document = known.document(table)
        if document is not None:
            yield state_of(document)


def _current(recorded: Iterable[str], known: DocumentedTables) -> dict[str, TableState]:
    """Recorded tables as they are now, without those that are gone."""
    documents = {name: known.document(TableIdentity.parse(name)) for name in recorded}
    return {name: state_of(document) for name, document in documents.items() if document is not None}
