"""Errors of the interrogation capability."""

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
    """A hypothesis, or how to examine it, is not valid."""

    default_code = "INT_HYPOTHESIS_INVALID"


class ExamInvalid(ToolInputInvalid):
    """A file of questions cannot be used; the message names the line."""

    default_code = "INT_EXAM_INVALID"


class ConfigurationInvalid(TribalError):
    """The configuration of interrogation cannot be used; the message names the line."""

    default_code = "INT_CONFIG_INVALID"
    exit_code = EXIT_USAGE


class SessionNotFound(NotFound):
    """There is no such session, or none that the caller may see."""

    default_code = "INT_SESSION_NOT_FOUND"


class InterrogationForbidden(RightMissing):
    """The caller may not do that, or not with this session."""

    default_code = "INT_ACCESS_DENIED"


class SessionsBusy(TribalError):
    """Too many sessions are running. Retryable, later."""

    default_code = "INT_SESSIONS_BUSY"
    exit_code = EXIT_LOCKED
    http_status = 409
    retryable = True


class SessionHeld(SessionsBusy):
    """Another process runs the session. Retryable when its lease has expired."""


class SessionEnded(TribalError):
    """The session has ended: it neither resumes nor changes."""

    default_code = "INT_SESSION_ENDED"
    exit_code = EXIT_USAGE
    http_status = 409


class SessionInvalid(TribalError):
    """The file of a session is damaged, or a change of it breaks a rule."""

    default_code = "INT_SESSION_INVALID"
    exit_code = EXIT_STORE


class InterrogationFailed(TribalError):
    """A session failed in a way that it did not foresee."""

    default_code = "INT_INTERNAL"
    exit_code = EXIT_INTERNAL
    retryable = True


class PartyFailed(InterrogationFailed):
    """A detective or a witness cannot continue.

    Args:
        message: what happened, for the audit trail: without keys, and without what was sent.
        notes: what it noted before, such as switches of provider.
    """

    exit_code = EXIT_STORE
    http_status = 502

    def __init__(self, message: str, notes: Sequence[TrailNote] = ()) -> None:
        super().__init__(message)
        self.notes = tuple(notes)


class WitnessUnreachable(PartyFailed):
    """The witness did not answer in time, its retry included."""

    default_code = "INT_WITNESS_UNREACHABLE"


class DetectiveUnreachable(PartyFailed):
    """No provider of the detective is left.

    Args:
        message: as in `PartyFailed`.
        notes: as in `PartyFailed`.
        temporary: whether the same call may succeed later; a session then waits for its audit.
    """

    default_code = "INT_DETECTIVE_UNREACHABLE"

    def __init__(self, message: str, notes: Sequence[TrailNote] = (), *, temporary: bool = True) -> None:
        super().__init__(message, notes)
        self.temporary = temporary


class BudgetExhausted(PartyFailed):
    """The money for the session, the exam or the day is spent."""

    default_code = "INT_BUDGET_EXHAUSTED"
    exit_code = EXIT_PARTIAL
    http_status = 409
    retryable = False
