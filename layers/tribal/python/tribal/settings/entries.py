"""Entries from a DSN alone; its scheme determines the type of database."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import SecretStr, ValidationError

from tribal.errors import ConfigurationError
from tribal.settings import dsn as postgres
from tribal.settings.snowflake import dsn as snowflake
from tribal_contracts import DatabaseEntry, DatabaseType

if TYPE_CHECKING:
    from tribal.settings.postgres_target import PostgresTarget
    from tribal.settings.snowflake.target import SnowflakeTarget


@dataclass(frozen=True, slots=True)
class _Source:
    """How to read the DSNs of one type of database."""

    type: DatabaseType
    example: str
    database: Callable[[str, Mapping[str, str]], str]
    """The database that a DSN names; empty when neither the DSN nor the environment does."""
    without_password: Callable[[str, str], str]
    """A DSN with its password replaced by the second text, or removed where that is empty."""
    has_password: Callable[[str], bool]
    """Whether a DSN contains a password."""
    portable: Callable[[str, Mapping[str, str]], str]
    """A DSN completed from the environment, without its password."""


_POSTGRES = _Source(
    "postgres",
    "postgresql://user@host:5432/database",
    postgres.named_database,
    postgres.without_password,
    postgres.has_password,
    postgres.portable,
)
_SNOWFLAKE = _Source(
    "snowflake",
    snowflake.EXAMPLE,
    snowflake.named_database,
    snowflake.without_password,
    snowflake.has_password,
    snowflake.portable,
)
_SOURCES = {"postgresql": _POSTGRES, "postgres": _POSTGRES, "snowflake": _SNOWFLAKE}
_OTHERS = frozenset(
    "bigquery clickhouse cockroachdb databricks db2 duckdb hana mariadb mongodb mssql mysql oracle redis redshift "
    "sqlite sqlserver".split()
)
"""Schemes of unsupported databases."""
_READ = f"PostgreSQL and Snowflake are read: write {_POSTGRES.example} or snowflake://user@account/DATABASE"


def entry_from_dsn(dsn: str, environment: Mapping[str, str]) -> DatabaseEntry:
    """An entry with only a DSN, named after the database on the server.

    Raises:
        ConfigurationError: when the DSN is malformed or its scheme unsupported; the message never shows the password.
    """
    source = _source(dsn)
    name = source.database(dsn, environment)
    if not name:
        raise ConfigurationError(f"the DSN names no database; write {source.example}")
    try:
        return DatabaseEntry(name=name, type=source.type, dsn=SecretStr(dsn))
    except ValidationError:
        # Not chained: the cause contains the DSN.
        raise ConfigurationError("the database name in the DSN is longer than 128 characters") from None


def dsn_without_password(dsn: str, replacement: str = "") -> str:
    """A DSN that is safe to write down, with its password removed, or replaced by `replacement`.

    Raises:
        ConfigurationError: when the DSN is malformed or its scheme unsupported.
    """
    return _source(dsn).without_password(dsn, replacement)


def dsn_has_password(dsn: str) -> bool:
    """Whether a DSN contains a password.

    Raises:
        ConfigurationError: when the DSN is malformed or its scheme unsupported.
    """
    return _source(dsn).has_password(dsn)


def portable_dsn(dsn: str, environment: Mapping[str, str]) -> str:
    """A DSN that means the same in another environment, without its password.

    Raises:
        ConfigurationError: when the DSN is malformed, its scheme unsupported, or the environment cannot be used.
    """
    return _source(dsn).portable(dsn, environment)


def _source(dsn: str) -> _Source:
    scheme, has_scheme, _ = dsn.strip().partition("://")
    source = _SOURCES.get(scheme.lower()) if has_scheme else None
    if source is None:
        raise ConfigurationError(f"{_other_database(dsn) or 'this is not a DSN'}; {_READ}")
    return source


def _other_database(dsn: str) -> str | None:
    """What to say of a DSN of another database; only known schemes are shown, since a password may be anywhere."""
    scheme = dsn.strip().lower().removeprefix("jdbc:").partition(":")[0]
    # As in mysql+pymysql, which names a driver too.
    name = scheme.partition("+")[0]
    if name in _SOURCES and "+" in scheme:
        return f"this is a DSN with the name of a driver; write {name}:// alone"
    return f"this is a DSN of {name!r}" if name in _OTHERS else None


def entry_target(entry: DatabaseEntry, environment: Mapping[str, str]) -> PostgresTarget | SnowflakeTarget:
    """The target of an entry, by its type.

    Raises:
        ConfigurationError: when it cannot be read.
    """
    if entry.type == "snowflake":
        return snowflake.snowflake_entry_target(entry)
    return postgres.entry_target(entry, environment)


def check_dsn(entry: DatabaseEntry) -> None:
    """Refuse the DSN of an entry if it is not a valid URL, regardless of defaults for missing parts.

    Raises:
        ConfigurationError: when it cannot be read.
    """
    if entry.dsn is not None:
        if other := _other_database(entry.dsn.get_secret_value()):
            raise ConfigurationError(f"{other}; {_READ}")
        check = snowflake.check_snowflake_dsn if entry.type == "snowflake" else postgres.check_dsn
        check(entry.dsn.get_secret_value())
