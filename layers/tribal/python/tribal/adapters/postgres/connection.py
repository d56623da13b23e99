"""One connection to PostgreSQL: connecting, TLS with libpq's semantics, login, and statements with a timeout."""

from __future__ import annotations

import socket
import ssl
import struct
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal

from pg8000.exceptions import DatabaseError as ServerError
from pg8000.native import Connection
from pydantic import SecretStr
from scramp import ScramException

from tribal.adapters.postgres.errors import (
    BAD_LOGIN,
    BROKEN_PROTOCOL,
    broken_connection,
    login_error,
    sqlstate,
    statement_error,
    without_words,
)
from tribal.adapters.postgres.login import LoginGuard
from tribal.errors import DatabaseUnreachable, LoginRefused

if TYPE_CHECKING:
    from tribal.settings.postgres_target import PostgresTarget, SslMode

Row = list[Any]
_Tls = Literal["never", "if offered", "always"]

_TLS_REQUEST = struct.pack("!ii", 8, 80877103)

# As in libpq, the second mode is tried when the server has no pg_hba.conf entry for the first.
_ATTEMPTS: dict[SslMode, tuple[_Tls, ...]] = {
    "disable": ("never",),
    "allow": ("never", "always"),
    "prefer": ("if offered", "never"),
    "require": ("always",),
    "verify-ca": ("always",),
    "verify-full": ("always",),
}


class _AttentiveConnection(Connection):  # type: ignore[misc]  # pg8000 has no types
    """Keeps the server's last error: pg8000 loses an error after which the server closes the connection.

    Answers an authentication request only when the guard agrees, whenever it comes.
    """

    last_error: ServerError | None = None

    def __init__(self, guard: LoginGuard, user: str, **options: Any) -> None:
        self._guard = guard
        super().__init__(user, **options)

    def handle_AUTHENTICATION_REQUEST(self, data: bytes, context: Any) -> None:  # noqa: N802 - pg8000's name
        self._guard.check(struct.unpack_from("!i", data)[0])
        super().handle_AUTHENTICATION_REQUEST(data, context)

    def handle_ERROR_RESPONSE(self, data: bytes, context: Any) -> None:  # noqa: N802 - pg8000's name
        super().handle_ERROR_RESPONSE(data, context)
        self.last_error = context.error


class PostgresConnection:
    """A logged-in connection; `broken` once it must not be used again."""

    def __init__(self, target: PostgresTarget, connection: _AttentiveConnection, line: socket.socket) -> None:
        self._target = target
        self._connection = connection
        self._line = line
        self.broken = False

    def run(self, sql: str, *parameters: str, doing: str, timeout_seconds: float) -> list[Row]:
        """Send one statement, with `$1` and so on for the parameters, and fetch its rows.

        Raises:
            ConnectionLost: when there was no answer in time, or the connection broke; sets `broken`.
            DatabaseError: or a subclass, according to the server's SQLSTATE.
        """
        try:
            self._line.settimeout(timeout_seconds)
            self._connection.last_error = None
            named = {f"p{number}": value for number, value in enumerate(parameters, start=1)}
            return self._connection.run(sql, **named) or []
        except ServerError as error:
            raise statement_error(error, doing, self._target) from without_words(error)
        except (OSError, struct.error, *BROKEN_PROTOCOL) as error:
            last_words = self._connection.last_error
            self.close()
            if last_words is not None:
                raise statement_error(last_words, doing, self._target) from without_words(last_words)
            raise broken_connection(error, doing, self._target) from without_words(error)
        except BaseException:
            # Interrupted in the middle of a response: the protocol state is unknown.
            self.close()
            raise

    def close(self) -> None:
        """Terminate the session if the server still responds, and close; idempotent."""
        self.broken = True
        with suppress(OSError, *BROKEN_PROTOCOL):
            self._line.settimeout(1.0)
            self._connection.close()
        self._line.close()


