"""Translates errors of the driver and the server.

A server error has a primary message and details; the details quote rows and are never used. The primary message may
quote a value too, in whatever language the server speaks: it is shown only where the SQLSTATE says that it is about
structure, rights or the server itself, and where no function raised it; redacted and truncated even then.
"""

from __future__ import annotations

import re
import socket
import ssl
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import scramp
from pg8000.exceptions import DatabaseError as ServerError
from pg8000.exceptions import InterfaceError

from tribal.adapters.postgres.connections.line import AnswerTooLarge
from tribal.errors import (
    AccessDenied,
    ConnectionLost,
    DatabaseError,
    DatabaseUnreachable,
    LoginRefused,
    StatementConflict,
    StatementTimedOut,
    TableGone,
)
from tribal.masking import redact_text
from tribal.sql.dialect import quote_identifier

if TYPE_CHECKING:
    from tribal.settings.postgres_target import PostgresTarget


_MESSAGE_LENGTH = 300

BAD_PASSWORD = "28P01"  # noqa: S105 - an SQLSTATE
BAD_LOGIN = "28000"
NO_DATABASE = "3D000"
DENIED = "42501"
NO_TABLE = "42P01"
NO_SCHEMA = "3F000"
NO_COLUMN = "42703"
CANCELLED = "57014"
LOCK_NOT_GRANTED = "55P03"
PROTOCOL = "08P01"
CONFLICTS = ("40001", "40P01")
"""Conflict with a replica's replay, and deadlock."""
_REFUSED_PARAMETER = "unsupported startup parameter"
NOT_TEXT = ("22021", "22P05")
"""A byte that the encoding of the database does not define, or a character that UTF-8 lacks."""

_SHOWN_CLASSES = frozenset("08 0A 25 26 28 3D 3F 40 42 53 54 55 57 58".split())
"""Classes of SQLSTATE whose messages name objects, settings and limits but no values of rows."""
_SHOWN_AT_LOGIN = _SHOWN_CLASSES | {"XX"}
"""No row has been read yet, and poolers give most of their reasons as internal errors."""
_LANGUAGES = re.compile(r"pl_|plpy|plperl|pltcl|plv8|plr\b")
"""Beginnings of the names of source files of procedural languages."""
_HIDDEN_MESSAGE = "its message may quote a row and is not shown"

# Besides OSError: what pg8000 raises when the other side violates the protocol.
BROKEN_PROTOCOL = (InterfaceError, AttributeError, LookupError, ValueError, ArithmeticError, TypeError, RecursionError)


UNEXPECTED_ROWS = (AttributeError, LookupError, ValueError, TypeError)
"""Exceptions from reading rows that do not have the columns and types of the statement."""


def sqlstate(error: DatabaseError) -> str:
    """The server's five-character SQLSTATE; empty when the error is not from the server."""
    return str((error.context or {}).get("sqlstate", ""))


def is_of_an_object(error: DatabaseError) -> bool:
    """Whether the server failed because of one object, so that others can still be read."""
    passing = isinstance(error, DatabaseUnreachable | LoginRefused | ConnectionLost | StatementTimedOut)
    code = sqlstate(error)
    return bool(code) and not passing and code not in (*CONFLICTS, *NOT_TEXT)


def shown(message: str, *, redacted: bool = True) -> str:
    """A server's message on one line, truncated and redacted."""
    text = " ".join((redact_text(message) if redacted else message).split())
    text = "".join(character for character in text if character.isprintable())
    return text if len(text) <= _MESSAGE_LENGTH else text[: _MESSAGE_LENGTH - 1] + "…"


def _server_message(fields: dict[str, Any], *, at_login: bool = False) -> str:
    """What the server says, if that cannot quote a row, else a sentence of our own; starts in lower case.

    Code in a function may raise any SQLSTATE with any words. A message that passed through one has a context, and one
    that a procedural language raised is recognised by its source file.
    """
    classes = _SHOWN_AT_LOGIN if at_login else _SHOWN_CLASSES
    if str(fields.get("C", ""))[:2] not in classes or fields.get("W") or _LANGUAGES.match(str(fields.get("F", ""))):
        return _HIDDEN_MESSAGE
    # Before the first row is read, a message can only name what the user is connecting with, such as an address.
    return f"the server says: {shown(str(fields.get('M', '')), redacted=not at_login)}"


