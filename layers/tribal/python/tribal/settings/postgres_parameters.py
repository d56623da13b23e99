"""libpq's parameters: names, defaults and valid values."""

from __future__ import annotations

import ipaddress
import math
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal

from pydantic import SecretStr

from tribal.errors import ConfigurationError
from tribal.settings.passfile import find_password, passfile_path
from tribal.settings.postgres_target import (
    DEFAULT_PORT,
    LOGIN_METHODS,
    SSL_MODES,
    TLS_VERSIONS,
    LoginMethod,
    PostgresTarget,
    SslMode,
    TlsVersion,
)

# Parameter -> environment variable, as in libpq.
VARIABLES = {
    "host": "PGHOST",
    "hostaddr": "PGHOSTADDR",
    "port": "PGPORT",
    "user": "PGUSER",
    "password": "PGPASSWORD",
    "dbname": "PGDATABASE",
    "sslmode": "PGSSLMODE",
    "sslrootcert": "PGSSLROOTCERT",
    "sslcert": "PGSSLCERT",
    "sslkey": "PGSSLKEY",
    "sslcrl": "PGSSLCRL",
    "ssl_min_protocol_version": "PGSSLMINPROTOCOLVERSION",
    "ssl_max_protocol_version": "PGSSLMAXPROTOCOLVERSION",
    "require_auth": "PGREQUIREAUTH",
    "connect_timeout": "PGCONNECT_TIMEOUT",
    "application_name": "PGAPPNAME",
    "options": "PGOPTIONS",
    "passfile": "PGPASSFILE",
}
WITHOUT_EFFECT = frozenset(
    # libpq
    "channel_binding client_encoding fallback_application_name gssdelegation gssencmode gsslib keepalives "
    "keepalives_count keepalives_idle keepalives_interval krbsrvname load_balance_hosts max_protocol_version "
    "min_protocol_version sslcertmode sslcompression sslkeylogfile sslnegotiation sslsni target_session_attrs "
    "tcp_user_timeout "
    # Prisma and Supabase
    "connection_limit pgbouncer pool_timeout schema schemas socket_timeout sslaccept statement_cache_size supa "
    "workaround "
    # JDBC
    "applicationname currentschema logintimeout preparethreshold preferquerymode "
    "rewritebatchedinserts sockettimeout sslfactory stringtype targetservertype tcpkeepalive "
    # Python, Node.js, Go, Ruby and Elixir
    "command_timeout conn_max_age conn_health_checks default_query_exec_mode description_cache_capacity encoding "
    "idle_timeout max_overflow pool pool_max_conn_idle_time pool_max_conn_lifetime pool_max_conns pool_min_conns "
    "pool_recycle pool_size prepared_statement_cache_size prepared_statements prepare reaping_frequency "
    "schema_search_path search_path server_settings sslrequire statement_cache_capacity statement_timeout timeout "
    "uselibpqcompat".split()
)
"""Parameters of hosted servers, drivers and object-relational mappers that do not affect what is read; lower case."""
UNSUPPORTED = frozenset(
    "oauth_client_id oauth_client_secret oauth_issuer oauth_scope replication requirepeer requiressl "
    "scram_client_key scram_server_key sslcrldir sslpassword".split()
)
"""Parameters of libpq that must not be ignored: each asks for more safety, or for another way to log in."""
NO_SERVICES = (
    "Service files (pg_service.conf) are not read. Write the host, port, database and user of that entry into the DSN, "
    "or into PGHOST, PGPORT, PGDATABASE and PGUSER."
)
_SHOWN = {"host": "host", "dbname": "database", "user": "user"}
"""Parameters that messages may show."""
_HOST = re.compile(r"[\w.-]{1,255}\Z")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def completed(parts: Mapping[str, str], environment: Mapping[str, str]) -> PostgresTarget:
    """The target that libpq would use for these parameters.

    Raises:
        ConfigurationError: when a value is invalid, or no user is known.
    """

    def value(name: str) -> str:
        return parts.get(name) or environment.get(VARIABLES[name], "")

    if environment.get("PGSERVICE") and not (value("host") and value("dbname")):
        raise ConfigurationError(f"PGSERVICE names a service. {NO_SERVICES}")
    address = value("hostaddr")
    host, port = value("host") or address or "localhost", _port(value("port"))
    user = value("user") or environment.get("USER") or environment.get("LOGNAME") or ""
    if not user:
        raise ConfigurationError("No user is given. Set one in the DSN (postgresql://user@host/database) or in PGUSER.")
    database = value("dbname") or user
    check_shown({"host": host, "dbname": database, "user": user})
    ignored = sorted(name for name in parts if name not in VARIABLES)
    methods, clear_text = _login_methods(value("require_auth"))
    target = PostgresTarget(
        host="localhost" if host.startswith("/") else host,
        host_address=address or None,
        port=port,
        database=database,
        user=user,
        password=_secret(value("password")),
        ssl_mode=_ssl_mode(value("sslmode")),
        ssl_root_certificate=_root_certificate(value("sslrootcert"), environment),
        ssl_certificate=_own_file(value("sslcert"), environment, "postgresql.crt"),
        ssl_key=_own_file(value("sslkey"), environment, "postgresql.key"),
        ssl_revocation_list=_own_file(value("sslcrl"), environment, "root.crl"),
        tls_versions=_tls_versions(value("ssl_min_protocol_version"), value("ssl_max_protocol_version")),
        unix_socket=f"{host.rstrip('/')}/.s.PGSQL.{port}" if host.startswith("/") else None,
        application_name=value("application_name") or "tribal",
        connect_timeout_seconds=_seconds(value("connect_timeout")),
        options=value("options") or None,
        login_methods=methods,
        clear_text_allowed=clear_text,
        warnings=(f"Parameters of the DSN without effect here: {', '.join(ignored)}.",) if ignored else (),
    )
    if target.password is not None:
        return target
    path = Path(parts["passfile"]) if "passfile" in parts else passfile_path(environment)
    answer = find_password(path, host, port, target.database, user)
    return replace(target, password=answer.password, warnings=target.warnings + answer.warnings)


