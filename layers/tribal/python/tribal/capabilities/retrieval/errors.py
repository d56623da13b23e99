"""The errors of retrieval."""

from __future__ import annotations

from pydantic import JsonValue

from tribal.errors import NotFound
from tribal.errors.base import EXIT_USAGE, TribalError


class AnswerTooLong(TribalError):
    """One item of an answer alone is larger than an answer may be; `next_cursor` in its context leads behind it."""

    default_code = "RET_BUDGET_EXCEEDED"
    exit_code = EXIT_USAGE
    http_status = 422

    def __init__(self, message: str, context: dict[str, JsonValue] | None = None) -> None:
        super().__init__(message, context=context or None)


class DomainNotFound(NotFound):
    """No domain of that name is documented."""

    default_code = "RET_DOMAIN_NOT_FOUND"


class DatabaseNotFound(NotFound):
    """No database of that name is documented."""

    default_code = "RET_DATABASE_NOT_FOUND"
