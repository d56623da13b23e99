"""A session with Snowflake.

Everything that the connector would take from its files, the environment or a proxy setting is given or turned off.
"""

from __future__ import annotations

import contextlib
import logging
import math
import os
import socket
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from tribal.adapters.snowflake import statements
from tribal.adapters.snowflake.connections.deadline import within
from tribal.adapters.snowflake.connections.errors import (
    login_error,
    not_snowflake,
    not_whole,
    statement_error,
    unreachable,
    without_words,
)
from tribal.errors import ConfigurationError, ConnectionLost, DatabaseError, LoginRefused, missing_package
from tribal.sql.dialect import quote_identifier

if TYPE_CHECKING:
    from pydantic import SecretStr

    from tribal.settings.snowflake.target import SnowflakeTarget

MOST_ROWS = 3_000_000
"""The most rows of one statement; as many columns are 200,000 tables of 15."""
_MARGIN_SECONDS = 0.5
"""How much longer we wait than the server may take, so that it can say itself that the time is up."""
_LOGIN = "logging in"
_LOGOUT_SECONDS = 1.0
"""How long a logout may take; the server ends a forgotten session itself."""
_SESSION_PARAMETERS = {
    "QUERY_TAG": "tribal",
    "TIMEZONE": "UTC",
    "PYTHON_CONNECTOR_QUERY_RESULT_FORMAT": "JSON",
    "CLIENT_TELEMETRY_ENABLED": False,
    "CLIENT_SESSION_KEEP_ALIVE": False,
    "DATE_OUTPUT_FORMAT": "YYYY-MM-DD",
    "TIME_OUTPUT_FORMAT": "HH24:MI:SS.FF",
    "TIMESTAMP_OUTPUT_FORMAT": "YYYY-MM-DD HH24:MI:SS.FF",
    "TIMESTAMP_NTZ_OUTPUT_FORMAT": "YYYY-MM-DD HH24:MI:SS.FF",
    "TIMESTAMP_LTZ_OUTPUT_FORMAT": "YYYY-MM-DD HH24:MI:SS.FF TZHTZM",
    "TIMESTAMP_TZ_OUTPUT_FORMAT": "YYYY-MM-DD HH24:MI:SS.FF TZHTZM",
}
_AUTHENTICATORS = {
    "key_pair": "SNOWFLAKE_JWT",
    "workload_identity": "WORKLOAD_IDENTITY",
    "oauth": "OAUTH",
    "programmatic_token": "PROGRAMMATIC_ACCESS_TOKEN",
    "password": "SNOWFLAKE",
}

RowT = TypeVar("RowT", bound=NamedTuple)


@dataclass(frozen=True, slots=True)
class Answer:
    """The rows of a statement and the position of each field: Snowflake adds fields, and promises no order."""

    rows: Sequence[tuple[Any, ...]]
    places: dict[str, int]

    def as_rows(self, kind: type[RowT]) -> list[RowT]:
        """The rows as tuples of a kind whose fields are named like the server's; others are left out.

        Raises:
            LookupError: when a field is missing that has no default.
        """
        defaults: dict[str, Any] = kind._field_defaults
        wanted = [self.places.get(name) if name in defaults else self.places[name] for name in kind._fields]
        blanks = [defaults.get(name) for name in kind._fields]
        return [
            kind._make(blank if place is None else row[place] for place, blank in zip(wanted, blanks, strict=True))
            for row in self.rows
        ]


@dataclass(frozen=True, slots=True)
class Context:
    """The user and role of a session, as the server reports them."""

    version: str
    user: str
    role: str | None
    warehouse: str | None


