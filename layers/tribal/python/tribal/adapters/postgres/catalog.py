"""Reads a PostgreSQL database (12 to 18) through pg8000, in short read-only transactions.

Each read is a transaction that sets everything it relies on with `SET LOCAL`, so that it works behind a pooler that
gives every transaction a different session. Timeouts are nested: lock, statement, socket.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from pydantic import SecretStr

from tribal.adapters.postgres import queries, row_queries
from tribal.adapters.postgres.access import access_report, select_grant, usage_grant
from tribal.adapters.postgres.assembly import assemble
from tribal.adapters.postgres.callable import CALLABLE
from tribal.adapters.postgres.connections.connection import PostgresConnection, Row, open_connection
from tribal.adapters.postgres.connections.errors import (
    DENIED,
    NO_COLUMN,
    NOT_TEXT,
    UNEXPECTED_ROWS,
    Pause,
    sqlstate,
    with_retries,
)
from tribal.adapters.postgres.connections.pool import PostgresPool, Session, TimeLimits
from tribal.adapters.postgres.connections.server import PostgresServer
from tribal.adapters.postgres.overlaps import overlap_statement, read_overlaps
from tribal.adapters.postgres.routines import POLICIES, ROUTINES, TRIGGERS
from tribal.adapters.postgres.rows import CatalogRows, SchemaRow, ServerRow, TableRow, TextGaps, readable_rows, replaced
from tribal.adapters.postgres.sampling import sample_statement, sampled_columns, wants_estimate
from tribal.adapters.postgres.texts import read_texts
from tribal.errors import AccessDenied, ConnectionLost, DatabaseError, DatabaseUnreachable, LoginRefused, TableGone
from tribal.ports import AccessReport, CatalogContents, Presence, SchemaAndTable, Statement, TableSample
from tribal_contracts import CatalogColumn, CatalogTable, DatabaseLimits

if TYPE_CHECKING:
    from tribal.key_inference import KeyPair, Overlap
    from tribal.settings.postgres_target import PostgresTarget


_CATALOG = "reading the catalog"
MOST_READINGS = 3
"""How often a database is read if tables change meanwhile. By judgement: a reading takes a second or less, and a change
that outlasts three readings rarely ends during the fourth."""
_STRUCTURE = {
    "server": queries.SERVER,
    "schemas": queries.SCHEMAS,
    "tables": queries.TABLES,
    "inheritance": queries.INHERITANCE,
    "columns": queries.COLUMNS,
    "enums": queries.ENUMS,
    "types": queries.TYPES,
    "constraints": queries.CONSTRAINTS,
    "indexes": queries.INDEXES,
    "dependencies": queries.DEPENDENCIES,
}
"""The statement that reads each part of `CatalogRows`, but its texts."""
_EXTRAS = {"triggers": TRIGGERS, "policies": POLICIES, "routines": ROUTINES, "callable": CALLABLE}
"""The same of parts that a database may refuse to show; they are left out then."""
Result = TypeVar("Result")


class PostgresCatalog:
    """The `CatalogReader` of PostgreSQL; thread-safe.

    Connects on first use. When a login is refused, `renew_password` is called once, and the login is retried if that
    returns a different password. Transactions ended by a replica's replay, a deadlock or a restart are retried, with
    `pause` in between. Readers of databases on one server share its connections if they are given the same `server`.
    """

    def __init__(
        self,
        target: PostgresTarget,
        limits: DatabaseLimits | None = None,
        *,
        server: PostgresServer | None = None,
        renew_password: Callable[[], SecretStr | None] | None = None,
        pause: Pause = time.sleep,
    ) -> None:
        self._target = target
        self._pause = pause
        self._limits = limits or DatabaseLimits()
        self._renew_password = renew_password
        connect_seconds = self._limits.connect_timeout_seconds
        self._connect_seconds = min(connect_seconds, target.connect_timeout_seconds or connect_seconds)
        self._server = server or PostgresServer(self._limits.connections)
        self._pool = PostgresPool(self._open, self._server, self._connect_seconds)

    def read(self) -> CatalogContents:
        """Read the whole structure as one consistent snapshot, in a fixed number of statements.

        If another session changes tables meanwhile, it is read again, at most `MOST_READINGS` times. More statements
        are sent only to find objects that the server fails to render.
        """
        for _ in range(MOST_READINGS):
            contents = self._read_once()[1]
            if not contents.changed:
                break
        return contents

    def sample(self, table: CatalogTable, rows: int) -> TableSample:
        """At most `rows` rows of the first 200 columns, values truncated to 200 characters.

        Columns that the user may not select, or that no longer exist, are left out. Values of types without a text
        form, such as `bytea`, are `None`.

        Raises:
            TableGone: when the table no longer exists.
            AccessDenied: when none of its columns may be selected; the message names the GRANT.
        """
        columns = sampled_columns(table)
        if rows <= 0 or not columns:
            return TableSample(tuple(column.name for column in columns), ())
        every = {column.name for column in table.columns}
        try:
            return self._retried(lambda: self._select(table, columns, rows, every))
        except DatabaseError as error:
            if isinstance(error, TableGone):
                raise self._gone_or_broken(table, error) from error
            if sqlstate(error) not in (DENIED, NO_COLUMN):
                raise
            refusal = error
        readable = self._retried(lambda: self._readable_columns(table, refusal))
        open_to_us = [column for column in columns if column.name in readable]
        return self._retried(lambda: self._select(table, open_to_us, rows, readable))

    def overlaps(self, table: CatalogTable, row_count: int, pairs: Sequence[KeyPair]) -> dict[KeyPair, Overlap]:
        """Compare values inside the server, in one statement; empty if that failed for a reason of its own."""
        try:
            return self._retried(lambda: self._overlaps(table, row_count, pairs)) if pairs else {}
        except (DatabaseUnreachable, LoginRefused, ConnectionLost):
            raise
        except DatabaseError:
            return {}

    def presence(self, tables: Sequence[SchemaAndTable]) -> dict[SchemaAndTable, Presence]:
        """Whether each table exists, is certainly gone, or is hidden from this user, in one statement."""
        found: dict[SchemaAndTable, Presence] = dict.fromkeys(tables, "gone")
        asked = [name for name in found if all(map(_can_be_a_name, name))]
        if not asked:
            return found
        # A database in SQL_ASCII refuses escapes of letters, such as \\u00e9, in JSON.
        for place, presence in self._retried(lambda: self._presence(json.dumps(asked, ensure_ascii=False))):
            found[asked[place - 1]] = presence
        return found

    def access(self) -> AccessReport:
        """What this user can and cannot read, the missing grants, and what the server fails to render."""
        rows, contents = self._read_once()
        server, schemas, tables = (replaced(list(part)) for part in (rows.server, rows.schemas, rows.tables))
        report = access_report(
            ServerRow(*server[0]), [SchemaRow(*row) for row in schemas], [TableRow(*row) for row in tables]
        )
        return replace(report, broken=contents.broken)

    def databases(self) -> tuple[str, ...]:
        """Names of all databases that this user may connect to, without templates and names that are not text."""
        return tuple(sorted(name for (name,) in self._retried(self._databases) if "\ufffd" not in name))

    def statements(self) -> list[Statement]:
        """Every statement that this reader may send."""
        return list(queries.STATEMENTS)

    def close(self) -> None:
        """Close every connection; later reads raise `ConnectionLost`."""
        self._pool.close()

    def transaction(
        self, doing: str, begin: str = queries.BEGIN_SNAPSHOT, statement_seconds: float | None = None
    ) -> AbstractContextManager[Session]:
        """A read-only transaction under this reader's limits; `doing` describes it in messages."""
        seconds = statement_seconds or self._limits.statement_timeout_seconds
        return self._pool.transaction(begin, TimeLimits(seconds, self._limits.lock_timeout_seconds), doing)

    def _retried(self, attempt: Callable[[], Result]) -> Result:
        self._server.check()
        try:
            found = with_retries(lambda: self._converted(attempt), self._pause)
        except DatabaseUnreachable as error:
            self._server.refused(error)
            raise
        self._server.answered()
        return found

    def _converted(self, attempt: Callable[[], Result]) -> Result:
        """Once the server has failed to convert a text to UTF-8, all texts are converted here instead."""
        was_converted_here = self._pool.as_stored
        try:
            return attempt()
        except DatabaseError as error:
            if sqlstate(error) not in NOT_TEXT or was_converted_here:
                raise
        self._pool.as_stored = True
        return attempt()

    def _presence(self, names: str) -> list[Row]:
        with self.transaction("looking for tables", queries.BEGIN) as session:
            return session.run(queries.PRESENCE, names)

    def _databases(self) -> list[Row]:
        with self.transaction("listing the databases", queries.BEGIN) as session:
            rows = session.run(queries.DATABASES)
            return replaced(rows) if session.lossy else rows

    def _open(self) -> PostgresConnection:
        target = self._target
        try:
            return open_connection(target, self._connect_seconds)
        except LoginRefused:
            if self._renew_password is None:
                raise
            password = self._renew_password()
            if password is None or password == target.password:
                raise
        self._target = renewed = replace(target, password=password)
        return open_connection(renewed, self._connect_seconds)

    def _read_once(self) -> tuple[CatalogRows, CatalogContents]:
        """The rows as they were sent, and what they say."""
        rows, gaps, lossy = self._retried(self._rows)
        try:
            readable, unreadable = readable_rows(rows) if lossy else (rows, ())
            return rows, replace(assemble(readable, gaps), unreadable_texts=unreadable)
        except UNEXPECTED_ROWS as error:
            raise DatabaseError(
                f"Failed {_CATALOG} of {self._target}: the responses are not from PostgreSQL "
                f"({type(error).__name__}). Check that this is the right server.",
                context=self._target.as_context(),
            ) from error

    def _rows(self) -> tuple[CatalogRows, TextGaps, bool]:
        with self.transaction(_CATALOG) as session:
            structure = {name: session.run(sql) for name, sql in _STRUCTURE.items()}
            extras = {name: _unless_denied(session, sql) for name, sql in _EXTRAS.items()}
            texts, gaps = read_texts(session)
            return CatalogRows(**structure, **extras, texts=texts), gaps, session.lossy

    def _select(
        self, table: CatalogTable, columns: Sequence[CatalogColumn], rows: int, readable: Collection[str]
    ) -> TableSample:
        names = (table.schema_name, table.table_name)
        doing = f"sampling {'.'.join(names)!r}"
        with self.transaction(doing, queries.BEGIN, self._limits.sample_timeout_seconds) as session:
            estimate = session.run(row_queries.ROW_ESTIMATE, *names) if wants_estimate(table, readable) else []
            tuples = float(estimate[0][0]) if estimate else None
            found = session.run(sample_statement(table, columns, rows, tuples, readable), most_rows=rows)
            if session.lossy:
                found = replaced(found)
        if not all(len(row) == len(columns) and all(isinstance(value, str | None) for value in row) for row in found):
            raise DatabaseError(f"Failed {doing} of {self._target}: the response is not from PostgreSQL.")
        return TableSample(tuple(column.name for column in columns), tuple(tuple(row) for row in found))

    def _overlaps(self, table: CatalogTable, row_count: int, pairs: Sequence[KeyPair]) -> dict[KeyPair, Overlap]:
        doing = f"comparing values of '{table.schema_name}.{table.table_name}'"
        with self.transaction(doing, queries.BEGIN, self._limits.sample_timeout_seconds) as session:
            rows = session.run(overlap_statement(table, row_count, pairs), most_rows=len(pairs))
        try:
            return read_overlaps(pairs, rows)
        except UNEXPECTED_ROWS as error:
            raise DatabaseError(f"Failed {doing} of {self._target}: the response is not from PostgreSQL.") from error

    def _readable_columns(self, table: CatalogTable, refusal: DatabaseError) -> set[str]:
        schema, name = table.schema_name, table.table_name
        with self.transaction("asking for privileges", queries.BEGIN) as session:
            rows = session.run(row_queries.READABLE_COLUMNS, schema, name)
        context = {**(refusal.context or {}), "table": f"{schema}.{name}"}
        if not rows:
            raise TableGone(f"Table {name!r} of schema {schema!r} no longer exists. Plan again.", context=context)
        user, usable, _ = rows[0]
        readable = {row[2] for row in rows} - {None}
        planned = {column.name for column in table.columns}
        if usable and readable and not readable & planned:
            raise TableGone(
                f"Table {name!r} of schema {schema!r} no longer has the planned columns. Plan again.", context=context
            )
        if not usable or not readable:
            grant = select_grant(schema, name, user) if usable else usage_grant(schema, user)
            message = f"User {user!r} may not select from {name!r} of schema {schema!r}. Ask its owner to run: {grant}"
            raise AccessDenied(message, context=context)
        if sqlstate(refusal) == DENIED and planned <= readable:
            raise AccessDenied(self._refused_inside(table, refusal), context=context)
        return readable & planned

    def _refused_inside(self, table: CatalogTable, refusal: DatabaseError) -> str:
        """The error for a view that the user may read, over a relation that its owner may not."""
        schema, name = table.schema_name, table.table_name
        with self.transaction("asking for privileges", queries.BEGIN) as session:
            rows = session.run(row_queries.REFUSED_TO_VIEW, schema, name)
        if not rows:
            return f"{refusal.message} Ask its owner for the GRANT of SELECT or EXECUTE on what {name!r} reads."
        below, relation, role = rows[0]
        return (
            f"{name!r} of schema {schema!r} reads {relation!r} of schema {below!r}, which user {role!r} may not select "
            f"from. Ask its owner to run: {select_grant(below, relation, role)}"
        )

    def _gone_or_broken(self, table: CatalogTable, error: TableGone) -> DatabaseError:
        """A table that is still there reads something, such as a function's table, that is gone."""
        name = (table.schema_name, table.table_name)
        if self.presence([name])[name] != "present":
            return error
        message = f"Failed sampling {'.'.join(name)!r} of {self._target}: something that it reads no longer exists."
        return DatabaseError(message, context=error.context)


def _unless_denied(session: Session, sql: str) -> list[Row]:
    session.run(queries.SAVEPOINT)
    try:
        return session.run(sql)
    except DatabaseError as error:
        if sqlstate(error) != DENIED:
            raise
    session.run(queries.ROLLBACK_TO_SAVEPOINT)
    return []


def _can_be_a_name(text: str) -> bool:
    """Whether a name is valid on the server: no NUL, no lone surrogates."""
    return "\x00" not in text and not any("\ud800" <= character <= "\udfff" for character in text)
