"""Lists the schemas, tables and views of a database."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from tribal.adapters.snowflake import statements
from tribal.adapters.snowflake.reading.questions import Questions
from tribal.adapters.snowflake.rows import INFORMATION_SCHEMA, SchemaRow, TableRow, ViewRow
from tribal.errors import DatabaseError
from tribal.ports import SchemaAndTable

RowT = TypeVar("RowT", bound=NamedTuple)


@dataclass(frozen=True)
class Listing:
    """What the role sees, in order of schema and name."""

    schemas: list[SchemaRow]
    tables: list[TableRow]
    views: list[ViewRow]
    cut_schemas: frozenset[str] = field(default=frozenset())
    """Schemas of which not all tables, or not all views, could be listed."""

    def names(self) -> dict[str, list[SchemaAndTable]]:
        """The tables and views of each schema that has any, in order."""
        found: dict[str, list[SchemaAndTable]] = defaultdict(list)
        for name in self.heads():
            found[name[0]].append(name)
        return found

    def hidden(self, existing: frozenset[str] | None) -> tuple[str, ...]:
        """Those of all schemas that the role does not see, in order."""
        return tuple(sorted((existing or frozenset()) - {schema.name for schema in self.schemas}))

    def heads(self) -> dict[SchemaAndTable, TableRow | ViewRow]:
        """The row of each table and view, in order of schema and name."""
        rows: list[TableRow | ViewRow] = [*self.tables, *self.views]
        return dict(sorted((((row.schema_name, row.name), row) for row in rows), key=lambda item: item[0]))


def list_schemas(questions: Questions) -> list[SchemaRow]:
    """The schemas that the role sees, in order.

    Raises:
        DatabaseError: when there are more than Snowflake lists.
    """
    rows = questions.of_database(statements.SCHEMAS, SchemaRow)
    if rows is None:
        raise DatabaseError(
            f"The database {questions.database!r} has at least {questions.show_rows:,} schemas, the most that "
            "Snowflake lists. Grant the role USAGE only on the schemas to document."
        )
    return sorted((row for row in rows if row.name != INFORMATION_SCHEMA), key=lambda row: row.name)


def list_all(questions: Questions) -> Listing:
    """Everything that the role sees; what cannot be listed completely is reported in `questions`."""
    schemas = list_schemas(questions)
    names = [schema.name for schema in schemas]
    tables, cut = _of_all(
        questions,
        names,
        (statements.TABLES, statements.TABLES_PAGE, statements.TABLES_NEXT_PAGE, "tables"),
        TableRow,
    )
    views, cut_too = _of_all(
        questions, names, (statements.VIEWS, statements.VIEWS_PAGE, statements.VIEWS_NEXT_PAGE, "views"), ViewRow
    )
    return Listing(schemas, _in_order(tables), _in_order(views), frozenset(cut | cut_too))


def _of_all(
    questions: Questions, schemas: Sequence[str], templates: tuple[str, str, str, str], kind: type[RowT]
) -> tuple[list[RowT], set[str]]:
    whole, first, following, what = templates
    rows = questions.of_database(whole, kind)
    if rows is not None:
        return rows, set()

    def of_schema(schema: str) -> list[RowT] | None:
        rows = questions.of_schema(whole, schema, kind)
        return questions.paged(first, following, schema, kind) if rows is None else rows

    found: list[RowT] = []
    cut: set[str] = set()
    for schema, rows in zip(schemas, questions.together(of_schema, schemas), strict=True):
        if rows is None:
            cut.add(schema)
            reason = "Snowflake lists them by pages, and the pages do not join. Run again; if that recurs, report it."
            questions.leave_out([], f"the {what} of the schema {schema!r}", reason)
        found.extend(rows or [])
    return found, cut


def _in_order(rows: list[RowT]) -> list[RowT]:
    places = rows[0]._fields.index("schema_name") if rows else 0
    return sorted((row for row in rows if row[places] != INFORMATION_SCHEMA), key=lambda row: (row[places], row[0]))