class SnowflakeConnection:
    """A logged-in session; `broken` once it must not be used again."""

    def __init__(self, target: SnowflakeTarget, connection: Any) -> None:
        self._target = target
        self._connection = connection
        self.broken = False
        connection.telemetry_enabled = False

    def ask(self, sql: str, doing: str, seconds: float) -> Answer:
        """Send one statement and fetch all its rows.

        Args:
            seconds: for the whole answer, by the clock; the server gets as much for the statement.

        Raises:
            ConnectionLost: when the session broke, or fewer rows arrived than announced; sets `broken`.
            StatementTimedOut: when there was no whole answer in time; sets `broken`.
        """
        try:
            return within(seconds + _MARGIN_SECONDS, lambda: self._fetch(sql, seconds, doing))
        except DatabaseError as error:
            self._note(error)
            raise
        except Exception as error:  # noqa: BLE001 - the connector raises what it likes for what a server sends
            translated = statement_error(error, doing, self._target, seconds)
            self._note(translated)
            if isinstance(error, TimeoutError):
                self.broken = True
            raise translated from without_words(error)
        except BaseException:
            self.broken = True
            raise

    def close(self) -> None:
        """Log out, without waiting for it where the session is broken; never raises."""
        seconds = 0.0 if self.broken else _LOGOUT_SECONDS
        self.broken = True
        # Whatever it raises, nothing is lost: the server ends the session itself.
        with contextlib.suppress(Exception):
            within(seconds, lambda: self._connection.close(retry=False))

    def _note(self, error: DatabaseError) -> None:
        self.broken = self.broken or isinstance(error, ConnectionLost)

    def _fetch(self, sql: str, seconds: float, doing: str) -> Answer:
        limit = max(1, math.ceil(seconds))
        with self._connection.cursor() as cursor:
            cursor.execute(sql, _statement_params={"STATEMENT_TIMEOUT_IN_SECONDS": limit})
            # Not `rowcount`, which is made up for statements of types that the connector does not know.
            announced = sum(batch.rowcount for batch in cursor.get_result_batches() or ())
            if announced > MOST_ROWS:
                raise not_snowflake(doing, self._target)
            rows = cursor.fetchall()
            if len(rows) < announced:
                raise not_whole(doing, self._target) from ConnectionError("rows are missing")
            places: dict[str, int] = {}
            for place, column in enumerate(cursor.description or ()):
                places.setdefault(column.name.lower(), place)
        return Answer(rows, places)


def open_connection(
    target: SnowflakeTarget, seconds: float, statement_seconds: float, known: Context | None = None
) -> tuple[SnowflakeConnection, Context]:
    """Log in, and give up the rights of other roles than the named one.

    Args:
        seconds: for all of that, by the clock.
        statement_seconds: the longest that a statement may take.
        known: answers of an earlier session, which are not requested again.

    Raises:
        DatabaseUnreachable: when there was no answer in time.
        LoginRefused: when there was, and it was no.
        ConfigurationError: when the connector is not installed.
    """
    connector = _connector()
    end = time.monotonic() + seconds
    host, port = target.proxy_host or target.server, target.proxy_port or target.port
    try:
        # The connector takes its whole time for a host that there is not, and does not say why.
        within(seconds, lambda: socket.create_connection((host, port), timeout=seconds).close())
    except (OSError, UnicodeError) as error:
        raise unreachable(error, target, seconds) from without_words(error)
    remaining = max(0.1, end - time.monotonic())
    arguments = _arguments(target, remaining, statement_seconds)
    try:
        return within(
            remaining, lambda: _log_in(target, connector, arguments, known), late=lambda late: late[0].close()
        )
    except DatabaseError:
        raise
    except TimeoutError as error:
        raise unreachable(error, target, seconds) from without_words(error)
    except Exception as error:  # noqa: BLE001 - the connector raises what it likes for what a server sends
        raise login_error(error, target, seconds) from without_words(error)