def check_shown(parts: Mapping[str, str]) -> None:
    """Refuse a host, database or user that seems to contain other parts of the DSN, since messages show them.

    Raises:
        ConfigurationError: without showing the value.
    """
    for name, what in _SHOWN.items():
        value = parts.get(name, "")
        if _CONTROL.search(value):
            raise ConfigurationError(f"The {what} contains a control character, such as NUL. Leave it out.")
        if "=" in value:
            raise ConfigurationError(
                f"The {what} contains an equals sign. Write parameters as postgresql://host/database?name=value&name=value."
            )
        if name == "host" and value and not value.startswith("/"):
            _check_host(value)


def check_values(parts: Mapping[str, str]) -> None:
    """Refuse invalid values of parameters.

    Raises:
        ConfigurationError: without showing the value.
    """
    check_shown(parts)
    _port(parts.get("port", ""))
    _ssl_mode(parts.get("sslmode", ""))
    _seconds(parts.get("connect_timeout", ""))
    _login_methods(parts.get("require_auth", ""))
    _tls_versions(parts.get("ssl_min_protocol_version", ""), parts.get("ssl_max_protocol_version", ""))
    address = parts.get("hostaddr", "")
    if address and not is_ip_address(address):
        raise ConfigurationError("hostaddr is not an IP address. Write a host name as the host of the DSN.")


def _check_host(value: str) -> None:
    if "," in value:
        raise ConfigurationError("There are several hosts. Give one: documentation is read from one server.")
    if not _HOST.match(value) and not is_ip_address(value, 6):
        raise ConfigurationError(
            "The host is not a host name, an IP address or a socket folder. Write only the host, such as "
            "db.example.com; user, password and database go elsewhere."
        )


def is_ip_address(text: str, version: int | None = None) -> bool:
    """Whether a text is an IP address, of a version or of any; an IPv6 address may have a zone."""
    try:
        return ipaddress.ip_address(text).version == version or version is None
    except ValueError:
        return False


def _secret(text: str) -> SecretStr | None:
    if "\x00" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise ConfigurationError("The password contains a NUL character or is not UTF-8. No server accepts that.")
    return SecretStr(text) if text else None


def _login_methods(text: str) -> tuple[frozenset[LoginMethod] | None, bool]:
    """The methods of `require_auth`, and whether it names plain-text passwords."""
    if not text:
        return None, False
    names = {name.strip() for name in text.split(",")}
    excluded = {name.removeprefix("!") for name in names if name.startswith("!")}
    known = frozenset(LOGIN_METHODS)
    if len(excluded) not in (0, len(names)) or not (excluded or names) <= known:
        raise ConfigurationError(
            f"require_auth is a comma-separated list of allowed methods or, each prefixed with !, of methods "
            f"that are not allowed. The methods are {', '.join(LOGIN_METHODS)}."
        )
    if excluded:
        return known - excluded, False
    return frozenset(method for method in LOGIN_METHODS if method in names), "password" in names


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
    raise ConfigurationError(f"sslmode must be one of {', '.join(SSL_MODES)}.")


def _tls_versions(oldest: str, newest: str) -> tuple[TlsVersion | None, TlsVersion | None]:
    def version(text: str, default: TlsVersion | None) -> TlsVersion | None:
        for known in TLS_VERSIONS:
            if known.lower() == (text or default or "").lower():
                return known
        if not text:
            return None
        raise ConfigurationError(
            f"ssl_min_protocol_version and ssl_max_protocol_version must be one of {', '.join(TLS_VERSIONS)}."
        )

    found = version(oldest, "TLSv1.2"), version(newest, None)
    if found[1] is not None and TLS_VERSIONS.index(found[1]) < TLS_VERSIONS.index(found[0] or "TLSv1"):
        raise ConfigurationError("ssl_max_protocol_version is older than ssl_min_protocol_version.")
    return found


def _root_certificate(text: str, environment: Mapping[str, str]) -> Path | Literal["system"] | None:
    return "system" if text == "system" else _own_file(text, environment, "root.crt")


def _own_file(text: str, environment: Mapping[str, str], default: str) -> Path | None:
    """The named file, else libpq's default in the home directory if that exists."""
    if _CONTROL.search(text):
        raise ConfigurationError("The path of a certificate or key contains a control character. Leave it out.")
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
    # In libpq, 0 or less means to wait forever; here, the configured limit applies.
    return seconds if seconds > 0 else None
