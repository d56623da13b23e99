"""The user's own database as the target for the sample company."""

from __future__ import annotations

import os
from pathlib import Path

import pg8000.native

from tribal.errors import TribalError
from tribal.settings.dsn import parse_dsn


class DemoTargetError(Exception):
    """The database named by `TRIBAL_DEMO_DSN` cannot be used for the sample company."""


def fill_target(dsn: str, script: Path) -> None:
    """Load the script into an empty database; one that already contains the sample company is left alone.

    Raises:
        DemoTargetError: when the database cannot be reached, contains something else, or refuses the script.
    """
    try:
        target = parse_dsn(dsn, os.environ)
    except TribalError as error:
        raise DemoTargetError(f"TRIBAL_DEMO_DSN cannot be used: {error.message}") from error
    password = target.password.get_secret_value() if target.password else None
    try:
        connection = pg8000.native.Connection(
            target.user, host=target.host, port=target.port, database=target.database, password=password, timeout=60
        )
    except (pg8000.native.Error, OSError) as error:
        raise DemoTargetError(f"TRIBAL_DEMO_DSN does not answer: {error}") from error
    try:
        tables = "SELECT schemaname || '.' || tablename FROM pg_tables WHERE schemaname !~ '^pg_|^information_schema$'"
        present = {row[0] for row in connection.run(tables)}
        if "crm.customer" in present and "billing.invoice" in present:
            return
        if present:
            raise DemoTargetError("the database of TRIBAL_DEMO_DSN is not empty; name an empty one")
        connection.run(script.read_text(encoding="utf-8"))
    except pg8000.native.Error as error:
        raise DemoTargetError(f"the database of TRIBAL_DEMO_DSN refused the sample company: {error}") from error
    finally:
        connection.close()
