"""Reads Snowflake's connection URLs and entries, but no files or variables of Snowflake's own tools."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import cast, get_args
from urllib.parse import quote, urlencode

from pydantic import SecretStr

from tribal.errors import ConfigurationError
from tribal.identity.expansion import names_several
from tribal.settings.snowflake.target import (
    DOMAIN,
    HTTPS_PORT,
    SNOWFLAKE_LOGINS,
    SnowflakeLogin,
    SnowflakeTarget,
    WorkloadProvider,
)
from tribal.settings.urls import (
    IN_NAME,
    IN_VALUE,
    Url,
    decoded,
    special_character,
    split_url,
    with_other_password,
)
from tribal.sql.dialect import stored_name
from tribal_contracts import DatabaseEntry

_SCHEME = re.compile(r"snowflake://", re.IGNORECASE)
EXAMPLE = "snowflake://user@account/DATABASE?role=R&warehouse=W&private_key_secret=NAME"
_PARAMETERS = (
    "role warehouse auth private_key_secret private_key_file passphrase_secret token_secret workload_provider host "
    "port protocol proxy_host proxy_port password"
).split()
_ACCOUNT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*\Z")
_HOST = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*\Z")
_HERE = ("127.0.0.1", "localhost")
_NOTHING: Mapping[str, str] = MappingProxyType({})
_HOW = (
    "name a private key with private_key_secret or private_key_file, a token with token_secret and auth: oauth or "
    "programmatic_token, or workload_provider: aws"
)
_ABOUT_TO_CLOSE = (
    "Snowflake is ending password-only logins for service users; create a key pair and name it with private_key_secret"
)


def parse_snowflake_dsn(text: str, *, overrides: Mapping[str, str] = _NOTHING) -> SnowflakeTarget:
    """Read `snowflake://user@account/DATABASE?role=R&warehouse=W`.

    Args:
        text: the URL.
        overrides: values that take precedence, by the names of parameters, with `account`, `user` and `database`.

    Raises:
        ConfigurationError: when it is invalid; the message says what to write and never shows a password.
    """
    return _target({**_parts(text), **overrides})


def snowflake_entry_target(entry: DatabaseEntry) -> SnowflakeTarget:
    """The target of an entry in `databases.yaml`: its DSN, overridden by the entry's other fields.

    Raises:
        ConfigurationError: when it cannot be read.
    """
    several = names_several(entry)
    fields = {
        "account": entry.account,
        "database": None if several or not isinstance(entry.database, str) else entry.database,
        "user": entry.user,
        "password": None if entry.password is None else entry.password.get_secret_value(),
        "host": entry.host,
        "port": None if entry.port is None else str(entry.port),
        **{name: getattr(entry, name) for name in _OF_ENTRIES},
    }
    overrides = {name: value for name, value in fields.items() if value}
    parts = {} if entry.dsn is None else _parts(entry.dsn.get_secret_value())
    return _target({**parts, **overrides}, several=several, password_secret=entry.password_secret)


_OF_ENTRIES = (
    "role warehouse auth private_key_secret private_key_file passphrase_secret token_secret workload_provider".split()
)


def check_snowflake_dsn(text: str) -> None:
    """Refuse an invalid URL.

    Raises:
        ConfigurationError: as `parse_snowflake_dsn` does.
    """
    _parts(text)


def named_database(text: str, environment: Mapping[str, str]) -> str:  # noqa: ARG001 - one signature for all
    """The database that a URL names, as it is stored; empty when it names none.

    Raises:
        ConfigurationError: when the URL cannot be read.
    """
    return stored_name(_parts(text).get("database", ""), "snowflake")


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


def portable(text: str, environment: Mapping[str, str]) -> str:  # noqa: ARG001 - one signature for all
    """The URL without its password.

    Raises:
        ConfigurationError: when the URL cannot be read.
    """
    parts = _parts(text)
    parts.pop("password", None)
    user, account, database = (parts.pop(name, "") for name in ("user", "account", "database"))
    login = f"{quote(user, safe='')}@" if user else ""
    query = urlencode(parts, quote_via=quote)
    return f"snowflake://{login}{quote(account)}/{quote(database, safe='')}{'?' * bool(query)}{query}"


def _split(text: str) -> Url:
    return split_url(text, _SCHEME, f"The DSN of a Snowflake database starts with snowflake://, for example {EXAMPLE}.")


def _parts(text: str) -> dict[str, str]:
    """The pieces of a URL and its parameters, decoded; empty ones are left out."""
    url = _split(text)
    path = decoded(url.path or "").strip("/")
    if "/" in path:
        raise ConfigurationError(
            "The DSN names a schema below the database. Give only the database, and select schemas with `include` in "
            "databases.yaml."
        )
    if IN_NAME.search(url.user):
        raise special_character("The user of the DSN")
    if ":" in url.where:
        raise ConfigurationError(f"The DSN has a port after the account. Write {EXAMPLE}.")
    parts = {
        "account": decoded(url.where),
        "user": decoded(url.user),
        "password": decoded(url.password),
        "database": path,
    }
    for name, value in url.pairs:
        parts.update(_parameter(decoded(name), value))
    return {name: value for name, value in parts.items() if value}


def _parameter(name: str, value: str | None) -> dict[str, str]:
    if name not in _PARAMETERS:
        close = difflib.get_close_matches(name, _PARAMETERS, n=1) if value is not None and len(name) < 40 else []
        hint = f" Did you mean {close[0]}?" if close else ""
        raise ConfigurationError(
            f"The DSN has an unknown parameter.{hint} Known parameters: {', '.join(sorted(_PARAMETERS))}. Write & in "
            "a password as %26."
        )
    if name != "password" and IN_VALUE.search(value or ""):
        raise special_character(f"The parameter {name} of the DSN")
    return {name: decoded(value or "")}


def _target(parts: Mapping[str, str], *, several: bool = False, password_secret: str | None = None) -> SnowflakeTarget:
    account = parts.get("account", "").removesuffix(f".{DOMAIN}")
    if not _ACCOUNT.match(account):
        raise ConfigurationError(
            "the Snowflake account is missing or invalid; it is the part before .snowflakecomputing.com, such as "
            "myorg-account1"
        )
    database = stored_name(parts.get("database", ""), "snowflake")
    if not database and not several:
        raise ConfigurationError(f"no database is given; write {EXAMPLE}")
    login = _login(parts, password_secret)
    if parts.get("user") is None and login != "workload_identity":
        raise ConfigurationError(f"no user is given; write {EXAMPLE}")
    provider = parts.get("workload_provider")
    secret_name = {
        "key_pair": parts.get("private_key_secret"),
        "password": password_secret,
    }.get(login, parts.get("token_secret"))
    target = SnowflakeTarget(
        account=account,
        database=database,
        login=login,
        user=parts.get("user"),
        role=stored_name(parts["role"], "snowflake") if "role" in parts else None,
        warehouse=stored_name(parts["warehouse"], "snowflake") if "warehouse" in parts else None,
        secret=SecretStr(parts["password"]) if login == "password" and "password" in parts else None,
        secret_name=secret_name,
        passphrase_name=parts.get("passphrase_secret"),
        key_file=Path(parts["private_key_file"]).expanduser() if "private_key_file" in parts else None,
        workload_provider=_provider(provider) if login == "workload_identity" else None,
        warnings=(_ABOUT_TO_CLOSE,) if login == "password" else (),
    )
    return _placed(target, parts)


def _placed(target: SnowflakeTarget, parts: Mapping[str, str]) -> SnowflakeTarget:
    """The target with host, port, protocol and proxy."""
    host, protocol = parts.get("host"), parts.get("protocol", "https")
    for name in ("host", "proxy_host"):
        if name in parts and not _HOST.match(parts[name]):
            raise ConfigurationError(f"{name} is not a host name; write one such as x.privatelink.{DOMAIN}")
    if protocol not in ("https", "http"):
        raise ConfigurationError("protocol must be https, or http for a server on this machine")
    if protocol == "http" and parts.get("proxy_host", host) not in _HERE:
        raise ConfigurationError("protocol http sends secrets unencrypted; use it only for a server on this machine")
    return replace(
        target,
        host=host,
        port=_port(parts, "port") or HTTPS_PORT,
        protocol="http" if protocol == "http" else "https",
        proxy_host=parts.get("proxy_host"),
        proxy_port=_port(parts, "proxy_port"),
    )


def _port(parts: Mapping[str, str], name: str) -> int | None:
    if name not in parts:
        return None
    if not (parts[name].isdecimal() and 0 < int(parts[name]) < 65536):
        raise ConfigurationError(f"{name} is not a number from 1 to 65535")
    return int(parts[name])


def _login(parts: Mapping[str, str], password_secret: str | None) -> SnowflakeLogin:
    """The login method, as configured or inferred from the given secrets."""
    said = parts.get("auth")
    has_key = "private_key_secret" in parts or "private_key_file" in parts
    if said is not None:
        found = next((login for login in SNOWFLAKE_LOGINS if login == said), None)
        if found is None:
            raise ConfigurationError(f"auth must be one of {', '.join(SNOWFLAKE_LOGINS)} for Snowflake")
    elif "workload_provider" in parts:
        found = "workload_identity"
    elif has_key:
        found = "key_pair"
    elif "password" in parts or password_secret is not None:
        found = "password"
    elif "token_secret" in parts:
        raise ConfigurationError("token_secret may be of two kinds; add auth: oauth or auth: programmatic_token")
    else:
        raise ConfigurationError(f"no login method for Snowflake; {_HOW}")
    needed = {
        "key_pair": has_key,
        "workload_identity": "workload_provider" in parts,
        "password": "password" in parts or password_secret is not None,
    }.get(found, "token_secret" in parts)
    if not needed:
        raise ConfigurationError(f"auth: {found} needs more settings; {_HOW}")
    if found == "workload_identity" and parts["workload_provider"] == "oidc" and "token_secret" not in parts:
        raise ConfigurationError("workload_provider: oidc needs token_secret, the name of the secret with the token")
    return found


def _provider(name: str | None) -> WorkloadProvider:
    for known in get_args(WorkloadProvider):
        if name == known:
            return cast(WorkloadProvider, known)
    raise ConfigurationError("workload_provider must be aws or oidc")
