"""Reads PostgreSQL connection URLs as libpq does, falling back on its environment variables and password file.

No message shows the URL, since a password may be anywhere in it. URLs that libpq would read differently from what was
probably meant are refused: a slash in a password would show the rest as a host or a database.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from types import MappingProxyType
from urllib.parse import quote, urlencode

from tribal.errors import ConfigurationError
from tribal.identity.expansion import names_several
from tribal.settings.postgres_parameters import (
    NO_SERVICES,
    UNSUPPORTED,
    VARIABLES,
    WITHOUT_EFFECT,
    check_shown,
    check_values,
    completed,
    is_ip_address,
)
from tribal.settings.postgres_target import SSL_MODES, PostgresTarget
from tribal.settings.urls import (
    ENCODE,
    IN_NAME,
    IN_VALUE,
    Url,
    decoded,
    special_character,
    split_url,
    with_other_password,
)
from tribal_contracts import DatabaseEntry

_SCHEME = re.compile(r"postgres(?:ql)?://", re.IGNORECASE)
_EXAMPLE = (
    "The DSN of a PostgreSQL database starts with postgresql:// or postgres://, for example "
    "postgresql://user@host:5432/database."
)
_MAINTENANCE_DATABASE = "postgres"
"""The database to connect to for listing databases, unless the entry names another."""
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,39}")
_NOTHING: Mapping[str, str] = MappingProxyType({})


def parse_dsn(text: str, environment: Mapping[str, str], *, overrides: Mapping[str, str] = _NOTHING) -> PostgresTarget:
    """Read `postgresql://user:password@host:port/database?parameter=value`; every part is optional.

    Missing parts come from libpq's variables in `environment`, then from `.pgpass` (for the password), then from its
    defaults. The target's `warnings` list what was ignored.

    Args:
        text: the URL.
        environment: the environment variables.
        overrides: values that take precedence, by libpq's names of parameters.

    Raises:
        ConfigurationError: when it cannot be parsed; the message says what to write and never shows the password.
    """
    return completed({**_parts(text), **overrides}, environment)


def entry_target(entry: DatabaseEntry, environment: Mapping[str, str]) -> PostgresTarget:
    """The target of an entry in `databases.yaml`: its DSN, overridden by the entry's other fields.

    For an entry that matches several databases, it is the database to list them from.

    Raises:
        ConfigurationError: when it cannot be read.
    """
    several = names_several(entry)
    fields = {
        "host": entry.host,
        "port": None if entry.port is None else str(entry.port),
        "dbname": None if several or not isinstance(entry.database, str) else entry.database,
        "user": entry.user,
        "password": None if entry.password is None else entry.password.get_secret_value(),
        "sslmode": entry.sslmode,
        "sslrootcert": entry.sslrootcert,
        "require_auth": entry.require_auth,
    }
    dsn = "postgresql://" if entry.dsn is None else entry.dsn.get_secret_value()
    if several and not (_parts(dsn).get("dbname") or environment.get(VARIABLES["dbname"])):
        fields["dbname"] = _MAINTENANCE_DATABASE
    return parse_dsn(dsn, environment, overrides={name: value for name, value in fields.items() if value})


def check_dsn(text: str) -> None:
    """Refuse an invalid URL, regardless of defaults for missing parts.

    Raises:
        ConfigurationError: as `parse_dsn` does.
    """
    _parts(text)


def named_database(text: str, environment: Mapping[str, str]) -> str:
    """The database named by a URL or libpq's variables, else the user, as in libpq; empty when neither is given.

    Raises:
        ConfigurationError: when the URL cannot be read.
    """
    parts = _parts(text)
    named = {name: parts.get(name) or environment.get(VARIABLES[name], "") for name in ("dbname", "user")}
    check_shown(named)
    return named["dbname"] or named["user"]


def without_password(text: str, replacement: str) -> str:
    """The URL with its password replaced, wherever it is; an empty replacement removes it.

    Raises:
        ConfigurationError: when the URL cannot be read.
    """
    _parts(text)
    return with_other_password(_split(text), replacement)


def has_password(text: str) -> bool:
    """Whether the URL contains a password.

    Raises:
        ConfigurationError: when the URL cannot be read.
    """
    return "password" in _parts(text)


def portable(text: str, environment: Mapping[str, str]) -> str:
    """The URL completed from the environment, so that it means the same later, without the password.

    Raises:
        ConfigurationError: when the URL or the environment cannot be used.
    """
    added = {name: environment[variable] for name, variable in VARIABLES.items() if environment.get(variable)}
    parts = {name: value for name, value in (added | _parts(text)).items() if name in VARIABLES}
    parts.pop("password", None)
    target = completed(parts, environment)
    host, port = parts.pop("host", target.host), parts.pop("port", str(target.port))
    if host.startswith("/"):
        # The folder of a socket cannot be written before the path.
        parts["host"], host = host, ""
    where = f"[{quote(host)}]" if ":" in host else quote(host)
    query = urlencode({name: parts[name] for name in parts if name not in ("user", "dbname")}, quote_via=quote)
    login, path = quote(target.user, safe=""), quote(target.database, safe="")
    return f"postgresql://{login}@{where}:{port}/{path}{'?' * bool(query)}{query}"


def _split(text: str) -> Url:
    return split_url(text, _SCHEME, _EXAMPLE)


def _parts(text: str) -> dict[str, str]:
    """The parameters of a URL by libpq's names, decoded; empty ones are left out."""
    url = _split(text)
    for what, piece in (("user", url.user), ("database", url.path or "")):
        if IN_NAME.search(piece):
            raise special_character(f"The {what} of the DSN")
    parts = _host_and_port(url.where) | {
        "user": decoded(url.user),
        "password": decoded(url.password),
        "dbname": decoded(url.path or ""),
    }
    if ":" in parts["user"] and not parts["password"]:
        raise ConfigurationError(
            "The user of the DSN contains a percent-encoded colon and there is no password. Write user:password with "
            f"a literal colon, and percent-encode user and password separately. {ENCODE}"
        )
    for name, value in url.pairs:
        parts.update(_parameter(decoded(name), value, url))
    check_values(parts)
    return {name: value for name, value in parts.items() if value}


