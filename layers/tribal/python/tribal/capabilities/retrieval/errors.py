"""Errors of the retrieval capability."""

from __future__ import annotations

from pydantic import JsonValue

from tribal.errors import NotFound
from tribal.errors.base import EXIT_USAGE, TribalError


class AnswerTooLong(TribalError):
    """A single item is larger than an answer may be; `next_cursor` in the context continues after it."""

    default_code = "RET_BUDGET_EXCEEDED"
    exit_code = EXIT_USAGE
    http_status = 422

    def __init__(self, message: str, context: dict[str, JsonValue] | None = None) -> None:
        super().__init__(message, context=context or None)


class ColumnNotFound(NotFound):
    """The table has no column of that name."""

    default_code = "RET_COLUMN_NOT_FOUND"


class DomainNotFound(NotFound):
    """No documented domain has that name."""

    default_code = "RET_DOMAIN_NOT_FOUND"


class DatabaseNotFound(NotFound):
    """No documented database has that name."""

    default_code = "RET_DATABASE_NOT_FOUND"
