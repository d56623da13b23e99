"""One connection to PostgreSQL: connecting, TLS with libpq's semantics, login, and statements with a timeout."""

from __future__ import annotations

import socket
import ssl
import struct
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal

from pg8000.exceptions import DatabaseError as ServerError
from pg8000.native import Connection
from pydantic import SecretStr
from scramp import ScramException
from scramp.core import Password

from tribal.adapters.postgres.connections.encodings import codec_of
from tribal.adapters.postgres.connections.errors import (
    BAD_LOGIN,
    BROKEN_PROTOCOL,
    broken_connection,
    login_error,
    sqlstate,
    statement_error,
    timeout_behind,
    too_large,
    without_message,
)
from tribal.adapters.postgres.connections.line import MOST_ROWS, AnswerTooLarge, Line, PlainLine, plain_line, tls_line
from tribal.adapters.postgres.connections.login import LoginGuard
from tribal.errors import DatabaseUnreachable, LoginRefused

if TYPE_CHECKING:
    from pathlib import Path

    from tribal.settings.postgres_target import PostgresTarget, SslMode, TlsVersion

Row = list[Any]
_Tls = Literal["never", "if offered", "always"]

_UTF8 = (b"UTF8", b"UTF-8", b"UNICODE")
"""Names of UTF-8, which is requested at login."""
_AS_STORED = b"SQL_ASCII"
"""Requested by a transaction that wants the bytes as the database stores them."""
_MOST_COLUMNS = 1664
"""As many as PostgreSQL lets a statement have."""
_LENGTH = struct.Struct("!i")
_TERMINATE = b"X\x00\x00\x00\x04"
_GOODBYE_SECONDS = 1.0
_GOODBYE_BYTES = 65_536
_SASL = 10
"""The authentication request that begins SCRAM."""
_TLS_VERSIONS: dict[TlsVersion, ssl.TLSVersion] = {
    "TLSv1": ssl.TLSVersion.TLSv1,
    "TLSv1.1": ssl.TLSVersion.TLSv1_1,
    "TLSv1.2": ssl.TLSVersion.TLSv1_2,
    "TLSv1.3": ssl.TLSVersion.TLSv1_3,
}
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
    """Takes from the server what it may send, and no more than that.

    pg8000 loses an error after which the server closes the connection, keeps notices of any size, decodes text by
    whatever codec the server names, and believes the lengths inside a row. An authentication request is answered only
    when the guard agrees, whenever it comes.
    """

    password: bytes
    last_error: ServerError | None = None
    most_rows = MOST_ROWS
    lossy = False
    """Whether some bytes could not be decoded; they are lone surrogates."""
    _codec = "utf-8"
    """Encoding of texts and statements."""
    _stored_codec = "utf-8"
    """Encoding in which the database stores texts, if known."""

    def __init__(self, guard: LoginGuard, user: str, **options: Any) -> None:
        self._guard = guard
        super().__init__(user, **options)

    def handle_AUTHENTICATION_REQUEST(self, data: bytes, context: Any) -> None:  # noqa: N802 - pg8000's name
        request = struct.unpack_from("!i", data)[0]
        self._guard.check(request)
        if request != _SASL or _can_be_prepared(self.password):
            super().handle_AUTHENTICATION_REQUEST(data, context)
            return
        # Like libpq, use a password that SASLprep refuses as it is.
        password, self.password = self.password, b"replaced below"
        super().handle_AUTHENTICATION_REQUEST(data, context)
        self.password = self.auth.password = password

    def handle_ERROR_RESPONSE(self, data: bytes, context: Any) -> None:  # noqa: N802 - pg8000's name
        super().handle_ERROR_RESPONSE(data, context)
        self.last_error = context.error

    def handle_NOTICE_RESPONSE(self, data: bytes, context: Any) -> None:  # noqa: N802 - pg8000's name
        """Ignore notices."""

    def handle_NOTIFICATION_RESPONSE(self, data: bytes, context: Any) -> None:  # noqa: N802 - pg8000's name
        """Ignore notifications."""

    def handle_PARAMETER_STATUS(self, data: bytes, _: Any) -> None:  # noqa: N802 - pg8000's name
        name, _, value = data[:-1].partition(b"\0")
        if name == b"server_encoding":
            self._stored_codec = codec_of(value.decode("ascii", "replace"))
        elif name == b"client_encoding":
            if value.upper() not in (*_UTF8, _AS_STORED):
                raise ValueError("the server uses a different encoding than requested")
            self._codec = self._stored_codec if value.upper() == _AS_STORED else "utf-8"
            self._client_encoding = self._codec

    def handle_ROW_DESCRIPTION(self, data: bytes, context: Any) -> None:  # noqa: N802 - pg8000's name
        super().handle_ROW_DESCRIPTION(data, context)
        if len(context.columns) > _MOST_COLUMNS:
            raise ValueError("the server sends more columns than a statement can have")

    def handle_DATA_ROW(self, data: bytes, context: Any) -> None:  # noqa: N802 - pg8000's name
        if len(context.rows) >= self.most_rows:
            raise AnswerTooLarge(f"it sent more than {self.most_rows:,} rows")
        row: Row = []
        place = 2
        for read in context.input_funcs:
            (length,) = _LENGTH.unpack_from(data, place)
            place += _LENGTH.size
            if length < 0:
                row.append(None)
                continue
            end = place + length
            if end > len(data):
                raise ValueError("the server stated the length of a value wrongly")
            row.append(read(self._text(data[place:end])))
            place = end
        context.rows.append(row)

    def _text(self, data: bytes) -> str:
        try:
            return data.decode(self._codec)
        except UnicodeDecodeError:
            # SQL_ASCII holds any bytes, and other encodings leave some undefined: one text must not cost all others.
            self.lossy = True
            return data.decode(self._codec, "surrogateescape")


