"""The one place that says what errors of Snowflake and its connector mean.

Errors carry a number. A message may quote values of rows, in errors of execution (100,000 and up): of those only the
number is shown.
"""

from __future__ import annotations

import re
import socket
from typing import TYPE_CHECKING

from tribal.errors import (
    AccessDenied,
    ConnectionLost,
    DatabaseError,
    DatabaseUnreachable,
    LoginRefused,
    ServerUnavailable,
    StatementConflict,
    StatementTimedOut,
)
from tribal.masking import redact_text

if TYPE_CHECKING:
    from pydantic import JsonValue

    from tribal.settings.snowflake.target import SnowflakeTarget

_MESSAGE_LENGTH = 300

UNKNOWN_OBJECT = frozenset({2003, 2043})
"""The object does not exist, or the role may not see it: Snowflake reports both alike."""
NO_PRIVILEGE = 3001
TOO_MANY_ROWS = frozenset({90153})
"""`SHOW` has more rows than fit in one response."""
TOO_MUCH_DATA = frozenset({90030})
"""A query of `INFORMATION_SCHEMA` returned too much at once."""
_NO_WAREHOUSE = 606
_UNUSABLE_WAREHOUSE = frozenset({90064, 90073, 90109})
_CANCELLED = 604
_STATEMENT_TIMEOUT = 630
_SESSION_OVER = frozenset({390111, 390112, 390113, 390114, 390115, 390195, 250002})
_CLIENT_TIMEOUT = 14
_NO_ANSWER = 4
_BAD_ANSWER = 6
_LOGIN_FAILED = 250001
_ARGUMENTS = frozenset({3, _LOGIN_FAILED, 251007, 251017})
"""What the connector says itself about the parameters of a login."""
_NO_ANSWER_WORDS = "HTTP request failed"
_BAD_ANSWER_WORDS = "Invalid Snowflake response"
"""How the connector's messages about these two start; at a login, both have the number of any failed login."""
_HTTP_STATUS = re.compile(r"\bstatus:? (\d{3})\b")
_BUSY = frozenset({429, 503})
_LOGINS = range(390_000, 400_000)
_NAMES_ONLY = range(100_000)
"""Errors of compilation and of the service, which name objects and limits, and no values of rows."""

_ADVICE: dict[int, str] = {
    390100: "Check user and secret, and that the user is not locked.",
    390120: "The second factor was rejected. Log in with a key pair or a workload identity, which do not need one.",
    390123: "A second factor is required. Log in with a key pair or a workload identity, which do not need one.",
    390127: "A second factor is required. Log in with a key pair or a workload identity, which do not need one.",
    390144: "Check that the user has the public key of this private key (DESCRIBE USER), and that the clock is right.",
    390186: "Check the name of the role, and that it is granted to the user.",
    390189: "Check the name of the role, and that it is granted to the user.",
    390201: "Check the names in the entry.",
    390303: "The token is not valid. Get a new one.",
    390318: "The token is no longer valid. Get a new one.",
    390422: "A network policy blocks this address. Ask an administrator to allow it.",
    394400: "The programmatic token is not valid. Create a new one.",
    394508: "A second factor is required. Log in with a key pair or a workload identity, which do not need one.",
}
_SECOND_FACTOR_WORDS = ("multi-factor", "mfa", "duo", "passcode", "second factor")
_OTHER_ADVICE = "Check user, secret and role, and the policies of the account."
_SECOND_FACTOR = _ADVICE[390127]


def number_of(error: BaseException) -> int:
    """Snowflake's error number, read from our error or the connector's; -1 if it has none."""
    if isinstance(error, DatabaseError):
        recorded = (error.context or {}).get("snowflake")
        return recorded if isinstance(recorded, int) else -1
    number = getattr(error, "errno", None)
    if number == _LOGIN_FAILED:
        message = _message(error)
        number = _NO_ANSWER if _NO_ANSWER_WORDS in message else _BAD_ANSWER if _BAD_ANSWER_WORDS in message else number
    return number if isinstance(number, int) else -1


def is_unknown_object(error: DatabaseError) -> bool:
    """Whether the object does not exist, or the role may not see it."""
    return number_of(error) in UNKNOWN_OBJECT