def _log_in(
    target: SnowflakeTarget, connector: ModuleType, arguments: dict[str, Any], known: Context | None
) -> tuple[SnowflakeConnection, Context]:
    seconds = arguments["login_timeout"]
    connection = SnowflakeConnection(target, connector.connect(**arguments))
    try:
        connection.ask(statements.NO_SECONDARY_ROLES, _LOGIN, seconds)
        return connection, known or _ask_context(connection, seconds, target)
    except BaseException:
        connection.broken = True
        connection.close()
        raise


def _ask_context(connection: SnowflakeConnection, seconds: float, target: SnowflakeTarget) -> Context:
    rows = connection.ask(statements.CONTEXT, _LOGIN, seconds).rows
    if len(rows) != 1 or len(rows[0]) != 4 or not all(isinstance(value, str | None) for value in rows[0]):
        raise not_snowflake(_LOGIN, target)
    version, user, role, warehouse = rows[0]
    context = Context(version or "", user or "", role, warehouse)
    if target.role is not None and context.role != target.role:
        raise LoginRefused(
            f"Login to {target} got the role {context.role!r} instead of {target.role!r}. Check the name of the "
            "role, and that it is granted to the user.",
            context=target.as_context(),
        )
    return context


def _connector() -> ModuleType:
    # Otherwise it asks the services of three clouds, such as STS, where it runs, and reports that to Snowflake.
    os.putenv("SNOWFLAKE_DISABLE_PLATFORM_DETECTION", "true")
    try:
        import snowflake.connector
    except ImportError as error:
        raise ConfigurationError(
            missing_package("snowflake-connector-python", "reading Snowflake", "snowflake")
        ) from error
    # It logs failed lookups on this machine, and warns about changes of its own classes.
    logging.getLogger("snowflake.connector").setLevel(logging.CRITICAL)
    warnings.filterwarnings("ignore", category=FutureWarning, module=r"snowflake\.connector")
    return snowflake.connector


def _arguments(target: SnowflakeTarget, seconds: float, statement_seconds: float) -> dict[str, Any]:
    login, statement = max(1, math.ceil(seconds)), math.ceil(statement_seconds + _MARGIN_SECONDS)
    return {
        "account": target.account,
        "host": target.server,
        "port": target.port,
        "protocol": target.protocol,
        "user": target.user,
        "role": _named(target.role),
        "warehouse": _named(target.warehouse),
        "application": "tribal",
        "session_parameters": {**_SESSION_PARAMETERS, "STATEMENT_TIMEOUT_IN_SECONDS": statement},
        "login_timeout": login,
        "query_timeout": statement,
        "request_timeout": login,
        "logout_total_timeout_seconds": 1,
        "logout_max_attempts": 1,
        "enable_server_session_keep_alive_auto_detection": False,
        "server_session_keep_alive": False,
        "client_store_temporary_credential": False,
        "validate_default_parameters": False,
        "auto_cleanup": False,
        **_proxy(target),
        **_credentials(target),
    }


def _named(name: str | None) -> str | None:
    """A name as the login takes it: in capitals unless it is in quotes."""
    return None if name is None else quote_identifier(name, "snowflake")


def _proxy(target: SnowflakeTarget) -> dict[str, Any]:
    if target.proxy_host is None:
        return {"use_proxy_env": False}
    return {"use_proxy_env": False, "proxy_host": target.proxy_host, "proxy_port": target.proxy_port}


def _credentials(target: SnowflakeTarget) -> dict[str, Any]:
    shared = {"authenticator": _AUTHENTICATORS[target.login]}
    secret = _revealed(target.secret)
    if target.login == "key_pair":
        passphrase = _revealed(target.passphrase)
        return shared | {"private_key": secret} | ({"private_key_password": passphrase} if passphrase else {})
    if target.login == "workload_identity":
        provider = (target.workload_provider or "aws").upper()
        return shared | {"workload_identity_provider": provider} | ({"token": secret} if secret else {})
    return shared | {"password" if target.login == "password" else "token": secret}


def _revealed(secret: SecretStr | None) -> str | None:
    return None if secret is None else secret.get_secret_value()