def without_message(error: BaseException) -> BaseException:
    """A replacement for a driver error as a cause: tracebacks print causes, and the driver's messages quote rows."""
    if isinstance(error, TimeoutError):
        return TimeoutError("no answer in time")
    fields = _fields(error)
    if fields is not None:
        stripped: BaseException = ServerError({"C": str(fields.get("C", ""))})
        return stripped
    return ConnectionError(type(error).__name__)


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: BaseException | None = error
    while seen is not None:
        yield seen
        seen = seen.__cause__ or seen.__context__


def _fields(error: BaseException) -> dict[str, Any] | None:
    # pg8000 tries to terminate a session that the server has already closed, which hides the server's error.
    for each in _chain(error):
        if isinstance(each, ServerError) and each.args and isinstance(each.args[0], dict):
            return each.args[0]
    return None


def login_error(error: BaseException, target: PostgresTarget, timeout_seconds: float) -> DatabaseError:
    """Translate an error from connecting or logging in."""
    fields = _fields(error)
    if fields is not None:
        return _refusal(str(fields.get("C", "")), _server_message(fields, at_login=True), target)
    context = target.as_context()
    refused = next(
        (e for e in _chain(error) if isinstance(e, scramp.ScramException | ssl.SSLCertVerificationError)), None
    )
    if isinstance(refused, ssl.SSLCertVerificationError):
        return LoginRefused(
            f"The certificate of {target.place} could not be verified ({shown(refused.verify_message)}). Name the "
            "authority that signed it with sslrootcert, or the host by the name in the certificate.",
            context=context,
        )
    if refused is not None:
        return LoginRefused(
            f"{target.place} did not prove that it knows the password of {target.user!r}. Check that this is the "
            "right server, and that the password has no characters that SCRAM forbids.",
            context=context,
        )
    return DatabaseUnreachable(_why_unreachable(error, target, timeout_seconds), context=context)


def _refusal(code: str, said: str, target: PostgresTarget) -> DatabaseError:
    context = target.as_context() | {"sqlstate": code}
    if code == BAD_PASSWORD and not (target.password and target.password.get_secret_value()):
        advice = "No password was given: set PGPASSWORD, add a line to ~/.pgpass, or put it into the DSN."
    elif code.startswith("28"):
        advice = "Check user and password, and that pg_hba.conf allows this user from here."
    elif code == NO_DATABASE:
        advice = "Check the name of the database at the end of the DSN."
    elif code == DENIED:
        database, user = quote_identifier(target.database, "postgres"), quote_identifier(target.user, "postgres")
        advice = f"Ask an administrator to run: GRANT CONNECT ON DATABASE {database} TO {user};"
    elif code == PROTOCOL and _REFUSED_PARAMETER in said:
        advice = (
            "This comes from a pooler such as PgBouncer. Remove the options from the DSN and PGOPTIONS, or ask its "
            "administrator to list them in ignore_startup_parameters."
        )
    else:
        return DatabaseUnreachable(
            f"{target.place} responded but did not accept a login to database {target.database!r} as user "
            f"{target.user!r} ({said}). Try again later.",
            context=context,
        )
    return LoginRefused(f"Login to {target} was refused ({said}). {advice}", context=context)


def _why_unreachable(error: BaseException, target: PostgresTarget, timeout_seconds: float) -> str:
    cause = next((e for e in _chain(error) if isinstance(e, OSError)), error)
    if isinstance(cause, AnswerTooLarge):
        return f"The server at {target.place} sends too much data for a login: {cause}. Check host and port."
    if isinstance(cause, socket.gaierror):
        return f"There is no host {target.host!r} ({target}). Check the spelling, and that your network knows it."
    if isinstance(cause, TimeoutError):
        return (
            f"No answer within {timeout_seconds:g} s from {target}. Check host, port and firewall, or raise "
            "limits.connect_timeout_seconds."
        )
    if isinstance(cause, ConnectionRefusedError):
        return f"Nothing listens at the address of {target}. Check host and port, and that the server is running."
    if isinstance(cause, FileNotFoundError | PermissionError):
        return (
            f"The socket of {target} cannot be opened ({cause.strerror}). Check the folder, the port and your rights."
        )
    if isinstance(cause, ssl.SSLError):
        return f"TLS with {target} failed ({shown(cause.reason or 'unknown reason')}). Check sslmode."
    if isinstance(cause, InterfaceError):
        return (
            f"The login to {target} failed: the connection was closed, or the server requires a login method other "
            "than a password (scram-sha-256, md5, password). Check that this is a PostgreSQL server, and its "
            "pg_hba.conf."
        )
    if isinstance(cause, OSError):
        return f"No connection to {target} ({cause.strerror or type(cause).__name__}). Check host, port and network."
    return f"The server at {target.place} does not use PostgreSQL's protocol. Check host and port."