def _host_and_port(where: str) -> dict[str, str]:
    if "," in where:
        raise ConfigurationError("The DSN names several hosts. Give one: documentation is read from one server.")
    found = re.fullmatch(r"(\[[^\[\]]*\]|[^:\[\]]*)(?::([0-9]*))?", where)
    if found is None:
        raise ConfigurationError(
            f"Cannot parse host and port of the DSN. Write host:port, and an IPv6 address as [::1]:5432. {ENCODE}"
        )
    host, port = found.groups()
    if host.startswith("[") and not is_ip_address(decoded(host[1:-1]), 6):
        raise ConfigurationError(f"The text in [brackets] in the DSN is not an IPv6 address such as [::1]. {ENCODE}")
    return {"host": decoded(host.removeprefix("[").removesuffix("]")), "port": port or ""}


def _parameter(name: str, value: str | None, url: Url) -> dict[str, str]:
    if name == "ssl":
        return _ssl(decoded(value or ""))
    if name in ("service", "servicefile"):
        raise ConfigurationError(f"The DSN names a service. {NO_SERVICES}")
    if name in UNSUPPORTED:
        raise ConfigurationError(f"The parameter {name} of the DSN is not supported. Leave it out.")
    if name not in VARIABLES and name.lower() not in WITHOUT_EFFECT:
        raise _unknown(name, value, url)
    if name != "password" and (IN_NAME if name in ("user", "dbname") else IN_VALUE).search(value or ""):
        raise special_character(f"The parameter {name} of the DSN")
    return {name: decoded(value or "")}


def _ssl(value: str) -> dict[str, str]:
    """`ssl`, which drivers have instead of `sslmode`."""
    if value in SSL_MODES:
        return {"sslmode": value}
    modes = dict.fromkeys(("", "1", "true", "on", "no-verify"), "require") | dict.fromkeys(
        ("0", "false", "off"), "prefer"
    )
    if value not in modes:
        raise ConfigurationError(f"The parameter ssl of the DSN must be true, false or one of {', '.join(SSL_MODES)}.")
    return {"sslmode": modes[value]}


def _unknown(name: str, value: str | None, url: Url) -> ConfigurationError:
    # The name may be a part of a password that has an unencoded &.
    login = decoded(f"{url.user} {url.password}").lower()
    is_safe = (
        all(given is not None for _, given in url.pairs)
        and _NAME.fullmatch(name)
        and name.lower() not in login
        and all(decoded(other) != "password" for other, _ in url.pairs)
    )
    close = difflib.get_close_matches(name, VARIABLES, n=1) if value is not None and len(name) < 40 else []
    hint = f" Did you mean {close[0]}?" if close else ""
    return ConfigurationError(
        f"The DSN has an unknown parameter{f', {name}' if is_safe else ''}.{hint} Known parameters: "
        f"{', '.join(sorted(VARIABLES))}. Write & in a password as %26."
    )
