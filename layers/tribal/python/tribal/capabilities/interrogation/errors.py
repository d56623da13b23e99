"""Errors of interrogations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tribal.errors import (
    EXIT_INTERNAL,
    EXIT_LOCKED,
    EXIT_PARTIAL,
    EXIT_STORE,
    EXIT_USAGE,
    NotFound,
    RightMissing,
    ToolInputInvalid,
    TribalError,
)

if TYPE_CHECKING:
    from tribal.ports.models.chains import TrailNote


class HypothesisInvalid(ToolInputInvalid):
    """A hypothesis, or another input of an interrogation, is invalid."""

    default_code = "INT_HYPOTHESIS_INVALID"


class ExamInvalid(ToolInputInvalid):
    """A file of questions cannot be used. The message names the line."""

    default_code = "INT_EXAM_INVALID"


class ConfigurationInvalid(TribalError):
    """The configuration of interrogations cannot be used. The message names the line."""

    default_code = "INT_CONFIG_INVALID"
    exit_code = EXIT_USAGE


class SessionNotFound(NotFound):
    """The session does not exist, or the caller may not see it."""

    default_code = "INT_SESSION_NOT_FOUND"


class InterrogationForbidden(RightMissing):
    """The caller lacks the right to do this, in general or with this session."""

    default_code = "INT_ACCESS_DENIED"


class SessionsBusy(TribalError):
    """Too many sessions are running. Retry later."""

    default_code = "INT_SESSIONS_BUSY"
    exit_code = EXIT_LOCKED
    http_status = 409
    retryable = True


class SessionHeld(SessionsBusy):
    """Another process runs the session. Retry once its lease has expired."""


class SessionEnded(TribalError):
    """The session has ended and can no longer change."""

    default_code = "INT_SESSION_ENDED"
    exit_code = EXIT_USAGE
    http_status = 409


class SessionInvalid(TribalError):
    """The file of a session is damaged, or a change would break a rule."""

    default_code = "INT_SESSION_INVALID"
    exit_code = EXIT_STORE


class InterrogationFailed(TribalError):
    """A session failed unexpectedly."""

    default_code = "INT_INTERNAL"
    exit_code = EXIT_INTERNAL
    retryable = True


class PartyFailed(InterrogationFailed):
    """A detective or a witness cannot continue.

    Args:
        message: what happened, for the audit trail. Contains no keys and nothing that was sent.
        notes: earlier notes for the audit trail, such as switches between providers.
    """

    exit_code = EXIT_STORE
    http_status = 502

    def __init__(self, message: str, notes: Sequence[TrailNote] = ()) -> None:
        super().__init__(message)
        self.notes = tuple(notes)


class WitnessUnreachable(PartyFailed):
    """The witness did not answer in time, even after a retry."""

    default_code = "INT_WITNESS_UNREACHABLE"


class DetectiveUnreachable(PartyFailed):
    """No provider of the detective could be reached.

    Args:
        message: as in `PartyFailed`.
        notes: as in `PartyFailed`.
        temporary: whether the same call may succeed later. The session then waits for its audit.
    """

    default_code = "INT_DETECTIVE_UNREACHABLE"

    def __init__(self, message: str, notes: Sequence[TrailNote] = (), *, temporary: bool = True) -> None:
        super().__init__(message, notes)
        self.temporary = temporary


class BudgetExhausted(PartyFailed):
    """The spending limit of the session, the exam or the day is reached."""

    default_code = "INT_BUDGET_EXHAUSTED"
    exit_code = EXIT_PARTIAL
    http_status = 409
    retryable = False