class PostgresConnection:
    """A logged-in connection; `broken` once it must not be used again."""

    def __init__(self, target: PostgresTarget, connection: _AttentiveConnection, line: Line) -> None:
        self._target = target
        self._connection = connection
        self._line = line
        self.broken = False

    @property
    def lossy(self) -> bool:
        """Whether some bytes of the texts read so far were no text; they are lone surrogates."""
        return self._connection.lossy

    def run(
        self, sql: str, *parameters: str, doing: str, timeout_seconds: float, most_rows: int = MOST_ROWS
    ) -> list[Row]:
        """Send one statement, with `$1` and so on for the parameters, and fetch its rows.

        Args:
            timeout_seconds: for the whole answer, by the clock.

        Raises:
            ConnectionLost: when there was no whole answer in time, or the connection broke; sets `broken`.
            DatabaseError: or a subclass, according to the server's SQLSTATE, or because the answer was too large.
        """
        try:
            self._line.allow(timeout_seconds)
            self._connection.last_error = None
            self._connection.most_rows = most_rows
            named = {f"p{number}": value for number, value in enumerate(parameters, start=1)}
            return self._connection.run(sql, **named) or []
        except ServerError as error:
            raise statement_error(error, doing, self._target) from without_message(error)
        except AnswerTooLarge as error:
            self._terminate(wait=False)
            raise too_large(error, doing, self._target) from error
        except (OSError, struct.error, *BROKEN_PROTOCOL) as error:
            last_words = self._connection.last_error
            self._terminate(wait=False)
            if last_words is not None:
                raise statement_error(last_words, doing, self._target, ended=True) from without_message(last_words)
            cause = timeout_behind(error) or error
            raise broken_connection(cause, doing, self._target) from without_message(cause)
        except BaseException:
            # Interrupted in the middle of a response: the protocol state is unknown.
            self._terminate(wait=False)
            raise

    def close(self) -> None:
        """Terminate the session, and close once the server has; idempotent.

        Without waiting for the server, the session would still take one of its connections when the next is opened.
        """
        self._terminate(wait=not self.broken)

    def _terminate(self, *, wait: bool) -> None:
        self.broken = True
        with suppress(OSError, *BROKEN_PROTOCOL):
            self._line.allow(_GOODBYE_SECONDS)
            self._line.sendall(_TERMINATE)
            while wait and self._line.recv(_GOODBYE_BYTES):
                pass
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
    line: Line | None = None
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
    except (OSError, struct.error, ServerError, ScramException, AnswerTooLarge, *BROKEN_PROTOCOL) as error:
        _hang_up(line)
        # Where the server hung up first, pg8000's complaint about that hides why the login was broken off.
        raise guard.refusal or login_error(error, target, timeout_seconds) from without_message(error)
    except BaseException:
        _hang_up(line)
        raise
    return PostgresConnection(target, connection, line)


