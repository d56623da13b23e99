"""The root of all errors, and the exit codes of commands."""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import PurePath
from typing import ClassVar, Literal

from pydantic import JsonValue

from tribal_contracts import ERROR_CODES, AgentError, agent_error

Activity = Literal["planning", "documenting", "indexing", "retrieving"]
"""What the program was doing when an error occurred; reading a catalog counts as planning."""
EXIT_DONE, EXIT_PARTIAL, EXIT_USAGE, EXIT_DATABASE, EXIT_LOCKED, EXIT_STORE, EXIT_NOT_READY, EXIT_NOT_FOUND = range(8)
EXIT_DEPLOYMENT = 8
EXIT_REFUSED = 9
"""A law of the chat refused a question."""
EXIT_INTERNAL = 70
EXIT_INTERRUPTED = 130


class TribalError(Exception):
    """Root of the tree. The class says what happened; `activity`, set by `doing`, says during which activity.

    Args:
        message: what happened, to what, and what to do next.
        code: one of `tribal_contracts.ERROR_CODES`, when class and activity do not determine it.
        context: the same details as structured data.
    """

    default_code: ClassVar[str] = "RET_INTERNAL"
    """The code that callers see; one of `tribal_contracts.ERROR_CODES`."""
    codes_while: ClassVar[Mapping[Activity, str]] = {}
    """Other codes, by what the program was doing."""
    exit_code: ClassVar[int] = EXIT_INTERNAL
    """Of a command."""
    http_status: ClassVar[int] = 500
    retryable: ClassVar[bool] = False
    """Whether the same call may succeed later."""

    def __init__(self, message: str, *, code: str | None = None, context: dict[str, JsonValue] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.context = context
        self.activity: Activity | None = None
        self._code = code
        if code is not None and code not in ERROR_CODES:
            raise KeyError(code)

    @property
    def code(self) -> str:
        """The error code that callers see."""
        return self._code or self.code_for(self.activity)

    @classmethod
    def code_for(cls, activity: Activity | None) -> str:
        """The code of the class during an activity."""
        return cls.codes_while.get(activity, cls.default_code) if activity else cls.default_code

    def to_agent_error(self, timestamp: str, activity: Activity | None = None) -> AgentError:
        """The error as data; `activity` applies unless `doing` has already set one."""
        self.activity = self.activity or activity
        return agent_error(self.code, self.message, timestamp=timestamp, context=self.context)


@contextmanager
def doing(activity: Activity) -> Iterator[None]:
    """Set the activity of every error that leaves the block or decorated function; the innermost wins."""
    try:
        yield
    except TribalError as error:
        error.activity = error.activity or activity
        raise


_PACKAGE = "tribal"


def describe_unexpected(error: Exception) -> str:
    """The class and message of an error, and the last line of this package in its traceback.

    The message may quote data: redact it before storing it.
    """
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if _PACKAGE in PurePath(frame.filename).parts]
    said = " ".join(str(error).split())
    what = f"{type(error).__name__}: {said}" if said else type(error).__name__
    if not own:
        return what
    parts = PurePath(own[-1].filename).parts
    inside = parts[len(parts) - parts[::-1].index(_PACKAGE) :]
    return f"{what}, in {'/'.join(inside)} line {own[-1].lineno}"
