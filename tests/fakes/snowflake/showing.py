"""What every SHOW has in common: its scope, its limit, its paging."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tests.fakes.snowflake import information_schema
from tests.fakes.snowflake.catalog import Database, Relation, Schema
from tests.fakes.snowflake.errors import missing, syntax_error, too_many_rows
from tests.fakes.snowflake.limits import Limits
from tests.fakes.snowflake.names import Path, Tokens, written
from tests.fakes.snowflake.results import Field, Result, Row
from tests.fakes.snowflake.visibility import Sight


@dataclass
class ToolClient:
    """Who asks, and where the session stands."""

    sight: Sight
    limits: Limits
    role: str
    user: str
    database: str | None = None
    warehouse: str | None = None


@dataclass(frozen=True)
class Scope:
    """`IN DATABASE d`, `IN SCHEMA d.s`, `IN TABLE d.s.t` or `IN VIEW d.s.v`."""

    kind: str
    path: Path


_DEPTH = {"DATABASE": 1, "SCHEMA": 2, "TABLE": 3, "VIEW": 3}


def scope(tokens: Tokens, *kinds: str) -> Scope:
    """Take the scope; names are written whole, for the sessions of the reader use no database."""
    tokens.expect("IN")
    kind = tokens.next
    if tokens.word() not in kinds:
        raise syntax_error(kind.position, kind.text)
    start = tokens.next
    path = tokens.path()
    if len(path) != _DEPTH[kind.text.upper()]:
        raise syntax_error(start.position, start.text)
    return Scope(kind.text.upper(), path)


def relations(sight: Sight, asked: Scope) -> Iterator[tuple[Database, Schema, Relation]]:
    """Every table and view in a scope that may be seen, by schema and name; INFORMATION_SCHEMA's views too.

    Raises:
        SqlError: the scope is not there for these roles.
    """
    if asked.kind in ("TABLE", "VIEW"):
        found = sight.relation(asked.path, asked.kind.title())
        if asked.kind == "VIEW" and not found[2].is_view:
            raise missing("View", written(asked.path))
        yield found
        return
    database = sight.database(asked.path[0])
    if asked.kind == "SCHEMA":
        if asked.path[1] == information_schema.NAME:
            schemas = [information_schema.schema()]
        else:
            schemas = [sight.schema(asked.path)[1]]
    else:
        schemas = sorted([*sight.schemas(database), information_schema.schema()], key=lambda each: each.name)
    for schema in schemas:
        if schema.name == information_schema.NAME:
            yield from ((database, schema, view) for _, view in sorted(schema.relations.items()))
        else:
            yield from ((database, schema, relation) for relation in sight.relations(database, schema))


@dataclass(frozen=True)
class Page:
    """`LIMIT n [FROM 'name']`."""

    rows: int
    after: str | None = None


def page(tokens: Tokens, most: int) -> Page | None:
    """Take the limit if one comes; it cannot be more than SHOW gives without one.

    https://docs.snowflake.com/en/sql-reference/sql/show-tables, usage notes; the error's number is assumed.
    """
    if not tokens.take("LIMIT"):
        return None
    at = tokens.next
    rows = tokens.number()
    if rows > most:
        raise syntax_error(at.position, at.text)
    return Page(rows, tokens.text() if tokens.take("FROM") else None)


def bounded(fields: Sequence[Field], rows: list[Row], most: int, asked: Page | None = None, name: int = 1) -> Result:
    """The rows that an answer may hold; `name` is where a row holds the name that pages go by.

    After FROM come the rows that follow the first whose name matches, case and all; part of a name matches too:
    https://docs.snowflake.com/en/sql-reference/sql/show-tables . Where none matches, those with greater names: assumed.
    """
    if asked is None:
        if len(rows) > most:
            raise too_many_rows(most)
        return Result(fields, rows)
    if asked.after is not None:
        rows = _after(rows, asked.after, name)
    return Result(fields, rows[: asked.rows])


def _after(rows: list[Row], text: str, name: int) -> list[Row]:
    for at, row in enumerate(rows):
        if (row[name] or "").startswith(text):
            return rows[at + 1 :]
    return [row for row in rows if (row[name] or "") > text]


def like(pattern: str, flags: re.RegexFlag = re.IGNORECASE | re.DOTALL) -> Callable[[str], bool]:
    """Whether a name fits a pattern, whatever its case; a backslash takes a wildcard's meaning away.

    That SHOW knows the backslash: snowflake-jdbc's metadata escapes names so.
    """
    parts = re.findall(r"\\?.", pattern, re.DOTALL)
    wild = {"%": ".*", "_": "."}
    compiled = re.compile("".join(wild.get(each) or re.escape(each[-1]) for each in parts), flags)
    return lambda name: compiled.fullmatch(name) is not None


def yes(value: bool) -> str:
    """How `is_` columns of SHOW TABLES tell it."""
    return "Y" if value else "N"


def true(value: bool) -> str:
    """How SHOW VIEWS, SHOW COLUMNS and SHOW GRANTS tell it."""
    return "true" if value else "false"