def is_without_warehouse(error: DatabaseError) -> bool:
    """Whether the warehouse does not exist, may not be used, or does not start."""
    return number_of(error) in {_NO_WAREHOUSE, *_UNUSABLE_WAREHOUSE}


def is_too_much(error: DatabaseError) -> bool:
    """Whether the result is too large, so that it must be requested in parts."""
    return number_of(error) in TOO_MANY_ROWS | TOO_MUCH_DATA


def will_pass(error: DatabaseError) -> bool:
    """Whether an immediate retry on a new session may succeed."""
    context = error.context or {}
    broke_off = isinstance(error, DatabaseUnreachable) and number_of(error) == _BAD_ANSWER and "http" not in context
    # Without a cause the error is our own, saying that the reader is closed.
    return broke_off or (isinstance(error, ConnectionLost) and error.__cause__ is not None)


def without_words(error: BaseException) -> BaseException:
    """Replaces an error as the cause of our own: tracebacks print causes, and servers quote data in messages."""
    number = number_of(error)
    return ConnectionError(type(error).__name__ if number < 0 else f"{type(error).__name__} {number:06d}")


def unreachable(error: BaseException, target: SnowflakeTarget, seconds: float) -> DatabaseError:
    """Say why there was no connection to the host."""
    place = target.place if target.proxy_host is None else f"{target.place} by the proxy {target.proxy_host!r}"
    host = target.proxy_host or target.server
    if isinstance(error, socket.gaierror | UnicodeError):
        why = f"There is no host {host!r} ({target}). Check the account's name, and that your network knows the host."
    elif isinstance(error, TimeoutError):
        why = (
            f"No answer within {seconds:g} s from {place} ({target}). Check account, network and firewall, or raise "
            "limits.connect_timeout_seconds."
        )
    elif isinstance(error, ConnectionRefusedError):
        why = f"Nothing listens at {place} ({target}). Check account, host, port and proxy."
    else:
        why = f"No connection to {place} ({target}): {type(error).__name__}. Check account, host, port and network."
    return DatabaseUnreachable(why, context=target.as_context())


def login_error(error: BaseException, target: SnowflakeTarget, seconds: float) -> DatabaseError:
    """Translate what the connector raised at a login."""
    number, context = number_of(error), _context(error, target)
    if number in _LOGINS:
        said = _said(error)
        asked_for_more = any(word in said.lower() for word in _SECOND_FACTOR_WORDS)
        advice = _ADVICE.get(number, _SECOND_FACTOR if asked_for_more else _OTHER_ADVICE)
        return LoginRefused(f"Login to {target} was refused ({number}; {said}). {advice}", context=context)
    if number == _NO_ANSWER:
        return _no_answer(target, context)
    if number in _ARGUMENTS:
        return LoginRefused(f"Could not log in to {target}. {_MAKE_LOGIN[target.login]}", context=context)
    if number == _CLIENT_TIMEOUT:
        return unreachable(TimeoutError(), target, seconds)
    if number == _BAD_ANSWER:
        status = f" (HTTP {context['http']})" if "http" in context else ""
        return DatabaseUnreachable(
            f"The server at {target.place} does not know the account, does not speak Snowflake's protocol, or closed "
            f"the connection{status}; {target}. Check account, host and proxy, and try again.",
            context=context,
        )
    return DatabaseUnreachable(
        f"{target.place} responded but did not accept the login ({number}; {target}). Try again later.", context=context
    )


_MAKE_LOGIN = {
    "key_pair": "Check that the private key is a whole PEM file, and that its passphrase is right.",
    "workload_identity": "Check the provider, its token or the AWS role, and that the host is Snowflake's.",
    "oauth": "Check the token.",
    "programmatic_token": "Check the token.",
    "password": "Check user and password.",
}


