"""Errors of statements and sessions, by Snowflake's numbers, each with where it stands.

Numbers without an address are by the issue that asked for this fake; no page of the vendor lists them all.
"""

from __future__ import annotations


class SqlError(Exception):
    """A statement that failed, as the answer tells it."""

    def __init__(self, code: str, state: str, message: str) -> None:
        super().__init__(f"{code} ({state}): {message}")
        self.code = code
        self.state = state
        self.message = message


class LoginError(Exception):
    """A log-in or a token that was refused."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


def syntax_error(position: int, unexpected: str) -> SqlError:
    """What is not in the grammar."""
    text = f"SQL compilation error:\nsyntax error line 1 at position {position} unexpected '{unexpected}'."
    return SqlError("001003", "42000", text)


def missing(kind: str, name: str) -> SqlError:
    """An object that is not there, or that the role may not see: one error for both.

    https://community.snowflake.com/s/article/SQL-compilation-error-object-does-not-exist-or-not-authorized
    """
    return SqlError("002003", "02000", f"SQL compilation error:\n{kind} '{name}' does not exist or not authorized.")


def missing_scope() -> SqlError:
    """The database or schema of a SHOW that is not there, or that the role may not see.

    https://docs.snowflake.com/en/sql-reference/sql/show-indexes (the message); dbt-snowflake and snowflake-cli rely on
    the number.
    """
    text = "SQL compilation error:\nObject does not exist, or operation cannot be performed."
    return SqlError("002043", "02000", text)


def no_privilege(kind: str, name: str) -> SqlError:
    """An object that the role may see, and not use so."""
    text = f"SQL access control error:\nInsufficient privileges to operate on {kind.lower()} '{name}'"
    return SqlError("003001", "42501", text)


def too_many_rows(most: int) -> SqlError:
    """That it is an error: https://docs.snowflake.com/en/sql-reference/sql/show-tables ; the number is the issue's."""
    text = (
        f"The result set size exceeded the max number of rows({most}) supported for SHOW statements."
        " Use LIMIT option to limit result set to a smaller number."
    )
    return SqlError("090153", "22000", text)


def too_much_data() -> SqlError:
    """INFORMATION_SCHEMA was asked for more than it gives."""
    text = "Information schema query returned too much data. Please repeat query with more selective predicates."
    return SqlError("090030", "22000", text)


def no_warehouse() -> SqlError:
    """https://docs.snowflake.com/en/user-guide/warehouses-tasks ; number and state as snowflake-cli knows them.

    A warehouse that is suspended and does not resume by itself is not active either.
    """
    text = (
        "No active warehouse selected in the current session."
        "  Select an active warehouse with the 'use warehouse' command.\n"
    )
    return SqlError("000606", "57P03", text)


def cannot_resume(warehouse: str) -> SqlError:
    """https://docs.snowflake.com/en/user-guide/resource-monitors ; the number is in rudder-server's list of errors."""
    text = f"Warehouse '{warehouse}' cannot be resumed because resource monitor 'QUOTA' has exceeded its quota."
    return SqlError("090073", "22000", text)


def cancelled() -> SqlError:
    """Someone ended the query."""
    return SqlError("000604", "57014", "SQL execution canceled")


def timed_out(seconds: float) -> SqlError:
    """https://docs.snowflake.com/en/sql-reference/parameters#statement-timeout-in-seconds"""
    text = f"Statement reached its statement or warehouse timeout of {seconds:g} second(s) and was canceled."
    return SqlError("000630", "57014", text)


def invalid_identifier(name: str) -> SqlError:
    """A column that the statement's table does not have."""
    return SqlError(
        "000904", "42000", f"SQL compilation error: error line 1 at position 7\ninvalid identifier '{name}'"
    )


def unknown_function(name: str) -> SqlError:
    """A function that this fake does not know; add it here when Snowflake has it."""
    return SqlError("002140", "42601", f"SQL compilation error:\nUnknown function {name}")


def unsupported(what: str) -> SqlError:
    """Grammar that Snowflake knows and refuses for this object."""
    return SqlError("002206", "0A000", f"SQL compilation error:\n{what}")
