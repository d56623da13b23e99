"""The database of the sample company: an embedded server, or a database of the user's own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pg8000.native

from tribal.errors import TribalError
from tribal.settings.dsn import parse_dsn
from tribal_demo import COMPANY_SQL
from tribal_demo.server.postgres import EmbeddedServer, EmbeddedServerError, EmbeddedServerUnavailable

VARIABLE = "TRIBAL_DEMO_DSN"
"""Environment variable with the DSN of an empty database to use instead of an embedded server."""
MIGRATION = "ALTER TABLE sales.orders ADD COLUMN IF NOT EXISTS late_reason text, ALTER COLUMN dlv_dt TYPE timestamp"
_UNDOING = "ALTER TABLE sales.orders DROP COLUMN IF EXISTS late_reason, ALTER COLUMN dlv_dt TYPE date"
_SECONDS = 60


class DemoDatabaseError(Exception):
    """The database named by `TRIBAL_DEMO_DSN` cannot be used for the sample company."""


@contextmanager
def company_database(home: Path) -> Iterator[str]:
    """Yield the DSN of the filled database: `TRIBAL_DEMO_DSN` if set, otherwise an embedded server with data in `home`.

    Raises:
        DemoDatabaseError: when the given database cannot be reached, contains something else, or refuses the script.
        EmbeddedServerError: when no server can be started.
    """
    given = os.environ.get(VARIABLE)
    if given:
        _fill(given)
        _undo_migration(given)
        yield given
        return
    try:
        server = EmbeddedServer.start(home)
    except EmbeddedServerUnavailable as error:
        raise EmbeddedServerError(
            f"{error} Name an empty database of your own instead: {VARIABLE}=postgresql://..."
        ) from error
    with server:
        server.ensure_database("company", COMPANY_SQL)
        dsn = server.dsn("company")
        # A demo that was killed left the database changed.
        _undo_migration(dsn)
        yield dsn


def _fill(dsn: str) -> None:
    """Load the sample company into an empty database; one that already contains the sample company is left alone.

    Raises:
        DemoDatabaseError: when the database cannot be reached, contains something else, or refuses the script.
    """
    with _connected(dsn) as connection:
        tables = "SELECT schemaname || '.' || tablename FROM pg_tables WHERE schemaname !~ '^pg_|^information_schema$'"
        present = {row[0] for row in connection.run(tables)}
        if "crm.customer" in present and "billing.invoice" in present:
            return
        if present:
            raise DemoDatabaseError(f"the database of {VARIABLE} is not empty; name an empty one")
        connection.run(COMPANY_SQL.read_text(encoding="utf-8"))


@contextmanager
def migrated(dsn: str) -> Iterator[None]:
    """Apply `MIGRATION` within the block."""
    with _connected(dsn) as connection:
        connection.run(MIGRATION)
    try:
        yield
    finally:
        _undo_migration(dsn)


def _undo_migration(dsn: str) -> None:
    with _connected(dsn) as connection:
        connection.run(_UNDOING)


@contextmanager
def _connected(dsn: str) -> Iterator[pg8000.native.Connection]:
    try:
        target = parse_dsn(dsn, os.environ)
    except TribalError as error:
        raise DemoDatabaseError(f"{VARIABLE} cannot be used: {error.message}") from error
    password = target.password.get_secret_value() if target.password else None
    try:
        connection = pg8000.native.Connection(
            target.user,
            host=target.host,
            port=target.port,
            database=target.database,
            password=password,
            timeout=_SECONDS,
        )
    except (pg8000.native.Error, OSError) as error:
        raise DemoDatabaseError(f"{VARIABLE} does not answer: {error}") from error
    try:
        yield connection
    except pg8000.native.Error as error:
        raise DemoDatabaseError(f"the database refused a statement of the demo: {error}") from error
    finally:
        connection.close()
