"""The settings in a new `databases.yaml`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tribal_contracts import DatabaseType

ADDRESS_VARIABLE = "DATABASE_URL"
PASSWORD_VARIABLE = "TRIBAL_PASSWORD"  # noqa: S105 - the name of a variable
_VARIABLE = re.compile(r"\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?")


@dataclass(frozen=True, slots=True)
class NewDatabase:
    """A database to document."""

    name: str = "company"
    type: DatabaseType = "postgres"
    dsn: str = f"${{{ADDRESS_VARIABLE}}}"
    """Without its password, or `${NAME}`."""
    variable: str | None = ADDRESS_VARIABLE
    """The environment variable with the DSN; `None` if the DSN is known."""
    had_password: bool = False
    """Whether the DSN contained a password."""


@dataclass(frozen=True, slots=True)
class NewModel:
    """A model that describes tables."""

    provider: str
    name: str
    api_key_secret: str | None
    """`None` for a model that needs no key."""


@dataclass(frozen=True, slots=True)
class Answers:
    """The settings of a new project."""

    database: NewDatabase = field(default_factory=NewDatabase)
    password_secret: str | None = None
    sample_rows: int | None = None
    """`None` for the default."""
    model: NewModel | None = None

    @property
    def variables(self) -> list[str]:
        """The environment variables that the file names."""
        key = None if self.model is None else self.model.api_key_secret
        return [name for name in (self.database.variable, self.password_secret, key) if name is not None]


def default_answers(address: str | None, environment: Mapping[str, str]) -> Answers:
    """The answers for an address, with defaults for the rest.

    Raises:
        ConfigurationError: when the address cannot be read.
    """
    if address is None:
        return Answers()
    database = database_at(address, environment)
    return Answers(database, PASSWORD_VARIABLE if database.had_password else None)


def database_at(address: str, environment: Mapping[str, str]) -> NewDatabase:
    """The database at an address: a DSN, or `${NAME}` for the environment variable with one.

    Raises:
        ConfigurationError: when the address cannot be read; the message never shows a password.
    """
    from tribal.errors import ConfigurationError
    from tribal.settings.entries import dsn_has_password, dsn_without_password, entry_from_dsn

    variable = _VARIABLE.fullmatch(address)
    if variable is None:
        entry = entry_from_dsn(address, environment)
        return NewDatabase(entry.name, entry.type, dsn_without_password(address), None, dsn_has_password(address))
    name = variable[1]
    dsn = environment.get(name)
    if not dsn:
        return NewDatabase(dsn=f"${{{name}}}", variable=name)
    try:
        entry = entry_from_dsn(dsn, environment)
    except ConfigurationError as error:
        raise ConfigurationError(f"the variable {name} has no usable address: {error.message}") from None
    return NewDatabase(entry.name, entry.type, f"${{{name}}}", name)