def statement_error(error: ServerError, doing: str, target: PostgresTarget, *, ended: bool = False) -> DatabaseError:
    """Translate a server error in a statement; `doing` is a phrase such as "sampling 'a.b'".

    Views, functions and foreign servers raise any SQLSTATE, also those of lost connections: whether ours has `ended`,
    only its socket shows.
    """
    fields = _fields(error) or {}
    code, said = str(fields.get("C", "")), _server_message(fields)
    context = target.as_context() | {"sqlstate": code}
    where = f"of {target}"
    if code == LOCK_NOT_GRANTED:
        message = f"Gave up {doing} {where}: another session holds a lock. Try again when it has finished."
        return StatementTimedOut(message, context=context)
    if code == CANCELLED:
        message = f"Gave up {doing} {where}: it took too long ({said}). Try again, or raise the limit."
        return StatementTimedOut(message, context=context)
    if code in (NO_TABLE, NO_SCHEMA):
        return TableGone(f"Failed {doing} {where}: it no longer exists. Plan again.", context=context)
    if code == DENIED:
        return AccessDenied(f"Failed {doing} {where}: a privilege is missing ({said}).", context=context)
    if code in CONFLICTS:
        return StatementConflict(
            f"Gave up {doing} {where}: the server cancelled it for other work ({said}). Try again; on a replica, "
            "hot_standby_feedback or a longer max_standby_streaming_delay lets reads finish.",
            context=context,
        )
    if code in NOT_TEXT:
        return DatabaseError(
            f"Failed {doing} {where}: a function that the server calls for it refuses text as invalid in its encoding "
            f"(SQLSTATE {code}). Change that text.",
            context=context,
        )
    if ended:
        return ConnectionLost(f"The server ended the connection while {doing} {where} ({said}).", context=context)
    return DatabaseError(f"Failed {doing} {where} (SQLSTATE {code}; {said}).", context=context)


def timeout_behind(error: BaseException) -> TimeoutError | None:
    """The timeout that led to an error; pg8000 hides one in the middle of a message."""
    return next((each for each in _chain(error) if isinstance(each, TimeoutError)), None)


def too_large(error: AnswerTooLarge, doing: str, target: PostgresTarget) -> DatabaseError:
    """The error for an answer over the size limits."""
    return DatabaseError(
        f"Gave up {doing} of {target}: {error}. Check that this is the right server.",
        context=target.as_context(),
    )


def broken_connection(error: BaseException, doing: str, target: PostgresTarget) -> ConnectionLost:
    """Translate an error from a connection that broke or stopped responding."""
    why = "the server stopped answering" if isinstance(error, TimeoutError) else "the connection broke"
    return ConnectionLost(f"Lost {target} while {doing}: {why}. Try again.", context=target.as_context())


_Result = TypeVar("_Result")
Pause = Callable[[float], None]

RETRY_DELAYS_SECONDS = (0.2, 0.5, 1.0, 2.0)
"""Pauses before each retry; after the last one, the error is raised."""

# Restart or failover, a server that is starting up, or no free connection slots.
_PASSING = frozenset({"57P01", "57P02", "57P03", "53300"})


def with_retries(attempt: Callable[[], _Result], pause: Pause = time.sleep) -> _Result:
    """Call `attempt`, and retry after growing pauses while the server reports a transient error.

    An attempt is a whole transaction, so that a retry sees a consistent state of the database.
    """
    for seconds in RETRY_DELAYS_SECONDS:
        try:
            return attempt()
        except DatabaseError as error:
            if not _will_pass(error):
                raise
        pause(seconds)
    return attempt()


def _will_pass(error: DatabaseError) -> bool:
    if code := sqlstate(error):
        # A foreign server has restarts and limits of its own; waiting for it would hold up all other tables.
        ours = isinstance(error, ConnectionLost | DatabaseUnreachable)
        return code in CONFLICTS or (ours and code in _PASSING)
    # Retry broken connections, but not timeouts, which have waited long enough. Without a cause, the error is our own,
    # saying that the reader is closed.
    cause = error.__cause__
    return isinstance(error, ConnectionLost) and cause is not None and not isinstance(cause, TimeoutError)
