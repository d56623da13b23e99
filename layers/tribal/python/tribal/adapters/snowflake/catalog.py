"""Reads a Snowflake database through its connector, by named statements alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from tribal.adapters.snowflake import statements
from tribal.adapters.snowflake.access import Access, credit_lines
from tribal.adapters.snowflake.account_usage import (
    SETTLED_AFTER_HOURS,
    Marks,
    Usage,
    dropped_tables,
    missing_marks,
    read_usage,
)
from tribal.adapters.snowflake.assembly import Parts, assemble
from tribal.adapters.snowflake.connections.connection import Answer
from tribal.adapters.snowflake.connections.errors import is_unknown_object, not_snowflake
from tribal.adapters.snowflake.connections.pool import Pause, RenewSecret, SnowflakeSessions
from tribal.adapters.snowflake.grants import read_grants
from tribal.adapters.snowflake.names import pattern
from tribal.adapters.snowflake.reading.columns import read_columns
from tribal.adapters.snowflake.reading.keys import read_indexes, read_keys
from tribal.adapters.snowflake.reading.listing import Listing, list_all
from tribal.adapters.snowflake.reading.questions import SHOW_ROWS, Questions
from tribal.adapters.snowflake.rows import DatabaseRow, WarehouseRow
from tribal.adapters.snowflake.sampler import SAMPLED_KINDS, Sampler
from tribal.errors import AccessDenied, DatabaseError
from tribal.ports import (
    AccessReport,
    CatalogContents,
    Presence,
    SchemaAndTable,
    Statement,
    TableSample,
)
from tribal.sql.dialect import quote_identifier
from tribal_contracts import CatalogTable, DatabaseLimits

if TYPE_CHECKING:
    from tribal.key_inference import KeyPair, Overlap
    from tribal.settings.snowflake.target import SnowflakeTarget

_CATALOG = "reading the catalog"
_PRESENCE = "looking for tables"
_PRIVILEGES = "asking for privileges"
_DATABASES = "listing the databases"
_OWN_DATABASE = "SNOWFLAKE"
_NOT_ITS_ANSWERS = (AttributeError, LookupError, TypeError, ValueError)
"""Raised by reading rows without the fields and types that the statement requested."""
_LONGEST_NAME = 255
Result = TypeVar("Result")


class SnowflakeCatalog:
    """The `CatalogReader` of Snowflake; thread-safe.

    Logs in on first use. When a login is refused, `renew_secret` is called once, and the login is tried again if that
    returns another secret. The warehouse is used where the target names one: for samples, tags, masking policies and
    hidden schemas only if `may_sample`.

    Args:
        show_rows: the most rows of a `SHOW`; tests lower it.
        settled_after_hours: how long ago a table was altered, at least, before it is sampled; tests lower it.
    """

    def __init__(
        self,
        target: SnowflakeTarget,
        limits: DatabaseLimits | None = None,
        *,
        may_sample: bool = False,
        renew_secret: RenewSecret | None = None,
        pause: Pause = time.sleep,
        show_rows: int = SHOW_ROWS,
        settled_after_hours: int = SETTLED_AFTER_HOURS,
    ) -> None:
        self._limits = limits or DatabaseLimits()
        self._may_sample = may_sample
        self._show_rows = show_rows
        self._sessions = SnowflakeSessions(target, self._limits, renew_secret, pause)
        self._sampler = Sampler(
            self._sessions, self._limits, lambda name: self.presence([name])[name], settled_after_hours
        )

    def read(self) -> CatalogContents:
        """Read the whole structure; parts that are not provably complete are listed in `unread` and left out.

        A database of moderate size takes a fixed number of statements, and each part that one answer does not hold
        takes its own.
        """
        return self._understood(_CATALOG, self._contents)

    def sample(self, table: CatalogTable, rows: int) -> TableSample:
        """At most `rows` rows of the first 200 columns, values truncated to 200 characters; costs credits.

        No rows of views, external and dynamic tables, nor where sampling is off, the target names no warehouse, or the
        role may not read tags and masking policies. Columns that these mark, or of which they are not known yet, are
        left out.
        Values of types without a short text form, such as `BINARY`, are `None`.

        Raises:
            TableGone: when the table certainly no longer exists.
            AccessDenied: when the role may not select from it, or can no longer see it.
        """
        if rows <= 0 or table.kind not in SAMPLED_KINDS or not self._samples:
            return TableSample((), ())
        doing = f"sampling '{table.schema_name}.{table.table_name}'"
        return self._understood(doing, lambda: self._sampler.sample(table, rows, doing))

    def overlaps(
        self,
        table: CatalogTable,  # noqa: ARG002 - the port asks with them
        row_count: int,  # noqa: ARG002
        pairs: Sequence[KeyPair],  # noqa: ARG002
    ) -> dict[KeyPair, Overlap]:
        """Nothing: comparing values would cost credits for every pair."""
        return {}

    def presence(self, tables: Sequence[SchemaAndTable]) -> dict[SchemaAndTable, Presence]:
        """Whether each table exists, certainly does not, or may be hidden, which Snowflake does not tell apart.

        What is not seen is gone only if `ACCOUNT_USAGE` knows that it was dropped, or the role owns the schema.
        """
        possible = [name for name in dict.fromkeys(tables) if all(map(_can_be_a_name, name))]
        found: dict[SchemaAndTable, Presence] = dict.fromkeys(tables, "gone")
        if possible:
            found.update(self._understood(_PRESENCE, lambda: self._presence(possible)))
        return found

    def access(self) -> AccessReport:
        """What the role can and cannot read, what it should not be able to do, and what a run costs."""
        return self._understood(_PRIVILEGES, self._access)

    def databases(self) -> tuple[str, ...]:
        """Names of all databases that the role may see, without Snowflake's own."""
        answer = self._sessions.ask(statements.DATABASES, _DATABASES)
        if len(answer.rows) >= self._show_rows:
            raise DatabaseError(
                f"The account of {self._target} has at least {self._show_rows:,} databases, the most that "
                "Snowflake lists. Name the database in the entry."
            )
        rows = self._understood(_DATABASES, lambda: answer.as_rows(DatabaseRow))
        return tuple(sorted(row.name for row in rows if row.name != _OWN_DATABASE))

    def statements(self) -> list[Statement]:
        """Every statement that this reader may send."""
        return list(statements.STATEMENTS)

    def close(self) -> None:
        """Close every session; later reads raise `ConnectionLost`."""
        self._sessions.close()

    @property
    def _target(self) -> SnowflakeTarget:
        return self._sessions.target

    @property
    def _samples(self) -> bool:
        return self._may_sample and self._target.warehouse is not None

    def _asking(self, doing: str) -> Callable[[str], Answer]:
        return lambda sql: self._sessions.ask(sql, doing)

    def _has_warehouse(self, doing: str) -> bool:
        return self._target.warehouse is not None and self._sessions.context(doing).warehouse is not None

    def _questions(self, doing: str) -> Questions:
        budget = self._limits.split_queries
        return Questions(
            self._asking(doing), self._target.database, self._show_rows, budget, budget, self._limits.connections
        )

    def _understood(self, doing: str, attempt: Callable[[], Result]) -> Result:
        try:
            return attempt()
        except _NOT_ITS_ANSWERS as error:
            raise not_snowflake(doing, self._target) from error

    def _contents(self) -> CatalogContents:
        ask, questions = self._asking(_CATALOG), self._questions(_CATALOG)
        context = self._sessions.context(_CATALOG)
        listing = self._listing(questions)
        views = {(view.schema_name, view.name) for view in listing.views}
        tables = {
            schema: own
            for schema, names in listing.names().items()
            if (own := [name for name in names if name not in views])
        }
        columns = read_columns(questions, listing, warehouse=self._has_warehouse(_CATALOG))
        keys = read_keys(questions, tables)
        # Who may select matters only where something is sampled.
        grants = read_grants(ask, context.role) if self._samples else None
        usage = read_usage(ask, questions.database) if self._samples else Usage()
        if usage.failure is not None:
            questions.leave_out([], "hidden schemas, tags and masking policies", usage.failure)
        elif self._samples and usage.marks is None:
            questions.leave_out([], "tags and masking policies", missing_marks(context.role or "..."))
        contents = assemble(
            questions,
            Parts(
                version=context.version,
                listing=listing,
                columns=columns,
                keys=keys,
                indexes=read_indexes(questions, listing),
                selectable=grants.selectable(questions.database) if grants and grants.known else None,
                hidden_schemas=listing.hidden(usage.schemas),
                marks=usage.marks or Marks(),
                dependencies=usage.dependencies,
            ),
        )
        sampled = sum(table.selectable and table.kind in SAMPLED_KINDS for table in contents.tables)
        return replace(contents, costs=self._costs(ask, sampled))

    def _costs(self, ask: Callable[[str], Answer], sampled: int) -> tuple[str, ...]:
        """What the run may cost, where a warehouse is named; one more `SHOW`."""
        name = self._target.warehouse
        if name is None:
            return ()
        return tuple(credit_lines(name, self._warehouse(ask), self._limits, sampled, self._may_sample))

    def _listing(self, questions: Questions) -> Listing:
        try:
            return list_all(questions)
        except DatabaseError as error:
            if not is_unknown_object(error):
                raise
            role = self._sessions.context(_CATALOG).role or "..."
            grant = (
                f"GRANT USAGE ON DATABASE {quote_identifier(questions.database, 'snowflake')} TO ROLE "
                f"{quote_identifier(role, 'snowflake')};"
            )
            raise AccessDenied(
                f"There is no {self._target}, or the role {role!r} may not use it. Check the name, which is upper-case "
                f"unless it was created in quotes, or ask an administrator to run: {grant}",
                context=error.context,
            ) from error

    def _presence(self, tables: Sequence[SchemaAndTable]) -> dict[SchemaAndTable, Presence]:
        questions = self._questions(_PRESENCE)
        try:
            listing = list_all(questions)
        except DatabaseError as error:
            if not is_unknown_object(error):
                raise
            listing = Listing([], [], [])
        seen = {name for names in listing.names().values() for name in names}
        missing = [name for name in tables if name not in seen]
        role = self._sessions.context(_PRESENCE).role
        owned = {schema.name for schema in listing.schemas if role is not None and schema.owner == role}
        gone = {name for name in missing if name[0] in owned - listing.cut_schemas}
        unproven = [name for name in missing if name not in gone and name[0] not in listing.cut_schemas]
        if unproven and self._has_warehouse(_PRESENCE):
            gone |= dropped_tables(self._asking(_PRESENCE), questions.database, unproven)
        return {name: "present" if name in seen else "gone" if name in gone else "unreadable" for name in tables}

    def _access(self) -> AccessReport:
        ask, questions = self._asking(_PRIVILEGES), self._questions(_PRIVILEGES)
        context = self._sessions.context(_PRIVILEGES)
        listing = self._listing(questions)
        grants = read_grants(ask, context.role)
        usage = read_usage(ask, questions.database) if self._samples else Usage()
        return Access(
            target=self._target,
            limits=self._limits,
            context=context,
            listing=listing,
            grants=grants,
            usage=usage,
            warehouse=self._warehouse(ask),
            may_sample=self._may_sample,
        ).report()

    def _warehouse(self, ask: Callable[[str], Answer]) -> WarehouseRow | None:
        name = self._target.warehouse
        if name is None:
            return None
        rows = ask(statements.WAREHOUSES.format(pattern=pattern(name))).as_rows(WarehouseRow)
        return next((row for row in rows if row.name == name), None)


def _can_be_a_name(text: str) -> bool:
    """Whether a name is valid on the server: not too long, no NUL, no lone surrogates."""
    fits = 0 < len(text) <= _LONGEST_NAME
    return fits and "\x00" not in text and not any("\ud800" <= character <= "\udfff" for character in text)
