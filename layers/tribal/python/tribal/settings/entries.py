"""Entries made from a DSN alone: its scheme says what kind of database it leads to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pydantic import SecretStr, ValidationError

from tribal.errors import ConfigurationError
from tribal.settings import dsn as postgres
from tribal_contracts import DatabaseEntry, DatabaseType

if TYPE_CHECKING:
    from tribal.settings.settings import Settings


@dataclass(frozen=True, slots=True)
class _Source:
    """How the DSNs of one type of database are read."""

    type: DatabaseType
    example: str
    database: Callable[[str, Mapping[str, str]], str]
    """The name of the database that a DSN leads to; empty where neither it nor the environment says."""
    without_password: Callable[[str, str], str]
    """A DSN with its password replaced by the second text."""


_POSTGRES = _Source(
    "postgres", "postgresql://user@host:5432/database", postgres.named_database, postgres.without_password
)
_SOURCES = {"postgresql": _POSTGRES, "postgres": _POSTGRES}


def entry_from_dsn(dsn: str, environment: Mapping[str, str]) -> DatabaseEntry:
    """An entry with nothing but a DSN, named after the server's database.

    Raises:
        ConfigurationError: when the text is no DSN of a database that we read; the message never shows its password.
    """
    source = _source(dsn)
    name = source.database(dsn, environment)
    if not name:
        raise ConfigurationError(f"the DSN names no database; write {source.example}")
    try:
        return DatabaseEntry(name=name, type=source.type, dsn=SecretStr(dsn))
    except ValidationError as error:
        raise ConfigurationError(f"the database's name in the DSN cannot be used: {name!r}") from error


def dsn_without_password(dsn: str, stand_in: str) -> str:
    """A DSN as it may be written down, with another text where its password was.

    Raises:
        ConfigurationError: when the text is no DSN of a database that we read.
    """
    return _source(dsn).without_password(dsn, stand_in)


def _source(dsn: str) -> _Source:
    scheme, has_scheme, _ = dsn.partition("://")
    source = _SOURCES.get(scheme.lower()) if has_scheme else None
    if source is None:
        found = f"a DSN of {scheme!r}" if has_scheme and scheme.isalnum() else "no DSN"
        raise ConfigurationError(f"this is {found}; write {_POSTGRES.example}")
    return source


def with_targets(settings: Settings) -> Settings:
    """The same settings with the DSN of every entry read; nothing is connected to.

    Raises:
        ConfigurationError: when one of them cannot be read.
    """
    targets = {entry.name: postgres.entry_target(entry, settings.environment) for entry in settings.entries}
    return replace(settings, targets=targets)