def open_connection(target: PostgresTarget, timeout_seconds: float) -> PostgresConnection:
    """Connect and log in.

    Raises:
        DatabaseUnreachable: when nothing answers at the address, or it is not PostgreSQL.
        LoginRefused: when the server refuses this user access to this database.
    """
    *others, last = _ATTEMPTS[target.ssl_mode] if target.unix_socket is None else ("never",)
    for tls in others:
        try:
            return _log_in(target, tls, timeout_seconds)
        except LoginRefused as error:
            if sqlstate(error) != BAD_LOGIN:
                raise
    return _log_in(target, last, timeout_seconds)


def _log_in(target: PostgresTarget, tls: _Tls, timeout_seconds: float) -> PostgresConnection:
    line: socket.socket | None = None
    guard = LoginGuard(target)
    try:
        line = _dial(target, timeout_seconds)
        if tls != "never":
            line = _start_tls(line, target, tls)
        # With no password pg8000 itself fails; with an empty one the server reports what is missing.
        password = (target.password or SecretStr("")).get_secret_value()
        startup = {"client_encoding": "UTF8"}
        if target.options is not None:
            startup["options"] = target.options
        connection = _AttentiveConnection(
            guard,
            target.user,
            database=target.database,
            password=password,
            sock=line,
            ssl_context=False,
            application_name=target.application_name,
            startup_params=startup,
        )
    except (DatabaseUnreachable, LoginRefused):
        _hang_up(line)
        raise
    except (OSError, struct.error, ServerError, ScramException, *BROKEN_PROTOCOL) as error:
        _hang_up(line)
        # Where the server hung up first, pg8000's complaint about that hides why the login was broken off.
        raise guard.refusal or login_error(error, target, timeout_seconds) from without_words(error)
    except BaseException:
        _hang_up(line)
        raise
    return PostgresConnection(target, connection, line)


def _hang_up(line: socket.socket | None) -> None:
    if line is not None:
        line.close()


def _dial(target: PostgresTarget, timeout_seconds: float) -> socket.socket:
    if target.unix_socket is not None:
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            line.settimeout(timeout_seconds)
            line.connect(target.unix_socket)
        except BaseException:
            line.close()
            raise
        return line
    line = socket.create_connection((target.host, target.port), timeout_seconds)
    line.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return line


def _start_tls(line: socket.socket, target: PostgresTarget, tls: _Tls) -> socket.socket:
    line.sendall(_TLS_REQUEST)
    answer = line.recv(1)
    if answer == b"S":
        return _tls_context(target).wrap_socket(line, server_hostname=target.host)
    if answer != b"N":
        raise ValueError("the answer to a request for TLS is S or N")
    if tls == "always":
        line.close()
        raise LoginRefused(
            f"{target.place} does not offer TLS, and sslmode is {target.ssl_mode}. Turn TLS on at the server, or "
            "allow a connection that can be listened to with sslmode=prefer.",
            context=target.as_context(),
        )
    return line


def _present_certificate(context: ssl.SSLContext, target: PostgresTarget) -> None:
    if target.ssl_certificate is None:
        return
    try:
        # Pass an empty password so that OpenSSL does not prompt for one in the middle of a run.
        context.load_cert_chain(target.ssl_certificate, target.ssl_key, password="")
    except (OSError, ssl.SSLError) as error:
        raise LoginRefused(
            f"The client certificate {str(target.ssl_certificate)!r} cannot be used for {target.place}. Check that "
            "sslcert and sslkey name a certificate and its key, which may have no passphrase.",
            context=target.as_context(),
        ) from error


def _tls_context(target: PostgresTarget) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    certificate = target.ssl_root_certificate
    _present_certificate(context, target)
    # Like libpq, verify the certificate under sslmode=require too if a root certificate is given.
    verify = target.ssl_mode.startswith("verify") or (target.ssl_mode == "require" and certificate is not None)
    context.check_hostname = target.ssl_mode == "verify-full"
    if not verify:
        context.verify_mode = ssl.CERT_NONE
    elif certificate is None or certificate == "system":
        context.load_default_certs()
    else:
        try:
            context.load_verify_locations(cafile=certificate)
        except (OSError, ssl.SSLError) as error:
            raise LoginRefused(
                f"The certificates in {str(certificate)!r} cannot be read, so that {target.place} cannot be verified. "
                "Check sslrootcert.",
                context=target.as_context(),
            ) from error
    return context