def _can_be_prepared(password: bytes) -> bool:
    try:
        Password(password.decode())
    except ScramException:
        return False
    return True


def _hang_up(line: Line | None) -> None:
    if line is not None:
        line.close()


def _dial(target: PostgresTarget, timeout_seconds: float) -> PlainLine:
    """Connect; what is left of the time is for TLS and the login."""
    began = time.monotonic()
    if target.unix_socket is not None:
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            line.settimeout(timeout_seconds)
            line.connect(target.unix_socket)
        except BaseException:
            line.close()
            raise
    else:
        line = socket.create_connection((target.host_address or target.host, target.port), timeout_seconds)
        line.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return plain_line(line, timeout_seconds - (time.monotonic() - began))


def _start_tls(line: PlainLine, target: PostgresTarget, tls: _Tls) -> Line:
    line.sendall(_TLS_REQUEST)
    answer = line.recv(1)
    if answer == b"S":
        return tls_line(line, _tls_context(target), target.host)
    if answer != b"N":
        raise ValueError("the answer to a request for TLS is S or N")
    if tls == "always":
        line.close()
        raise LoginRefused(
            f"{target.place} does not offer TLS, and sslmode is {target.ssl_mode}. Enable TLS on the server, or "
            "allow an unencrypted connection with sslmode=prefer.",
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
            "sslcert and sslkey name a certificate and its key, which must not have a passphrase.",
            context=target.as_context(),
        ) from error


def _tls_context(target: PostgresTarget) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    certificate = target.ssl_root_certificate
    oldest, newest = target.tls_versions
    context.minimum_version = _TLS_VERSIONS[oldest] if oldest else ssl.TLSVersion.MINIMUM_SUPPORTED
    context.maximum_version = _TLS_VERSIONS[newest] if newest else ssl.TLSVersion.MAXIMUM_SUPPORTED
    _present_certificate(context, target)
    # Like libpq, verify the certificate under sslmode=require too if a root certificate is given.
    verify = target.ssl_mode.startswith("verify") or (target.ssl_mode == "require" and certificate is not None)
    context.check_hostname = target.ssl_mode == "verify-full"
    if not verify:
        context.verify_mode = ssl.CERT_NONE
    elif certificate is None or certificate == "system":
        context.load_default_certs()
    else:
        _load_certificates(context, certificate, "sslrootcert", target)
    if verify and target.ssl_revocation_list is not None:
        _load_certificates(context, target.ssl_revocation_list, "sslcrl", target)
        context.verify_flags |= ssl.VERIFY_CRL_CHECK_CHAIN
    return context


def _load_certificates(context: ssl.SSLContext, file: Path, parameter: str, target: PostgresTarget) -> None:
    try:
        context.load_verify_locations(cafile=file)
    except (OSError, ssl.SSLError) as error:
        raise LoginRefused(
            f"The certificates in {str(file)!r} cannot be read, so that {target.place} cannot be verified. "
            f"Check {parameter}.",
            context=target.as_context(),
        ) from error
