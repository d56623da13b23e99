"""Reads PostgreSQL connection URLs as libpq does, falling back on its environment variables and password file.

No message shows the URL, since a password may be anywhere in it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal
from urllib.parse import unquote

from pydantic import SecretStr

from tribal.errors import ConfigurationError
from tribal.settings.passfile import find_password, passfile_path
from tribal.settings.postgres_target import DEFAULT_PORT, SSL_MODES, PostgresTarget, SslMode
from tribal_contracts import DatabaseEntry

_SCHEME = re.compile(r"postgres(?:ql)?://", re.IGNORECASE)
_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")

# URL parameter -> environment variable, as in libpq.
_VARIABLES = {
    "host": "PGHOST",
    "port": "PGPORT",
    "user": "PGUSER",
    "password": "PGPASSWORD",
    "dbname": "PGDATABASE",
    "sslmode": "PGSSLMODE",
    "sslrootcert": "PGSSLROOTCERT",
    "sslcert": "PGSSLCERT",
    "sslkey": "PGSSLKEY",
    "connect_timeout": "PGCONNECT_TIMEOUT",
    "application_name": "PGAPPNAME",
    "options": "PGOPTIONS",
    "passfile": "PGPASSFILE",
}
# Hosted servers include these in the URLs that they display; they do not affect what is read.
_WITHOUT_EFFECT = frozenset(
    "channel_binding client_encoding fallback_application_name gssencmode keepalives keepalives_count keepalives_idle "
    "keepalives_interval pgbouncer sslcompression sslnegotiation target_session_attrs tcp_user_timeout".split()
)
_ENCODE = (
    "In user, password and database write @ as %40, : as %3A, / as %2F, ? as %3F, # as %23, & as %26 and % as %25."
)

_NO_SERVICES = (
    "Service files (pg_service.conf) are not read. Write the host, port, database and user of that entry into the DSN, "
    "or into PGHOST, PGPORT, PGDATABASE and PGUSER."
)


def parse_dsn(text: str, environment: Mapping[str, str]) -> PostgresTarget:
    """Read `postgresql://user:password@host:port/database?parameter=value`; every part is optional.

    Missing parts come from libpq's variables in `environment`, then from `.pgpass` (for the password), then from its
    defaults. The target's `warnings` list what was ignored.

    Raises:
        ConfigurationError: when it cannot be parsed; the message says what to write, and never shows the password.
    """
    return _complete(_parts(text), environment)


def entry_target(entry: DatabaseEntry, environment: Mapping[str, str]) -> PostgresTarget:
    """The target of an entry in `databases.yaml`: its DSN, overridden by the entry's other fields.

    Raises:
        ConfigurationError: when it cannot be read.
    """
    parts = _parts(entry.dsn.get_secret_value()) if entry.dsn is not None else {}
    fields = {
        "host": entry.host,
        "port": None if entry.port is None else str(entry.port),
        "dbname": entry.database,
        "user": entry.user,
        "password": None if entry.password is None else entry.password.get_secret_value(),
    }
    return _complete({**parts, **{name: value for name, value in fields.items() if value}}, environment)


def named_database(text: str, environment: Mapping[str, str]) -> str:
    """The database named by a URL or libpq's variables, else the user, as in libpq; empty when neither is given.

    Raises:
        ConfigurationError: when the URL cannot be read.
    """
    parts = _parts(text)
    names = (parts.get(name) or environment.get(_VARIABLES[name], "") for name in ("dbname", "user"))
    return next(filter(None, names), "")


def without_password(text: str, stand_in: str) -> str:
    """The URL with its password replaced, wherever it is.

    Raises:
        ConfigurationError: when the URL cannot be read.
    """
    _parts(text)
    scheme, has_login, rest = text.partition("://")
    rest, has_query, query = rest.partition("?")
    login, at, where = rest.rpartition("@")
    user, colon, password = login.partition(":")
    pairs = [pair.partition("=") for pair in query.split("&")]
    kept = (name + equals + (stand_in if unquote(name) == "password" else value) for name, equals, value in pairs)
    login = f"{user}:{stand_in}" if password else user + colon
    return f"{scheme}{has_login}{login}{at}{where}{has_query}{'&'.join(kept)}"


def _parts(text: str) -> dict[str, str]:
    scheme = _SCHEME.match(text)
    if scheme is None:
        raise ConfigurationError(
            "The DSN of a PostgreSQL database starts with postgresql:// or postgres://, for example "
            "postgresql://user@host:5432/database."
        )
    rest, _, query = text[scheme.end() :].partition("?")
    authority, _, path = rest.partition("/")
    login, has_login, where = authority.rpartition("@")
    # An unescaped slash or question mark in a password ends the authority early, and the rest of the password would be
    # shown as the database.
    if "#" in text or "@" in path or "@" in query or _PERCENT.search(text):
        raise ConfigurationError(f"The DSN has a special character that is not percent-encoded. {_ENCODE}")
    parts = _host_and_port(where)
    if has_login:
        user, has_password, password = login.partition(":")
        parts["user"] = unquote(user)
        if has_password:
            parts["password"] = unquote(password)
    parts["dbname"] = unquote(path)
    parts.update(_parameters(query))
    return {name: value for name, value in parts.items() if value}


def _host_and_port(where: str) -> dict[str, str]:
    if "," in where:
        raise ConfigurationError("The DSN names several hosts. Name one: documentation is read from one server.")
    found = re.fullmatch(r"(\[[^\[\]]*\]|[^:\[\]]*)(?::([0-9]*))?", where)
    if found is None:
        raise ConfigurationError(
            f"Host and port of the DSN cannot be read. Write host:port, and an IPv6 address as [::1]:5432. {_ENCODE}"
        )
    host, port = found.groups()
    return {"host": unquote(host.removeprefix("[").removesuffix("]")), "port": port or ""}


def _parameters(query: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in filter(None, query.split("&")):
        name, has_value, value = pair.partition("=")
        name = unquote(name)
        if name == "ssl" and value == "true":
            name, value = "sslmode", "require"
        if name == "service":
            raise ConfigurationError(f"The DSN names a service. {_NO_SERVICES}")
        if name not in _VARIABLES and name not in _WITHOUT_EFFECT:
            # An unescaped & in a password puts part of it here, so the name is shown only if it looks like a parameter.
            shown = repr(name) if has_value and re.fullmatch(r"[a-z][a-z_]{1,30}", name) else "something else"
            raise ConfigurationError(
                f"The DSN has the parameter {shown}, which is not known. Known are: {', '.join(sorted(_VARIABLES))}."
            )
        found[name] = unquote(value)
    return found


def _complete(parts: Mapping[str, str], environment: Mapping[str, str]) -> PostgresTarget:
    def value(name: str) -> str:
        return parts.get(name) or environment.get(_VARIABLES[name], "")

    if environment.get("PGSERVICE") and not (value("host") and value("dbname")):
        raise ConfigurationError(f"PGSERVICE names a service. {_NO_SERVICES}")
    host, port = value("host") or "localhost", _port(value("port"))
    if "," in host:
        raise ConfigurationError("There are several hosts. Name one: documentation is read from one server.")
    user = value("user") or environment.get("USER") or environment.get("LOGNAME") or ""
    if not user:
        raise ConfigurationError("No user is named. Put one into the DSN (postgresql://user@host/database) or PGUSER.")
    ignored = sorted(name for name in parts if name in _WITHOUT_EFFECT)
    target = PostgresTarget(
        host="localhost" if host.startswith("/") else host,
        port=port,
        database=value("dbname") or user,
        user=user,
        password=SecretStr(value("password")) if value("password") else None,
        ssl_mode=_ssl_mode(value("sslmode")),
        ssl_root_certificate=_root_certificate(value("sslrootcert"), environment),
        ssl_certificate=_own_file(value("sslcert"), environment, "postgresql.crt"),
        ssl_key=_own_file(value("sslkey"), environment, "postgresql.key"),
        unix_socket=f"{host.rstrip('/')}/.s.PGSQL.{port}" if host.startswith("/") else None,
        application_name=value("application_name") or "tribal",
        connect_timeout_seconds=_seconds(value("connect_timeout")),
        options=value("options") or None,
        warnings=(f"Parameters of the DSN without effect here: {', '.join(ignored)}.",) if ignored else (),
    )
    if any("\x00" in part for part in (target.host, target.database, target.user)):
        raise ConfigurationError("Host, database or user of the DSN holds a NUL character (%00). Leave it out.")
    if target.password is not None:
        return target
    path = Path(parts["passfile"]) if "passfile" in parts else passfile_path(environment)
    answer = find_password(path, host, port, target.database, user)
    return replace(target, password=answer.password, warnings=target.warnings + answer.warnings)


def _port(text: str) -> int:
    if not text:
        return DEFAULT_PORT
    if not re.fullmatch(r"[0-9]{1,5}", text) or not 1 <= int(text) <= 65_535:
        raise ConfigurationError("The port of the database is not a number from 1 to 65535.")
    return int(text)


def _ssl_mode(text: str) -> SslMode:
    for mode in SSL_MODES:
        if mode == (text or "prefer"):
            return mode
    raise ConfigurationError(f"sslmode is none of {', '.join(SSL_MODES)}.")


def _root_certificate(text: str, environment: Mapping[str, str]) -> Path | Literal["system"] | None:
    return "system" if text == "system" else _own_file(text, environment, "root.crt")


def _own_file(text: str, environment: Mapping[str, str], default: str) -> Path | None:
    """The named file, else libpq's default in the home directory if that exists."""
    if text:
        return Path(text)
    if home := environment.get("HOME"):
        path = Path(home) / ".postgresql" / default
        return path if path.is_file() else None
    return None


def _seconds(text: str) -> float | None:
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not math.isfinite(seconds):
        raise ConfigurationError("connect_timeout is not a number of seconds.")
    # In libpq, 0 or less means to wait forever; here the configured limit applies.
    return seconds if seconds > 0 else None