def statement_error(error: BaseException, doing: str, target: SnowflakeTarget, seconds: float) -> DatabaseError:
    """Translate what the connector raised at a statement; `doing` is a phrase such as "sampling 'a.b'"."""
    number, context = number_of(error), _context(error, target)
    where = f"{doing} of {target}"
    if isinstance(error, TimeoutError) or number in (_CLIENT_TIMEOUT, _STATEMENT_TIMEOUT):
        return StatementTimedOut(f"Gave up {where}: no answer within {seconds:g} s. {_RAISE}", context=context)
    if number == _CANCELLED:
        message = f"Gave up {where}: the server or an administrator cancelled it. Try again."
        return StatementConflict(message, context=context)
    if number == _NO_ANSWER:
        if context.get("http") in _BUSY:
            return _no_answer(target, context)
        return ConnectionLost(f"Lost {target} while {doing}: the connection broke. Try again.", context=context)
    if number in _SESSION_OVER or number == _BAD_ANSWER:
        why = (
            "the session has ended" if number in _SESSION_OVER else "the response was cut off or is not from Snowflake"
        )
        return ConnectionLost(f"Lost {target} while {doing}: {why}. Try again.", context=context)
    if number == _NO_WAREHOUSE:
        return AccessDenied(f"Failed {where}: {_warehouse_advice(target)}", context=context)
    if number in _UNUSABLE_WAREHOUSE:
        why = f"the warehouse {target.warehouse!r} is not running ({_said(error)})"
        return ServerUnavailable(f"Failed {where}: {why}. Ask its administrator.", context=context)
    if number == NO_PRIVILEGE:
        return AccessDenied(f"Failed {where}: a privilege is missing ({_said(error)}).", context=context)
    if number in UNKNOWN_OBJECT:
        message = f"Failed {where}: it does not exist, or the role may not see it ({_said(error)})."
        return AccessDenied(message, context=context)
    if number in TOO_MANY_ROWS | TOO_MUCH_DATA:
        return DatabaseError(
            f"Failed {where}: the result does not fit in one response ({number:06d}).", context=context
        )
    return DatabaseError(f"Failed {where} ({number:06d}; {_said(error)}).", context=context)


_RAISE = "Try again, or raise the limit; a suspended warehouse takes a while to start."


def _no_answer(target: SnowflakeTarget, context: dict[str, JsonValue]) -> DatabaseError:
    status = context.get("http")
    if status in _BUSY:
        message = f"{target.place} is overloaded (HTTP {status}; {target}). Try again later."
        return ServerUnavailable(message, context=context)
    return DatabaseUnreachable(
        f"No answer from {target.place} ({target}; {'the connection broke' if status is None else f'HTTP {status}'}). "
        "Check network and proxy, and try again.",
        context=context,
    )


def not_whole(doing: str, target: SnowflakeTarget) -> ConnectionLost:
    """The error for a result with fewer rows than announced, which the connector does not report."""
    message = f"Lost {target} while {doing}: it sent fewer rows than announced. Try again."
    return ConnectionLost(message, context=target.as_context())


def not_snowflake(doing: str, target: SnowflakeTarget) -> DatabaseError:
    """The error for a response without the fields that Snowflake sends."""
    return DatabaseError(
        f"Failed {doing} of {target}: the response is not from Snowflake. Check that this is the right server.",
        context=target.as_context(),
    )


def _warehouse_advice(target: SnowflakeTarget) -> str:
    if target.warehouse is None:
        return "it needs a warehouse, and the entry names none."
    return (
        f"the warehouse {target.warehouse!r} does not exist, or the role may not use it. Ask an administrator to run: "
        "GRANT USAGE ON WAREHOUSE; `tribal check` prints the full statement."
    )


def _context(error: BaseException, target: SnowflakeTarget) -> dict[str, JsonValue]:
    number = number_of(error)
    status = _HTTP_STATUS.search(_message(error)) if number in (_NO_ANSWER, _BAD_ANSWER) else None
    return target.as_context() | {"snowflake": number} | ({"http": int(status[1])} if status else {})


def _message(error: BaseException) -> str:
    return str(getattr(error, "raw_msg", ""))


def _said(error: BaseException) -> str:
    """What the server says, on one line and redacted, if that cannot quote a row."""
    number = number_of(error)
    if number not in _NAMES_ONLY and number not in _LOGINS:
        return "what it says may quote a row and is not repeated here"
    message = _message(error).replace("Failed to login: Login error: ", "")
    text = " ".join(redact_text(message).split())
    text = "".join(character for character in text if character.isprintable())
    return "the server says: " + (text if len(text) <= _MESSAGE_LENGTH else text[: _MESSAGE_LENGTH - 1] + "…")
