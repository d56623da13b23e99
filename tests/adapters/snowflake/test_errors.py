"""What each number of Snowflake's errors means to us: the class, the host, and what to do next."""

from __future__ import annotations

from snowflake.connector.errors import DatabaseError as ServerError
from snowflake.connector.errors import Error, InternalError, OperationalError, ProgrammingError

from tests.cases import each_case
from tribal.adapters.snowflake.connections.errors import login_error, number_of, statement_error, will_pass
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
from tribal.settings.snowflake.target import SnowflakeTarget

_TARGET = SnowflakeTarget(account="org-acct", database="SHOP", login="key_pair", user="READER", warehouse="WH")
_HOST = "org-acct.snowflakecomputing.com"
_QUOTED = "Numeric value 'hers@example.com' is not recognized"


@each_case(
    ("number", "message", "kind", "advice"),
    [
        (390100, "Incorrect username or password was specified.", LoginRefused, "Check user and secret"),
        (390144, "JWT token is invalid.", LoginRefused, "public key"),
        (390189, "Role 'X' is not granted to this user.", LoginRefused, "name of the role"),
        (390197, "Multi-factor authentication is required.", LoginRefused, "second factor is required"),
        (394508, "TOTP is required.", LoginRefused, "second factor is required"),
        (390422, "IP is not allowed to access Snowflake.", LoginRefused, "network policy"),
        (390999, "Something new.", LoginRefused, "Check user, secret and role"),
        (250001, "Authentication failed. Unspecified", LoginRefused, "whole PEM file"),
        (251007, "Invalid value '(redacted)' for parameter 'private_key'", LoginRefused, "whole PEM file"),
        (14, "login timed out after 10s", DatabaseUnreachable, "limits.connect_timeout_seconds"),
        (250001, "Invalid Snowflake response. end of file", DatabaseUnreachable, "Check account, host and proxy"),
        (250001, "HTTP request failed after retries: last status 503 X", ServerUnavailable, "Try again later"),
        (250001, "HTTP request failed after retries: last status 429 X", ServerUnavailable, "Try again later"),
        (250001, "HTTP request failed after retries: reset", DatabaseUnreachable, "Check network and proxy"),
    ],
)
def test_a_login_that_failed(number: int, message: str, kind: type[DatabaseError], advice: str) -> None:
    error = login_error(ServerError(message, errno=number), _TARGET, 10)
    assert type(error) is kind
    assert _HOST in error.message
    assert advice in error.message


@each_case(
    ("cause", "kind", "advice"),
    [
        (ProgrammingError("Table 'X' does not exist or not authorized.", errno=2003), AccessDenied, "may not see it"),
        (ProgrammingError("Object does not exist.", errno=2043), AccessDenied, "may not see it"),
        (ProgrammingError("Insufficient privileges", errno=3001), AccessDenied, "a privilege is missing"),
        (ProgrammingError("No active warehouse", errno=606), AccessDenied, "GRANT USAGE ON WAREHOUSE"),
        (ProgrammingError("Quota exceeded", errno=90073), ServerUnavailable, "'WH' is not running"),
        (ProgrammingError("too much data", errno=90030), DatabaseError, "does not fit in one response"),
        (ProgrammingError("max number of rows", errno=90153), DatabaseError, "does not fit in one response"),
        (ProgrammingError("canceled", errno=604), StatementConflict, "Try again"),
        (ProgrammingError("timeout", errno=630), StatementTimedOut, "raise the limit"),
        (OperationalError("timed out", errno=14, sqlstate="HYT00"), StatementTimedOut, "raise the limit"),
        (TimeoutError(), StatementTimedOut, "raise the limit"),
        (ProgrammingError("Session no longer exists.", errno=390111), ConnectionLost, "Try again"),
        (ProgrammingError("Authentication token has expired.", errno=390114), ConnectionLost, "Try again"),
        (InternalError("Invalid Snowflake response. EOF", errno=6), ConnectionLost, "Try again"),
        (OperationalError("HTTP request failed: last status 429 X", errno=4), ServerUnavailable, "Try again later"),
        (OperationalError("HTTP request failed: last status 503 X", errno=4), ServerUnavailable, "Try again later"),
        (OperationalError("HTTP request failed: reset", errno=4), ConnectionLost, "Try again"),
        (ProgrammingError(_QUOTED, errno=100038), DatabaseError, "may quote a row"),
    ],
)
def test_a_statement_that_failed(cause: Exception, kind: type[DatabaseError], advice: str) -> None:
    error = statement_error(cause, "sampling 'SALES.ONE'", _TARGET, 5)
    assert type(error) is kind
    assert _HOST in error.message
    assert advice in error.message
    assert "hers@example.com" not in error.message
    assert number_of(error) == (cause.errno if isinstance(cause, Error) else -1)


@each_case(("number", "passes"), [(390111, True), (6, True), (4, True), (630, False), (2003, False)])
def test_only_what_may_pass_is_tried_again(number: int, passes: bool) -> None:
    error = statement_error(ProgrammingError("Planted.", errno=number), "reading", _TARGET, 5)
    error.__cause__ = ConnectionError()
    assert will_pass(error) == passes


def test_a_host_that_does_not_know_the_account_is_not_asked_again() -> None:
    message = "Invalid Snowflake response. Snowflake responded with error status: 404 Not Found"
    error = login_error(ServerError(message, errno=250001), _TARGET, 10)
    error.__cause__ = ConnectionError()
    assert "HTTP 404" in error.message
    assert not will_pass(error)
